//! A report as one page of HTML that needs nothing else.

mod chapter;
mod figure;
mod standing;

use core::fmt::Write;

pub(crate) use figure::table as table_of;

use crate::claim::ClaimsOf;
use crate::report::{Chapter, Report};
use crate::ruling::STATED;
use crate::{Finding, Table, Verdict};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

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
pub(crate) use put;

/// The whole page.
pub(crate) fn page(report: &Report) -> String {
    let title = report.title();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sheave: {title}</title><link rel=\"icon\" href=\"data:,\">\
         <style>{STYLE}</style></head>\n<body><main><h1>{title}</h1>"
    );
    head(&mut out, report);
    if report.findings().next().is_some() {
        standing::section(&mut out, report);
        overview(&mut out, report);
    }
    for chapter in &report.chapters {
        chapter::section(&mut out, chapter);
    }
    put!(
        out,
        "</main><div id=\"tip\" hidden></div><script>{SCRIPT}</script></body></html>\n"
    );
    out
}

/// The findings and exhibits alone, for a page of somebody else: the style stays within them.
pub(crate) fn fragment(report: &Report) -> String {
    let mut out = String::new();
    for chapter in &report.chapters {
        chapter::results(&mut out, chapter);
    }
    within(&out)
}

/// The network of a scenario and its text, for a page of somebody else.
pub(crate) fn scenario(title: &str, drawing: &str, text: &str) -> String {
    within(&format!(
        "<h2>{}</h2><div class=\"scroll\">{drawing}</div>\
         <details><summary>The scenario</summary><pre>{}</pre></details>",
        escaped(title),
        escaped(text)
    ))
}

/// A table, for a page of somebody else.
pub(crate) fn one_table(table: &Table) -> String {
    let mut out = String::new();
    figure::grid(&mut out, table);
    within(&out)
}

/// A part of somebody else's page, with a style that ends where the part does.
fn within(content: &str) -> String {
    let style = STYLE
        .replace(":root{", "&{")
        .replace("\nbody{", "\n&{padding:.4rem .8rem;");
    format!("<div class=\"sheave\"><style>.sheave{{{style}}}</style>{content}</div>")
}

fn head(out: &mut String, report: &Report) {
    let manifest = &report.manifest;
    let machine = &manifest.machine;
    let runs: usize = report.chapters.iter().map(|chapter| chapter.runs).sum();
    let processor = match machine.processor.as_str() {
        "" => String::new(),
        processor => format!(", {}", escaped(processor)),
    };
    put!(
        out,
        "<p class=\"meta\">{runs} runs · Sheave {} ({}) · {} {}, {} cores{processor}</p>",
        escaped(&manifest.version),
        escaped(&manifest.revision),
        escaped(&machine.system),
        escaped(&machine.architecture),
        machine.cores,
    );
    command(out, "The same again", &manifest.command);
    out.push_str("<nav aria-label=\"Contents\"><ul class=\"contents\">");
    for chapter in &report.chapters {
        put!(
            out,
            "<li><a href=\"#{}\">{}</a> ",
            escaped(&chapter.name),
            escaped(&chapter.title)
        );
        for kind in Kind::ALL {
            let count = kind.count(chapter.findings.iter());
            if count > 0 && chapter.runs > 0 {
                put!(
                    out,
                    "<span class=\"badge {}\">{count} {}</span> ",
                    kind.class(),
                    kind.word()
                );
            }
        }
        if chapter.runs == 0 {
            out.push_str("<span class=\"badge silent\">not run</span>");
        }
        out.push_str("</li>");
    }
    out.push_str("</ul></nav>");
}

/// A command line that can be copied.
fn command(out: &mut String, title: &str, line: &str) {
    put!(
        out,
        "<p class=\"command\"><span>{title}:</span> <code>{}</code></p>",
        escaped(line)
    );
}

/// The presentation of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Reproduced,
    Partly,
    Not,
    Undecided,
    Untestable,
    Silent,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Reproduced,
        Self::Partly,
        Self::Not,
        Self::Undecided,
        Self::Untestable,
        Self::Silent,
    ];

    fn of(finding: &Finding) -> Self {
        let judgement = finding.judgement.as_ref();
        match judgement.map(|judgement| judgement.ruling.verdict) {
            None => Self::Silent,
            Some(Verdict::Reproduced) => Self::Reproduced,
            Some(Verdict::Partly) => Self::Partly,
            Some(Verdict::NotReproduced) => Self::Not,
            Some(Verdict::Undecided) => Self::Undecided,
            Some(Verdict::NotTestable) => Self::Untestable,
        }
    }

    fn count<'a>(self, findings: impl Iterator<Item = &'a Finding>) -> usize {
        findings.filter(|finding| Self::of(finding) == self).count()
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Not => "not",
            Self::Undecided => "undecided",
            Self::Untestable => "untestable",
            Self::Silent => "silent",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Partly => "partly",
            Self::Not => "not reproduced",
            Self::Undecided => "undecided",
            Self::Untestable => "not testable here",
            Self::Silent => "not run",
        }
    }
}

/// Writes a list of all claims, with a filter that the style sheet carries out.
fn overview(out: &mut String, report: &Report) {
    put!(
        out,
        "<section id=\"claims\"><h2>All claims</h2><p>Each verdict is computed from the runs by \
         the rule that stands beside the claim. Numbers with ± are means and 95 % confidence \
         intervals (Student t). {STATED}</p><fieldset class=\"filter\"><legend>Show</legend>",
    );
    let all = report.findings().count();
    put!(
        out,
        "<label><input type=\"radio\" name=\"show\" id=\"show-all\" checked> all <b>{all}</b>\
         </label>"
    );
    for kind in Kind::ALL {
        let count = kind.count(report.findings());
        if count > 0 {
            let (class, word) = (kind.class(), kind.word());
            put!(
                out,
                "<label class=\"{class}\"><input type=\"radio\" name=\"show\" \
                 id=\"show-{class}\"> {word} <b>{count}</b></label>"
            );
        }
    }
    out.push_str("</fieldset>");
    for claims in ClaimsOf::ALL {
        table_of_claims(out, report, claims);
    }
    out.push_str("</section>");
}

/// The claims of one origin, with their counts.
fn table_of_claims(out: &mut String, report: &Report, claims: ClaimsOf) {
    put!(out, "<h3>{}</h3><p>", claims.title());
    for kind in Kind::ALL {
        let count = kind.count(report.findings().filter(|finding| claims.has(finding)));
        if count > 0 {
            let (class, word) = (kind.class(), kind.word());
            put!(out, "<span class=\"badge {class}\">{count} {word}</span> ");
        }
    }
    put!(
        out,
        "</p><table class=\"claims\"><caption class=\"unseen\">{}, and what became of it\
         </caption><thead><tr><th scope=\"col\">id<th scope=\"col\">claim\
         <th scope=\"col\">paper<th scope=\"col\">ours<th scope=\"col\">verdict\
         <th scope=\"col\">why</tr></thead><tbody>",
        claims.title()
    );
    for chapter in &report.chapters {
        for finding in chapter
            .findings
            .iter()
            .filter(|finding| claims.has(finding))
        {
            row(out, chapter, finding);
        }
    }
    out.push_str("</tbody></table>");
}

fn row(out: &mut String, chapter: &Chapter, finding: &Finding) {
    let (claim, kind) = (&finding.claim, Kind::of(finding));
    let (ours, why) = finding.account();
    put!(
        out,
        "<tr class=\"{}\"><th scope=\"row\"><a href=\"#{}\">{}</a><td>{}\
         <td data-head=\"paper\">{}<td data-head=\"ours\">{}<td><span class=\"badge {}\" \
         title=\"Rule: {}\">{}</span><td data-head=\"why\">{}</tr>\n",
        kind.class(),
        escaped(&chapter.name),
        escaped(claim.id),
        escaped(claim.statement),
        escaped(claim.paper),
        escaped(ours),
        kind.class(),
        escaped(claim.rule),
        kind.word(),
        folded(&why)
    );
}

/// A long text with its first sentence in sight.
fn folded(text: &str) -> String {
    /// Letters that a cell of the table holds without becoming tall.
    const SHORT: usize = 200;
    let cut = text.match_indices(". ").map(|(at, _)| at + 1);
    let first = cut.filter(|at| *at >= 40).min().unwrap_or(text.len());
    if text.len() <= SHORT || first == text.len() {
        return escaped(text);
    }
    let (first, rest) = text.split_at(first);
    format!(
        "<details><summary>{}</summary>{}</details>",
        escaped(first),
        escaped(rest.trim_start())
    )
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
