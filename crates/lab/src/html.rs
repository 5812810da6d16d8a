//! A report as one page of HTML that needs nothing else.

use core::fmt::Write;

use crate::report::{Chapter, Report};
use crate::{Chart, Exhibit, Finding, Origin, Table, Verdict};

const STYLE: &str = include_str!("html/style.css");

/// A text as it stands in HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(char),
        }
    }
    out
}

/// Writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{ let _ = write!($out, $($text)*); }};
}

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sheave: what the papers claim, run again</title>\
         <link rel=\"icon\" href=\"data:,\"><style>{STYLE}</style></head><body><main>\
         <h1>What the papers claim, run again</h1>"
    );
    head(&mut out, report);
    overview(&mut out, report);
    for chapter in &report.chapters {
        section(&mut out, chapter);
    }
    out.push_str("</main></body></html>\n");
    out
}

fn head(out: &mut String, report: &Report) {
    let manifest = &report.manifest;
    let machine = &manifest.machine;
    let runs: usize = report.chapters.iter().map(|chapter| chapter.runs).sum();
    put!(
        out,
        "<p>{runs} runs. Sheave {} ({}), on {} {}, {} cores{}{}. The same again: \
         <code>{}</code></p>",
        escaped(&manifest.version),
        escaped(&manifest.revision),
        escaped(&machine.system),
        escaped(&machine.architecture),
        machine.cores,
        if machine.processor.is_empty() {
            ""
        } else {
            ", "
        },
        escaped(&machine.processor),
        escaped(&manifest.command)
    );
    out.push_str(
        "<p>Each verdict is computed from the runs by the rule that stands beside the claim. \
         Numbers with ± are means and 95 % confidence intervals (Student t). In the lists of \
         parameters, those marked <em class=\"ours\">ours</em> are not in the paper.</p>",
    );
}

fn overview(out: &mut String, report: &Report) {
    let count = |verdict| {
        let findings = report.findings();
        let judgements = findings.filter_map(|finding| finding.judgement.as_ref());
        judgements
            .filter(|judgement| judgement.verdict == verdict)
            .count()
    };
    let silent = report
        .findings()
        .filter(|finding| finding.judgement.is_none());
    put!(
        out,
        "<h2 id=\"claims\">All claims</h2><p class=\"tally\">\
         <b class=\"reproduced\">{}</b> reproduced, <b class=\"partly\">{}</b> partly, \
         <b class=\"not\">{}</b> not reproduced, <b class=\"untestable\">{}</b> not testable \
         here, <b>{}</b> not run</p>",
        count(Verdict::Reproduced),
        count(Verdict::Partly),
        count(Verdict::NotReproduced),
        count(Verdict::NotTestable),
        silent.count()
    );
    findings(
        out,
        report.chapters.iter().flat_map(|chapter| {
            let findings = chapter.findings.iter();
            findings.map(move |finding| (chapter.name, finding))
        }),
    );
}

fn findings<'a>(out: &mut String, findings: impl Iterator<Item = (&'a str, &'a Finding)>) {
    out.push_str(
        "<div class=\"wide\"><table class=\"claims\"><thead><tr><th>id<th>claim<th>paper<th>ours\
         <th>verdict<th>why</tr></thead><tbody>",
    );
    for (study, finding) in findings {
        let claim = &finding.claim;
        let (class, ours, why) = match &finding.judgement {
            None => ("silent", "", ""),
            Some(judgement) => {
                let class = match judgement.verdict {
                    Verdict::Reproduced => "reproduced",
                    Verdict::Partly => "partly",
                    Verdict::NotReproduced => "not",
                    Verdict::NotTestable => "untestable",
                };
                (class, judgement.ours.as_str(), judgement.why.as_str())
            }
        };
        put!(
            out,
            "<tr><td><a href=\"#{study}\">{}</a><td>{}<td>{}<td>{}<td class=\"{class}\">\
             <span title=\"Rule: {}\">{}</span><td>{}</tr>",
            escaped(claim.id),
            escaped(claim.statement),
            escaped(claim.paper),
            escaped(ours),
            escaped(claim.rule),
            finding.verdict(),
            escaped(why)
        );
    }
    out.push_str("</tbody></table></div>");
}

fn section(out: &mut String, chapter: &Chapter) {
    put!(
        out,
        "<section id=\"{}\"><h2>{}</h2><p>{}</p>{}",
        chapter.name,
        escaped(chapter.title),
        escaped(chapter.about),
        chapter.drawing
    );
    out.push_str("<h3>Parameters</h3><table class=\"parameters\"><tbody>");
    for parameter in &chapter.parameters {
        let mark = match parameter.origin {
            Origin::Paper => "",
            Origin::Ours => " <em class=\"ours\">ours</em>",
        };
        put!(
            out,
            "<tr><th>{}<td>{}{mark}</tr>",
            escaped(parameter.name),
            escaped(&parameter.value)
        );
    }
    out.push_str("</tbody></table><h3>Rules</h3><ul class=\"rules\">");
    for finding in &chapter.findings {
        let claim = &finding.claim;
        let (id, rule) = (escaped(claim.id), escaped(claim.rule));
        put!(out, "<li><b>{id}</b> {rule}</li>");
    }
    out.push_str("</ul>");
    if chapter.runs == 0 {
        out.push_str("<p>None of it was run.</p>");
    }
    for exhibit in &chapter.exhibits {
        show(out, exhibit);
    }
    put!(
        out,
        "<p class=\"source\">{} runs. The same again: <code>{}</code>.",
        chapter.runs,
        escaped(&chapter.command)
    );
    if !chapter.data.is_empty() {
        put!(
            out,
            " <a download=\"{}.csv\" href=\"data:text/csv;charset=utf-8,{}\">The data (CSV)</a>",
            chapter.name,
            percent_encoded(&chapter.data)
        );
    }
    out.push_str("</p></section>");
}

fn show(out: &mut String, exhibit: &Exhibit) {
    match exhibit {
        Exhibit::Chart(chart) => figure(out, chart),
        Exhibit::Table(table) => grid(out, table),
        Exhibit::Note(note) => put!(out, "<p class=\"note\">{}</p>", escaped(note)),
    }
}

fn figure(out: &mut String, chart: &Chart) {
    let (title, legend, svg) = (escaped(&chart.title), chart.legend(), chart.svg());
    put!(
        out,
        "<figure><figcaption>{title}</figcaption>{legend}{svg}</figure>"
    );
}

fn grid(out: &mut String, table: &Table) {
    put!(
        out,
        "<div class=\"wide\"><table class=\"grid\"><caption>{}</caption><thead><tr>",
        escaped(&table.title)
    );
    for head in &table.head {
        put!(out, "<th>{}", escaped(head));
    }
    out.push_str("</tr></thead><tbody>");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            put!(out, "<td>{}", escaped(cell));
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}

/// A text as it stands in a URL.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 5 / 4);
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-_.~,".contains(&byte);
        if plain {
            out.push(char::from(byte));
        } else {
            put!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests;
