//! HTML fragments for another page, such as a notebook. Fragments contain no scripts, and their
//! style does not affect the surrounding page.

use core::fmt::Write;

use super::{Kind, STYLE, figure, put};
use crate::escape::escaped;
use crate::palette::Palette;
use crate::report::{Report, StudyReport};
use crate::{Chart, Exhibit, Table};

/// Renders the findings and exhibits of a report.
pub(crate) fn report(report: &Report) -> String {
    let mut out = String::new();
    for chapter in &report.chapters {
        if chapter.runs > 0 {
            results(&mut out, chapter);
        }
    }
    within(&out)
}

/// Renders the network of a scenario and its TOML text.
pub(crate) fn scenario(title: &str, drawing: &str, text: &str) -> String {
    within(&format!(
        "<h2>{}</h2><div class=\"scroll\">{drawing}</div>\
         <details><summary>The scenario</summary><pre>{}</pre></details>",
        escaped(title),
        escaped(text)
    ))
}

/// Renders a table below its title.
pub(crate) fn table(table: &Table) -> String {
    let mut out = String::new();
    titled(&mut out, table);
    within(&out)
}

/// Renders the verdicts of a chapter, then its exhibits.
fn results(out: &mut String, chapter: &StudyReport) {
    put!(
        out,
        "<h2>{}</h2><p class=\"meta\">{} runs</p>",
        escaped(&chapter.title),
        chapter.runs
    );
    if !chapter.findings.is_empty() {
        out.push_str("<ul>");
        for finding in &chapter.findings {
            let (claim, kind) = (&finding.claim, Kind::of(finding));
            put!(
                out,
                "<li><b>{}</b> <span class=\"badge {}\">{}</span> {}",
                escaped(&claim.id),
                kind.class(),
                kind.word(),
                escaped(&claim.statement)
            );
        }
        out.push_str("</ul>");
    }
    let palette = figure::palette(chapter);
    for shown in figure::numbered(chapter) {
        match shown.exhibit {
            Exhibit::Chart(chart) => drawn(out, chart, &palette),
            Exhibit::Table(table) => titled(out, table),
            Exhibit::Note(note) => put!(out, "<p class=\"note\">{}</p>", escaped(note)),
        }
    }
}

fn drawn(out: &mut String, chart: &Chart, palette: &Palette) {
    put!(
        out,
        "<figure><figcaption>{}</figcaption>{}<div class=\"scroll\">{}</div></figure>",
        escaped(&chart.title),
        chart.legend(palette),
        chart.svg(palette)
    );
}

fn titled(out: &mut String, table: &Table) {
    put!(out, "<p class=\"caption\">{}</p>", escaped(&table.title));
    figure::grid(out, table);
}

fn within(content: &str) -> String {
    let style = STYLE
        .replace(":root{", "&{")
        .replace("\nbody{", "\n&{padding:.4rem .8rem;");
    format!("<div class=\"sheave\"><style>.sheave{{{style}}}</style>{content}</div>")
}
