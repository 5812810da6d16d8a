//! Figures and tables.

use core::fmt::Write;

use super::{FOLDER, Page, Place, command, percent_encoded, put};
use crate::chart::value;
use crate::escape::escaped;
use crate::palette::Palette;
use crate::report::StudyReport;
use crate::{Chart, Exhibit, Table};

/// A non-empty exhibit with its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbered<'a> {
    pub(crate) exhibit: &'a Exhibit,
    /// The number among exhibits of the same kind; 0 for a note.
    number: usize,
}

impl Numbered<'_> {
    /// The anchor within the chapter's page.
    pub(crate) fn anchor(&self) -> String {
        match self.exhibit {
            Exhibit::Table(_) => format!("table-{}", self.number),
            _ => format!("figure-{}", self.number),
        }
    }

    /// The label in the report, which includes the chapter's number.
    pub(crate) fn label(&self, chapter: usize) -> String {
        match self.exhibit {
            Exhibit::Table(_) => format!("Table {chapter}.{}", self.number),
            _ => format!("Figure {chapter}.{}", self.number),
        }
    }
}

/// The non-empty exhibits of a chapter, numbered.
pub(crate) fn numbered(chapter: &StudyReport) -> Vec<Numbered<'_>> {
    let (mut figures, mut tables) = (0, 0);
    let mut shown = Vec::new();
    for exhibit in &chapter.exhibits {
        let number = match exhibit {
            Exhibit::Chart(chart) if chart.curves.is_empty() => continue,
            Exhibit::Table(table) if table.rows.is_empty() => continue,
            Exhibit::Chart(_) => {
                figures += 1;
                figures
            }
            Exhibit::Table(_) => {
                tables += 1;
                tables
            }
            Exhibit::Note(_) => 0,
        };
        shown.push(Numbered { exhibit, number });
    }
    shown
}

/// The palette of a chapter's figures.
pub(super) fn palette(chapter: &StudyReport) -> Palette {
    let charts = chapter.exhibits.iter().filter_map(|exhibit| match exhibit {
        Exhibit::Chart(chart) => Some(chart),
        _ => None,
    });
    Palette::of(charts)
}

/// The figures of a chapter as SVG files.
pub(super) fn files(chapter: &StudyReport) -> Vec<Page> {
    let palette = palette(chapter);
    let shown = numbered(chapter).into_iter();
    let files = shown.filter_map(|one| match one.exhibit {
        Exhibit::Chart(chart) => Some(Page {
            path: format!("{FOLDER}/{}", file(chapter, one)),
            text: chart.standalone(&palette),
        }),
        _ => None,
    });
    files.collect()
}

/// Path of a figure's file, relative to the folder of pages.
fn file(chapter: &StudyReport, one: Numbered<'_>) -> String {
    format!("figures/{}-{}.svg", chapter.name, one.number)
}

/// Renders a chart with its legend above, and its data, file and command below.
pub(super) fn figure(
    out: &mut String,
    (chapter, at): (&StudyReport, usize),
    (one, chart): (Numbered<'_>, &Chart),
    (palette, place): (&Palette, Place),
) {
    let (anchor, name) = (one.anchor(), one.label(at));
    let data = format!("{}-{anchor}.csv", chapter.name);
    put!(
        out,
        "<figure id=\"{anchor}\"><figcaption><a class=\"anchor\" href=\"#{anchor}\">{name}</a> \
         {}</figcaption>{}<div class=\"scroll\">{}</div><p class=\"below\">\
         <a download href=\"{}{}\">SVG</a> · <a download=\"{}\" \
         href=\"data:text/csv;charset=utf-8,{}\">CSV</a></p>",
        escaped(&chart.title),
        chart.legend(palette),
        chart.svg(palette),
        place.pages(),
        escaped(&file(chapter, one)),
        escaped(&data),
        percent_encoded(&chart.csv())
    );
    if chart.is_sparse() {
        out.push_str("<details><summary>As a table</summary>");
        grid(out, &table(chart));
        out.push_str("</details>");
    }
    command(out, "Run it again", &chapter.command_for(&chart.runs));
    out.push_str("</figure>");
}

/// The values of a chart as a table: a row per x value, a column per curve.
pub(crate) fn table(chart: &Chart) -> Table {
    let curves = || chart.curves.iter().chain(&chart.paper);
    let mut head = vec![chart.x.as_str()];
    head.extend(curves().map(|curve| curve.name.as_str()));
    let mut table = Table::new(&chart.y, &head);
    for place in chart.places() {
        let cells = curves().map(|curve| {
            let mut points = curve.points.iter();
            let point = points.find(|point| point.x.total_cmp(&place).is_eq());
            point.map_or_else(String::new, value)
        });
        table.push(core::iter::once(chart.place(place)).chain(cells));
    }
    table
}

/// Longer tables are collapsed.
const ROWS: usize = 24;

/// Renders a numbered table with its command; a long table is collapsed.
pub(super) fn foldable(
    out: &mut String,
    (chapter, at): (&StudyReport, usize),
    (one, table): (Numbered<'_>, &Table),
) {
    let (anchor, name) = (one.anchor(), one.label(at));
    put!(
        out,
        "<div class=\"tabled\" id=\"{anchor}\"><p class=\"caption\"><a class=\"anchor\" \
         href=\"#{anchor}\">{name}</a> {}</p>",
        escaped(&table.title)
    );
    let long = table.rows.len() > ROWS;
    if long {
        put!(out, "<details><summary>{} rows</summary>", table.rows.len());
    }
    grid(out, table);
    if long {
        out.push_str("</details>");
    }
    command(out, "Run it again", &chapter.command_for(&table.runs));
    out.push_str("</div>");
}

pub(super) fn grid(out: &mut String, table: &Table) {
    put!(
        out,
        "<div class=\"scroll\"><table class=\"grid\"><caption class=\"unseen\">{}</caption><thead><tr>",
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
            let colour = match table.ratios_from {
                Some(from) if column >= from => heat(cell),
                _ => String::new(),
            };
            if column == 0 {
                put!(out, "<th scope=\"row\"{class}>{text}");
            } else {
                put!(out, "<td{class}{colour}>{text}");
            }
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
}

/// The background colour of a ratio: good above 1 and bad below, at full strength from 2 and 0.5.
fn heat(cell: &str) -> String {
    let Ok(ratio) = cell.parse::<f64>() else {
        return String::new();
    };
    let doublings = ratio.log2().clamp(-1.0, 1.0);
    let colour = if doublings < 0.0 { "bad" } else { "good" };
    let percent = (doublings.abs() * 70.0).round();
    format!(" style=\"background:color-mix(in srgb,var(--{colour}) {percent}%,transparent)\"")
}

/// The class that aligns numbers to the right.
fn kind(cell: &str) -> &'static str {
    let number = cell.split(['±', ' ', '%']).next().unwrap_or_default();
    if number.parse::<f64>().is_ok() || cell == "–" {
        " class=\"number\""
    } else {
        ""
    }
}
