//! The papers' conclusions for today's transports.

use core::fmt::Write;

use super::{Kind, Place, put};
use crate::escape::escaped;
use crate::report::Report;
use crate::{Conclusion, Finding, Verdict, today};

/// Renders a table with a row per paper and a column per kind of conclusion.
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

/// The badge of a paper's conclusion today; empty for our own claims.
pub(super) fn badge(finding: &Finding) -> String {
    let Some((conclusion, ..)) = finding.conclusion() else {
        return String::new();
    };
    format!(
        "<span class=\"today {}\">today: {conclusion}</span>",
        class(conclusion)
    )
}

/// The CSS class of a conclusion, which is that of the corresponding verdict.
const fn class(conclusion: Conclusion) -> &'static str {
    let verdict = match conclusion {
        Conclusion::Stands => Verdict::Reproduced,
        Conclusion::StandsPartly => Verdict::Partly,
        Conclusion::Falls => Verdict::NotReproduced,
        Conclusion::Undecided => Verdict::Undecided,
        Conclusion::NotTestable => Verdict::NotTestable,
        Conclusion::NotComparable | Conclusion::NotRun => return Kind(None).class(),
    };
    Kind(Some(verdict)).class()
}
