//! The papers' conclusions between the transports of today.

use core::fmt::Write;

use super::{Kind, Place, escaped, put};
use crate::report::Report;
use crate::{Conclusion, Finding, today};

/// A row for each paper, a column for each fate.
pub(super) fn section(out: &mut String, report: &Report) {
    put!(
        out,
        "<section id=\"today\"><h2>{}</h2><p>{}</p>",
        today::TITLE,
        escaped(today::STATED)
    );
    out.push_str(
        "<div class=\"scroll\"><table><caption class=\"unseen\">Conclusions by paper</caption>\
         <thead><tr><th scope=\"col\">paper<th scope=\"col\">studies",
    );
    for conclusion in Conclusion::ALL {
        put!(
            out,
            "<th scope=\"col\"><span class=\"badge {}\">{conclusion}</span>",
            class(conclusion)
        );
    }
    out.push_str("</tr></thead><tbody>");
    for standing in today::by_paper(report) {
        put!(out, "<tr><th scope=\"row\">{}<td>", escaped(&standing.name));
        for (place, chapter) in standing.chapters.iter().enumerate() {
            put!(
                out,
                "{}<a href=\"{}{}.html\">{}</a>",
                if place > 0 { ", " } else { "" },
                Place::Index.pages(),
                escaped(&chapter.name),
                escaped(&chapter.title)
            );
        }
        for (_, count) in standing.counts.each() {
            match count {
                0 => out.push_str("<td>"),
                _ => put!(out, "<td>{count}"),
            }
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div></section>");
}

/// The fate of a paper's claim today; empty for a claim of ours.
pub(super) fn badge(finding: &Finding) -> String {
    let Some((conclusion, ..)) = finding.conclusion() else {
        return String::new();
    };
    format!(
        "<span class=\"today {}\">today: {conclusion}</span>",
        class(conclusion)
    )
}

/// The class of the style sheet, which knows verdicts.
const fn class(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Stands => Kind::Reproduced.class(),
        Conclusion::StandsPartly => Kind::Partly.class(),
        Conclusion::Falls => Kind::Not.class(),
        Conclusion::Undecided => Kind::Undecided.class(),
        Conclusion::NotTestable => Kind::Untestable.class(),
        Conclusion::NotComparable | Conclusion::NotRun => Kind::Silent.class(),
    }
}
