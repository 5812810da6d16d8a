//! The papers' conclusions between the transports of today.

use core::fmt::Write;

use super::{Kind, escaped, folded, put};
use crate::report::{Chapter, Report};
use crate::{Conclusion, Finding, today};

pub(super) fn section(out: &mut String, report: &Report) {
    put!(
        out,
        "<section id=\"today\"><h2>{}</h2><p class=\"headline\">{}</p><p>{}</p>",
        today::TITLE,
        escaped(&today::headline(report)),
        escaped(today::STATED)
    );
    counts(out, report);
    out.push_str(
        "<details><summary>Claim by claim</summary><table class=\"claims standing\">\
         <caption class=\"unseen\">Each claim of the papers then and today</caption><thead><tr>\
         <th scope=\"col\">id<th scope=\"col\">claim<th scope=\"col\">then<th scope=\"col\">today\
         <th scope=\"col\">ours today<th scope=\"col\">why</tr></thead><tbody>",
    );
    for chapter in &report.chapters {
        for finding in &chapter.findings {
            row(out, chapter, finding);
        }
    }
    out.push_str("</tbody></table></details></section>");
}

/// A row for each study, a column for each fate.
fn counts(out: &mut String, report: &Report) {
    out.push_str(
        "<div class=\"scroll\"><table><caption class=\"unseen\">Conclusions by study</caption>\
         <thead><tr><th scope=\"col\">study",
    );
    for conclusion in Conclusion::ALL {
        put!(
            out,
            "<th scope=\"col\"><span class=\"badge {}\">{conclusion}</span>",
            class(conclusion)
        );
    }
    out.push_str("</tr></thead><tbody>");
    for (chapter, counts) in today::chapters(report) {
        put!(
            out,
            "<tr><th scope=\"row\"><a href=\"#{}\">{}</a>",
            escaped(&chapter.name),
            escaped(&chapter.title)
        );
        for (_, count) in counts.each() {
            match count {
                0 => out.push_str("<td>"),
                _ => put!(out, "<td>{count}"),
            }
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}

fn row(out: &mut String, chapter: &Chapter, finding: &Finding) {
    let Some((conclusion, ours, why)) = finding.conclusion() else {
        return;
    };
    let then = Kind::of(finding);
    put!(
        out,
        "<tr class=\"{}\"><th scope=\"row\"><a href=\"#{}\">{}</a><td>{}\
         <td data-head=\"then\"><span class=\"badge {}\">{}</span>\
         <td data-head=\"today\"><span class=\"badge {}\">{conclusion}</span>\
         <td data-head=\"ours today\">{}<td data-head=\"why\">{}</tr>\n",
        class(conclusion),
        escaped(&chapter.name),
        escaped(finding.claim.id),
        escaped(finding.claim.statement),
        then.class(),
        then.word(),
        class(conclusion),
        escaped(ours),
        folded(&why)
    );
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
