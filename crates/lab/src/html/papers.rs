//! The page of the papers' figures.

use core::fmt::Write;

use super::figure::{Numbered, numbered};
use super::{INDEX, Place, put};
use crate::Exhibit;
use crate::escape::escaped;
use crate::papers::{Counterpart, PaperFigure, TITLE, papers};
use crate::report::Report;

/// File name of the page.
pub(super) const FILE: &str = "papers-figures.html";

pub(super) fn body(out: &mut String, report: &Report) {
    put!(
        out,
        "<nav class=\"ways\" aria-label=\"Pages\"><a href=\"{}{INDEX}\">All claims</a></nav>\
         <h1>{TITLE}</h1><p class=\"about\">Each figure and table of the five papers, and what \
         answers it here. The curves of the papers are pictures that were not digitised: no value \
         is read off them. Where a figure of ours has values of a paper (hollow diamonds), the \
         paper prints them.</p>",
        Place::Below.up()
    );
    // A test ensures that the list can be parsed.
    for paper in papers().unwrap_or_default() {
        put!(
            out,
            "<section><h2>{}: {}</h2><div class=\"scroll\"><table class=\"papers-figures\"><caption \
             class=\"unseen\">Figures and tables of the paper</caption><thead><tr>\
             <th scope=\"col\">paper<th scope=\"col\">shows<th scope=\"col\">ours\
             <th scope=\"col\">remark</tr></thead><tbody>",
            escaped(&paper.name),
            escaped(&paper.title)
        );
        for figure in &paper.figure {
            row(out, report, figure);
        }
        out.push_str("</tbody></table></div></section>");
    }
}

fn row(out: &mut String, report: &Report, figure: &PaperFigure) {
    put!(
        out,
        "<tr><th scope=\"row\">{}<td>{}<td>",
        escaped(&figure.label),
        escaped(&figure.shows)
    );
    for (place, ours) in figure.ours.iter().enumerate() {
        if place > 0 {
            out.push_str("<br>");
        }
        counterpart(out, report, ours);
    }
    if figure.ours.is_empty() {
        out.push('–');
    }
    let remark = figure.why.as_ref().or(figure.note.as_ref());
    put!(
        out,
        "<td>{}</tr>",
        escaped(remark.map_or("", String::as_str))
    );
}

/// Renders a link to the exhibit, or the command that produces it.
fn counterpart(out: &mut String, report: &Report, ours: &Counterpart) {
    let Some((number, chapter)) = ours.chapter(report) else {
        return;
    };
    let is_it = |one: &&Numbered<'_>| match one.exhibit {
        Exhibit::Chart(chart) => chart.title.starts_with(&ours.title),
        Exhibit::Table(table) => table.title.starts_with(&ours.title),
        Exhibit::Note(_) => false,
    };
    let name = escaped(&chapter.name);
    match numbered(chapter).iter().find(is_it) {
        Some(one) => put!(
            out,
            "<a href=\"{name}.html#{}\">{}</a>",
            one.anchor(),
            one.label(number)
        ),
        None => put!(
            out,
            "{}: not run (<code>sheave lab run {name} --full</code>)",
            escaped(&ours.title)
        ),
    }
}
