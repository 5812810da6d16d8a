//! The section of a study or of a scenario.

use core::fmt::Write;

use super::{Kind, command, escaped, figure, percent_encoded, put};
use crate::report::{Chapter, Sample};
use crate::{Exhibit, Origin};

pub(super) fn section(out: &mut String, chapter: &Chapter) {
    put!(
        out,
        "\n<section id=\"{}\"><h2>{}</h2>",
        escaped(&chapter.name),
        escaped(&chapter.title)
    );
    if !chapter.about.is_empty() {
        put!(out, "<p class=\"about\">{}</p>", escaped(&chapter.about));
    }
    if chapter.runs == 0 {
        out.push_str("<p class=\"note\">None of it was run.</p>");
        command(out, "To run it", &chapter.command);
        out.push_str("<details><summary>Set-up and claims</summary>");
        set_up(out, chapter);
        claims(out, chapter);
        out.push_str("</details></section>");
        return;
    }
    set_up(out, chapter);
    claims(out, chapter);
    exhibits(out, chapter);
    source(out, chapter);
    out.push_str("</section>");
}

/// What a chapter found, under its title: the verdicts, then the exhibits.
pub(super) fn results(out: &mut String, chapter: &Chapter) {
    if chapter.runs == 0 {
        return;
    }
    put!(out, "<h2>{}</h2>", escaped(&chapter.title));
    put!(out, "<p class=\"meta\">{} runs</p>", chapter.runs);
    if !chapter.findings.is_empty() {
        out.push_str("<ul class=\"verdicts\">");
        for finding in &chapter.findings {
            let (claim, kind) = (&finding.claim, Kind::of(finding));
            put!(
                out,
                "<li><b>{}</b> <span class=\"badge {}\">{}</span> {}",
                escaped(claim.id),
                kind.class(),
                kind.word(),
                escaped(claim.statement)
            );
        }
        out.push_str("</ul>");
    }
    exhibits(out, chapter);
}

/// The network, and its parameters or the text that describes all of it.
fn set_up(out: &mut String, chapter: &Chapter) {
    out.push_str("<h3>Set-up</h3>");
    put!(
        out,
        "<div class=\"set-up\"><div class=\"scroll\">{}</div>",
        chapter.drawing
    );
    if let Some(text) = &chapter.text {
        put!(
            out,
            "<details><summary>The scenario</summary><pre>{}</pre></details>",
            escaped(text)
        );
    }
    if !chapter.parameters.is_empty() {
        out.push_str(
            "<details open><summary>Parameters</summary><table class=\"parameters\">\
             <caption>Those marked <em class=\"ours\">ours</em> are not in the paper.</caption>\
             <tbody>",
        );
        for parameter in &chapter.parameters {
            let mark = match parameter.origin {
                Origin::Paper => "",
                Origin::Ours => " <em class=\"ours\">ours</em>",
            };
            put!(
                out,
                "<tr><th scope=\"row\">{}{mark}<td>{}</tr>",
                escaped(parameter.name),
                escaped(&parameter.value)
            );
        }
        out.push_str("</tbody></table></details>");
    }
    out.push_str("</div>");
}

fn claims(out: &mut String, chapter: &Chapter) {
    if chapter.findings.is_empty() {
        return;
    }
    out.push_str("<h3>Claims and rules</h3><dl class=\"rules\">");
    for finding in &chapter.findings {
        let (claim, kind) = (&finding.claim, Kind::of(finding));
        put!(
            out,
            "<div><dt>{} <span class=\"badge {}\">{}</span></dt><dd>{}<br>\
             <span class=\"rule\">Rule: {}</span></dd></div>",
            escaped(claim.id),
            kind.class(),
            kind.word(),
            escaped(claim.statement),
            escaped(claim.rule)
        );
    }
    out.push_str("</dl>");
}

/// Figures that follow each other stand side by side where there is room.
fn exhibits(out: &mut String, chapter: &Chapter) {
    out.push_str("<h3>Results</h3>");
    let mut figures = 0;
    for exhibit in &chapter.exhibits {
        match exhibit {
            // There is nothing in it yet.
            Exhibit::Chart(chart) if chart.curves.is_empty() => continue,
            Exhibit::Chart(chart) => {
                if figures == 0 {
                    out.push_str("<div class=\"figures\">");
                }
                figures += 1;
                let file = format!("{}-{figures}", chapter.name);
                figure::figure(out, chart, &file);
                continue;
            }
            _ if figures > 0 => out.push_str("</div>"),
            _ => {}
        }
        figures = 0;
        match exhibit {
            Exhibit::Chart(_) => {}
            Exhibit::Table(table) => figure::foldable(out, table),
            Exhibit::Note(note) => put!(out, "<p class=\"note\">{}</p>", escaped(note)),
        }
    }
    if figures > 0 {
        out.push_str("</div>");
    }
}

/// Writes where the data is, and the command that makes it again.
fn source(out: &mut String, chapter: &Chapter) {
    out.push_str("<h3>Data</h3><ul class=\"source\">");
    let name = escaped(&chapter.name);
    put!(
        out,
        "<li><a download=\"{name}.csv\" href=\"data:text/csv;charset=utf-8,{}\">{name}.csv</a>: \
         {} runs, one a row",
        percent_encoded(&chapter.data),
        chapter.runs
    );
    if let Some(capture) = &chapter.capture {
        let capture = escaped(capture);
        put!(
            out,
            "<li><a href=\"{capture}\">{capture}</a>: what the hosts send at the beginning of the \
             first run, for Wireshark; it lies beside this page"
        );
    }
    out.push_str("</ul>");
    command(out, "All of it again", &chapter.command);
    if let Some(first) = chapter.samples.first() {
        command(out, "One run of it", &first.command);
    }
    samples(out, &chapter.samples);
}

/// Each setting with the command for it.
fn samples(out: &mut String, samples: &[Sample]) {
    if samples.len() < 2 {
        return;
    }
    put!(
        out,
        "<details><summary>The commands of all {} settings</summary><div class=\"scroll\">\
         <table class=\"commands\"><caption class=\"unseen\">A command for each setting</caption>\
         <thead><tr><th scope=\"col\">seeds<th scope=\"col\">one run of it</tr></thead><tbody>",
        samples.len()
    );
    for sample in samples {
        put!(
            out,
            "<tr><td>{}<td><code>{}</code></tr>",
            sample.seeds,
            escaped(&sample.command)
        );
    }
    out.push_str("</tbody></table></div></details>");
}
