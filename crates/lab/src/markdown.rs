//! A report as readable Markdown: lines of 100 characters, aligned tables, and curves as tables or
//! small bars.

use core::fmt::Write;

use crate::chart::label;
use crate::claim::ClaimsOf;
use crate::report::{Report, StudyReport};
use crate::ruling::STATED;
use crate::settings::whole;
use crate::{Chart, Conclusion, Curve, Exhibit, Finding, Origin, html, today};

/// Characters per line.
const WIDTH: usize = 100;
/// Characters of a curve drawn in one line.
const BARS: usize = 60;

/// Appends a formatted line to a `String`, which cannot fail.
macro_rules! put {
    ($out:expr, $($text:tt)*) => {{ let _ = writeln!($out, $($text)*); }};
}

/// Renders the report.
pub(crate) fn page(report: &Report) -> String {
    let manifest = &report.manifest;
    let mut out = format!("# {}\n\n", report.title());
    put!(
        out,
        "Sheave {} ({}). The same again: `{}`",
        manifest.version,
        manifest.revision,
        manifest.command
    );
    if report.findings().next().is_some() {
        overview(&mut out, report);
    }
    for (_, chapter) in report.chosen() {
        section(&mut out, chapter);
    }
    let others = report.left_out().map(|(_, chapter)| chapter.name.as_str());
    let others = others.collect::<Vec<_>>().join(", ");
    if !others.is_empty() {
        out.push_str("\n## Not run\n\n");
        paragraph(&mut out, "", &format!("Studies without runs: {others}."));
    }
    out
}

fn overview(out: &mut String, report: &Report) {
    out.push_str("\n## At a glance\n\n");
    for origin in ClaimsOf::ALL {
        let findings = report.findings().filter(|finding| origin.has(finding));
        let counts = counted(findings);
        if !counts.is_empty() {
            paragraph(out, "- ", &format!("{}: {counts}.", origin.title()));
        }
    }
    if report.has_studies() {
        today(out, report);
    }
    for origin in ClaimsOf::ALL {
        all(out, report, origin);
    }
}

/// The number of findings per verdict, in words.
fn counted<'a>(findings: impl Iterator<Item = &'a Finding>) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for finding in findings {
        let verdict = finding.verdict();
        match counts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict, 1)),
        }
    }
    let counts = counts
        .iter()
        .map(|(verdict, count)| format!("{count} {verdict}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Renders the papers' conclusions for today's transports.
fn today(out: &mut String, report: &Report) {
    put!(out, "\n## {}\n", today::TITLE);
    paragraph(out, "", &today::headline(report));
    out.push('\n');
    paragraph(out, "", today::STATED);
    out.push('\n');
    let mut head = vec!["paper".to_owned(), "studies".to_owned()];
    head.extend(Conclusion::ALL.map(|conclusion| conclusion.to_string()));
    let mut rows = vec![head];
    for standing in today::by_paper(report) {
        let chapters = standing.chapters.iter();
        let chapters: Vec<&str> = chapters.map(|chapter| chapter.name.as_str()).collect();
        let mut row = vec![standing.name, chapters.join(", ")];
        row.extend(standing.counts.each().map(|(_, count)| count.to_string()));
        rows.push(row);
    }
    grid(out, &rows);
    out.push('\n');
    let mut rows = vec![["id", "then", "today", "why"].map(str::to_owned).to_vec()];
    for finding in report.findings() {
        if let Some((conclusion, ours, why)) = finding.conclusion() {
            let account = today::account(ours, &why);
            let (id, today) = (finding.claim.id.to_owned(), conclusion.to_string());
            rows.push(vec![id, finding.verdict(), today, account]);
        }
    }
    grid(out, &rows);
}

/// Renders the claims of one origin.
fn all(out: &mut String, report: &Report, origin: ClaimsOf) {
    put!(out, "\n## {}\n", origin.title());
    if origin == ClaimsOf::Papers {
        paragraph(out, "", STATED);
        out.push('\n');
    }
    let mut rows = vec![["id", "verdict", "study", "claim"].map(str::to_owned)];
    for (_, chapter) in report.chosen() {
        for finding in chapter
            .findings
            .iter()
            .filter(|finding| origin.has(finding))
        {
            rows.push([
                finding.claim.id.to_owned(),
                finding.verdict(),
                chapter.name.clone(),
                finding.claim.statement.to_owned(),
            ]);
        }
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    grid(out, &rows);
}

fn section(out: &mut String, chapter: &StudyReport) {
    put!(out, "\n## {}\n", chapter.title);
    if !chapter.about.is_empty() {
        paragraph(out, "", &chapter.about);
        out.push('\n');
    }
    paragraph(out, "", &format!("Network: {}", chapter.network));
    if !chapter.parameters.is_empty() {
        out.push_str("\n### Parameters\n\n");
    }
    for parameter in &chapter.parameters {
        let mark = match parameter.origin {
            Origin::Paper => "",
            Origin::Ours => " (ours)",
        };
        let text = format!("{}{mark}: {}", parameter.name, parameter.value);
        paragraph(out, "- ", &text);
    }
    for finding in &chapter.findings {
        claim(out, finding);
    }
    if let Some(text) = &chapter.text {
        put!(
            out,
            "\n### The scenario\n\n```toml\n{}\n```",
            text.trim_end()
        );
    }
    for exhibit in &chapter.exhibits {
        match exhibit {
            Exhibit::Chart(chart) => figure(out, chart),
            Exhibit::Note(note) => {
                out.push('\n');
                paragraph(out, "> ", note);
            }
            Exhibit::Table(table) => {
                put!(out, "\n### {}\n", table.title);
                let mut rows = vec![table.head.clone()];
                rows.extend(table.rows.iter().cloned());
                grid(out, &rows);
            }
        }
    }
    put!(
        out,
        "\n{} runs. The same again: `{}`",
        chapter.runs,
        chapter.command
    );
    if let Some(first) = chapter.samples.first() {
        put!(out, "\nOne of them: `{}`", first.command);
    }
    if let Some(capture) = &chapter.capture {
        put!(out, "\nThe beginning of the first run: `{capture}`");
    }
}

fn claim(out: &mut String, finding: &Finding) {
    let claim = &finding.claim;
    put!(out, "\n### {}: {}\n", claim.id, finding.verdict());
    paragraph(out, "", &claim.statement);
    out.push('\n');
    if !claim.paper.is_empty() {
        paragraph(out, "- ", &format!("Paper: {}", claim.paper));
    }
    let (ours, why) = finding.account();
    if !ours.is_empty() {
        paragraph(out, "- ", &format!("Ours: {ours}"));
    }
    paragraph(out, "- ", &format!("Why: {why}"));
    paragraph(out, "- ", &format!("Rule: {}", claim.rule));
}

fn figure(out: &mut String, chart: &Chart) {
    put!(out, "\n### {}\n", chart.title);
    if chart.is_sparse() {
        put!(out, "{}\n", chart.y);
        let table = html::table_of(chart);
        let mut rows = vec![table.head];
        rows.extend(table.rows);
        return grid(out, &rows);
    }
    let (Some(first), Some(last)) = (
        chart.places().first().copied(),
        chart.places().last().copied(),
    ) else {
        return;
    };
    put!(
        out,
        "{} over {}, {} to {}\n\n```text",
        chart.y,
        chart.x,
        label(first),
        label(last)
    );
    let longest = chart.curves.iter().map(|curve| curve.name.chars().count());
    let longest = longest.max().unwrap_or(0);
    for curve in &chart.curves {
        let (bars, top) = bars(curve, (first, last));
        put!(out, "{:longest$} {bars} up to {}", curve.name, label(top));
    }
    out.push_str("```\n");
}

/// A curve as a line of bars from 0 to its maximum, and the maximum.
fn bars(curve: &Curve, (first, last): (f64, f64)) -> (String, f64) {
    const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let top = curve.points.iter().map(|point| point.y).fold(0.0, f64::max);
    let mut columns = [None::<f64>; BARS];
    for point in &curve.points {
        let share = (point.x - first) / (last - first).max(f64::MIN_POSITIVE);
        let at = whole::<usize>(share * BARS as f64).min(BARS - 1);
        let column = &mut columns[at];
        *column = Some(column.map_or(point.y, |known| known.max(point.y)));
    }
    let bars = columns.iter().map(|column| {
        let share = column.map_or(0.0, |value| value / top.max(f64::MIN_POSITIVE));
        LEVELS[whole::<usize>((share.clamp(0.0, 1.0) * 8.0).ceil())]
    });
    (bars.collect(), top)
}

/// Renders an aligned table; the first row is the header. The last column has no maximum width.
fn grid(out: &mut String, rows: &[Vec<String>]) {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|text| cell(text)).collect())
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (number, row) in rows.iter().enumerate() {
        line(out, row, &widths);
        if number == 0 {
            let rule: Vec<String> = widths
                .iter()
                .map(|width| "-".repeat((*width).max(3)))
                .collect();
            line(out, &rule, &widths);
        }
    }
}

fn line(out: &mut String, row: &[String], widths: &[usize]) {
    out.push('|');
    for (column, width) in widths.iter().enumerate() {
        let cell = row.get(column).map_or("", String::as_str);
        let width = if column + 1 == widths.len() && *width > WIDTH / 2 {
            0
        } else {
            *width
        };
        let _ = write!(out, " {cell:width$} |");
    }
    out.push('\n');
}

/// Renders text in lines of [`WIDTH`] characters, the first one after `mark`.
fn paragraph(out: &mut String, mark: &str, text: &str) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if column == 0 {
            out.push_str(mark);
            column = mark.len();
        } else if column + 1 + len > WIDTH {
            let next = if mark == "- " { "  " } else { mark };
            out.push('\n');
            out.push_str(next);
            column = next.len();
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += len;
    }
    out.push('\n');
}

#[cfg(test)]
mod tests;
