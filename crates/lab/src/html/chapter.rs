//! The page of a study or of a scenario.

use core::fmt::Write;

use super::figure::{self, numbered};
use super::{INDEX, Place, claims, command, put};
use crate::escape::escaped;
use crate::report::{Report, StudyReport};
use crate::{Exhibit, Origin};

/// Renders the page of one of several chapters.
pub(super) fn page(out: &mut String, report: &Report, at: usize) {
    let Some(chapter) = report.chapters.get(at) else {
        return;
    };
    ways(out, report, at);
    put!(
        out,
        "<h1 id=\"{}\">{}. {}</h1>",
        escaped(&chapter.name),
        at + 1,
        escaped(&chapter.title)
    );
    body(out, chapter, at + 1, Place::Below);
    ways(out, report, at);
}

/// Links to the index and to the previous and next page.
fn ways(out: &mut String, report: &Report, at: usize) {
    put!(
        out,
        "<nav class=\"ways\" aria-label=\"Pages\"><a href=\"{}{INDEX}\">All claims</a>",
        Place::Below.up()
    );
    let before = at.checked_sub(1).and_then(|at| report.chapters.get(at));
    for (chapter, arrow) in [(before, "←"), (report.chapters.get(at + 1), "→")] {
        if let Some(chapter) = chapter {
            let (name, title) = (escaped(&chapter.name), escaped(&chapter.title));
            put!(out, "<a href=\"{name}.html\">{arrow} {title}</a>");
        }
    }
    out.push_str("</nav>");
}

/// Renders a chapter without its title; `at` is the chapter's number.
pub(super) fn body(out: &mut String, chapter: &StudyReport, at: usize, place: Place) {
    if !chapter.about.is_empty() {
        put!(out, "<p class=\"about\">{}</p>", escaped(&chapter.about));
    }
    if chapter.runs == 0 {
        out.push_str("<p class=\"note\">None of it was run.</p>");
        command(out, "To run it", &chapter.command);
    }
    findings(out, chapter, place);
    set_up(out, chapter);
    if chapter.runs > 0 {
        exhibits(out, chapter, at, place);
        source(out, chapter, place);
    }
}

/// Renders the network, with its parameters or its TOML text.
fn set_up(out: &mut String, chapter: &StudyReport) {
    out.push_str("<section id=\"set-up\"><h2>Set-up</h2>");
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
            "<details><summary>Parameters</summary><table class=\"parameters\">\
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
    out.push_str("</div></section>");
}

fn findings(out: &mut String, chapter: &StudyReport, place: Place) {
    if chapter.findings.is_empty() {
        return;
    }
    out.push_str("<section id=\"claims\"><h2>Claims</h2>");
    claims::head(out);
    for finding in &chapter.findings {
        claims::row(out, chapter, finding, place);
    }
    out.push_str("</section>");
}

/// Renders the exhibits; consecutive figures are side by side where space permits.
fn exhibits(out: &mut String, chapter: &StudyReport, at: usize, place: Place) {
    out.push_str("<section id=\"results\"><h2>Results</h2>");
    let palette = figure::palette(chapter);
    let mut side_by_side = false;
    for one in numbered(chapter) {
        let is_chart = matches!(one.exhibit, Exhibit::Chart(_));
        match (side_by_side, is_chart) {
            (false, true) => out.push_str("<div class=\"figures\">"),
            (true, false) => out.push_str("</div>"),
            _ => {}
        }
        side_by_side = is_chart;
        match one.exhibit {
            Exhibit::Chart(chart) => {
                figure::figure(out, (chapter, at), (one, chart), (&palette, place));
            }
            Exhibit::Table(table) => figure::foldable(out, (chapter, at), (one, table)),
            Exhibit::Note(note) => put!(out, "<p class=\"note\">{}</p>", escaped(note)),
        }
    }
    if side_by_side {
        out.push_str("</div>");
    }
    out.push_str("</section>");
}

/// Renders the location of the data, and the command that reproduces it.
fn source(out: &mut String, chapter: &StudyReport, place: Place) {
    out.push_str("<section id=\"data\"><h2>Data</h2><ul class=\"source\">");
    let (name, up) = (escaped(&chapter.name), place.up());
    put!(
        out,
        "<li><a download href=\"{up}{name}.csv\">{name}.csv</a> and \
         <a download href=\"{up}{name}.parquet\">{name}.parquet</a>: {} runs, one a row; they lie \
         beside the report",
        chapter.runs
    );
    if let Some(capture) = &chapter.capture {
        let capture = escaped(capture);
        put!(
            out,
            "<li><a href=\"{up}{capture}\">{capture}</a>: what the hosts send at the beginning of \
             the first run, for Wireshark"
        );
    }
    out.push_str("</ul>");
    command(out, "All of it again", &chapter.command);
    if let Some(first) = chapter.samples.first() {
        command(out, "One run of it", &first.command);
    }
    samples(out, chapter);
    out.push_str("</section>");
}

/// Renders each setting with its command.
fn samples(out: &mut String, chapter: &StudyReport) {
    let samples = &chapter.samples;
    if samples.len() < 2 {
        return;
    }
    let which = if samples.len() < chapter.cases {
        format!("the first {} of {}", samples.len(), chapter.cases)
    } else {
        format!("all {}", samples.len())
    };
    put!(
        out,
        "<details><summary>The commands of {which} settings</summary><div class=\"scroll\">\
         <table class=\"commands\"><caption class=\"unseen\">A command for each setting</caption>\
         <thead><tr><th scope=\"col\">seeds<th scope=\"col\">one run of it</tr></thead><tbody>"
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
