//! The table of claims, with expandable rows.

use core::fmt::Write;

use super::{Kind, Place, dots, put, standing};
use crate::Finding;
use crate::escape::escaped;
use crate::report::StudyReport;

/// Renders the column headers and the legend of the pictures.
pub(super) fn head(out: &mut String) {
    put!(
        out,
        "<div class=\"columns\" aria-hidden=\"true\"><span>id</span><span>claim</span>\
         <span class=\"picture\">{}</span><span>verdict · today</span><span>why</span></div>\
         <p class=\"key\">{} the paper's ratio or range · {} ours with its 95 % interval; an arrow \
         goes on beyond the picture. A row unfolds to the numbers, the rule and the reason.</p>",
        dots::axis(),
        dots::key_of_the_paper(),
        dots::key_of_ours()
    );
}

/// Renders a claim: its picture, its verdict and one sentence; the rest is shown when expanded.
pub(super) fn row(out: &mut String, chapter: &StudyReport, finding: &Finding, place: Place) {
    let (claim, kind) = (&finding.claim, Kind::of(finding));
    let (ours, why) = finding.account();
    let own: Vec<_> = chapter.contrasts_of(&claim.id).collect();
    let anchor = anchor(&claim.id);
    put!(
        out,
        "<details class=\"claim {}\" id=\"{anchor}\"><summary><span class=\"id\">{}</span>\
         <span class=\"said\">{}</span><span class=\"picture\">{}</span><span class=\"verdicts\">\
         <span class=\"badge {}\">{}</span>{}</span><span class=\"why\">{}</span></summary>",
        kind.class(),
        escaped(&claim.id),
        escaped(&claim.statement),
        dots::picture(&own),
        kind.class(),
        kind.word(),
        standing::badge(finding),
        escaped(first_sentence(&why)),
    );
    out.push_str("<div class=\"more\"><dl>");
    term(out, "Paper", &claim.paper);
    term(out, "Ours", ours);
    term(out, "Why", &why);
    term(out, "Rule", &claim.rule);
    if let Some((conclusion, ours, why)) = finding.conclusion() {
        let told = match ours {
            "" => format!("{conclusion}. {why}"),
            _ => format!("{conclusion}. {ours}. {why}"),
        };
        term(out, "Today", &told);
    }
    out.push_str("</dl>");
    contrasts(out, &own);
    if place == Place::Index {
        put!(
            out,
            "<p><a href=\"{}{}.html#{anchor}\">Set-up, figures and data</a></p>",
            place.pages(),
            escaped(&chapter.name)
        );
    }
    out.push_str("</div></details>\n");
}

/// The anchor of a claim's row.
pub(super) fn anchor(id: &str) -> String {
    let plain = |char: char| if char.is_alphanumeric() { char } else { '-' };
    format!("claim-{}", id.chars().map(plain).collect::<String>())
}

fn term(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        put!(out, "<dt>{name}</dt><dd>{}</dd>", escaped(text));
    }
}

/// Renders the numbers behind the picture.
fn contrasts(out: &mut String, own: &[&crate::Contrast]) {
    if own.is_empty() {
        return;
    }
    out.push_str(
        "<div class=\"scroll\"><table><caption class=\"unseen\">The numbers of the picture\
         </caption><thead><tr><th scope=\"col\">quantity<th scope=\"col\">at<th scope=\"col\">paper\
         <th scope=\"col\">ours<th scope=\"col\">where in the paper</tr></thead><tbody>",
    );
    for one in own {
        put!(
            out,
            "<tr><td>{}<td>{}<td>{}<td class=\"number\">{}<td>{}</tr>",
            escaped(&one.quantity),
            escaped(&one.at),
            dots::told(one.paper),
            dots::ours_told(one),
            escaped(&one.source)
        );
    }
    out.push_str("</tbody></table></div>");
}

/// The first sentence of a text; the whole text if no sentence ends after 25 bytes or more.
fn first_sentence(text: &str) -> &str {
    let mut ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let end = ends.find(|at| *at >= 25).unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{anchor, first_sentence};

    #[test]
    fn a_sentence_does_not_end_at_a_number_or_a_short_word() {
        let text = "Cf. RTO.Min, 0.2 s, of the text. And more.";
        assert_eq!(first_sentence(text), "Cf. RTO.Min, 0.2 s, of the text.");
        assert_eq!(first_sentence("Short."), "Short.");
    }

    #[test]
    fn an_anchor_has_no_spaces() {
        assert_eq!(anchor("ST-1 live"), "claim-ST-1-live");
    }
}
