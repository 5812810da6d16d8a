//! A report as Markdown.

use core::fmt::Write;

use crate::report::{Chapter, Report};
use crate::{Exhibit, Origin};

/// Writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{ let _ = writeln!($out, $($text)*); }};
}

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let manifest = &report.manifest;
    let mut out = String::from("# What the papers claim, run again\n\n");
    put!(
        out,
        "Sheave {} ({}). The same again: `{}`\n",
        manifest.version,
        manifest.revision,
        manifest.command
    );
    row(&mut out, ["id", "claim", "paper", "ours", "verdict", "why"]);
    row(&mut out, ["---"; 6]);
    for finding in report.findings() {
        let claim = &finding.claim;
        let judgement = finding.judgement.as_ref();
        let ours = judgement.map_or("", |judgement| &judgement.ours);
        let why = judgement.map_or("", |judgement| &judgement.why);
        let verdict = finding.verdict();
        let cells = [claim.id, claim.statement, claim.paper, ours, &verdict, why];
        row(&mut out, cells);
    }
    for chapter in &report.chapters {
        section(&mut out, chapter);
    }
    out
}

fn section(out: &mut String, chapter: &Chapter) {
    put!(out, "\n## {}\n\n{}\n", chapter.title, chapter.about);
    for parameter in &chapter.parameters {
        let mark = match parameter.origin {
            Origin::Paper => "",
            Origin::Ours => " (ours)",
        };
        put!(out, "- {}: {}{mark}", parameter.name, parameter.value);
    }
    out.push('\n');
    for finding in &chapter.findings {
        put!(out, "- {}, rule: {}", finding.claim.id, finding.claim.rule);
    }
    for exhibit in &chapter.exhibits {
        match exhibit {
            Exhibit::Chart(_) => {}
            Exhibit::Note(note) => put!(out, "\n{note}"),
            Exhibit::Table(table) => {
                put!(out, "\n{}\n", table.title);
                row(out, table.head.iter().map(String::as_str));
                row(out, table.head.iter().map(|_| "---"));
                for cells in &table.rows {
                    row(out, cells.iter().map(String::as_str));
                }
            }
        }
    }
    put!(out, "\n{} runs: `{}`", chapter.runs, chapter.command);
}

fn row<'a>(out: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    out.push('|');
    for cell in cells {
        let cell = cell.replace('|', "\\|").replace('\n', " ");
        let _ = write!(out, " {cell} |");
    }
    out.push('\n');
}
