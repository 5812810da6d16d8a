//! Figures and tables.

use core::fmt::Write;

use super::{escaped, percent_encoded, put};
use crate::chart::{label, value};
use crate::{Chart, Table};

/// A chart with its legend above it, and its data below it; `file` is what these are called.
pub(super) fn figure(out: &mut String, chart: &Chart, file: &str) {
    put!(
        out,
        "<figure><figcaption>{}</figcaption>{}<div class=\"scroll\">{}</div>\
         <p class=\"below\"><a download=\"{file}.csv\" href=\"data:text/csv;charset=utf-8,{}\">\
         CSV</a></p>",
        escaped(&chart.title),
        chart.legend(),
        chart.svg(),
        percent_encoded(&chart.csv())
    );
    if chart.is_sparse() {
        out.push_str("<details><summary>As a table</summary>");
        grid(out, &table(chart));
        out.push_str("</details>");
    }
    out.push_str("</figure>");
}

/// A row for each place on the x axis, a column for each curve.
pub(crate) fn table(chart: &Chart) -> Table {
    let mut head = vec![chart.x.as_str()];
    head.extend(chart.curves.iter().map(|curve| curve.name.as_str()));
    let mut table = Table::new(&chart.y, &head);
    for place in chart.places() {
        let cells = chart.curves.iter().map(|curve| {
            let mut points = curve.points.iter();
            let point = points.find(|point| point.x.total_cmp(&place).is_eq());
            point.map_or_else(String::new, value)
        });
        table.push(core::iter::once(label(place)).chain(cells));
    }
    table
}

/// Longer tables than this are folded up.
const ROWS: usize = 24;

/// A table, folded up if it is long.
pub(super) fn foldable(out: &mut String, table: &Table) {
    if table.rows.len() <= ROWS {
        return grid(out, table);
    }
    put!(
        out,
        "<details><summary>{} ({} rows)</summary>",
        escaped(&table.title),
        table.rows.len()
    );
    grid(out, table);
    out.push_str("</details>");
}

pub(super) fn grid(out: &mut String, table: &Table) {
    put!(
        out,
        "<div class=\"scroll\"><table class=\"grid\"><caption>{}</caption><thead><tr>",
        escaped(&table.title)
    );
    for head in &table.head {
        put!(out, "<th scope=\"col\">{}", escaped(head));
    }
    out.push_str("</tr></thead><tbody>");
    for row in &table.rows {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let (text, class) = (escaped(cell), kind(cell));
            if column == 0 {
                put!(out, "<th scope=\"row\"{class}>{text}");
            } else {
                put!(out, "<td{class}>{text}");
            }
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}

/// Numbers stand to the right, below each other.
fn kind(cell: &str) -> &'static str {
    let number = cell.split(['±', ' ', '%']).next().unwrap_or_default();
    if number.parse::<f64>().is_ok() || cell == "–" {
        " class=\"number\""
    } else {
        ""
    }
}
