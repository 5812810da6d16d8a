//! A chart as a file of its own, for papers and slides.

use core::fmt::Write;

use super::Chart;
use super::plot::{self, HEIGHT, WIDTH};
use crate::html::escaped;
use crate::palette::Palette;

/// Colours for a white ground: those of the report's light theme.
const STYLE: &str = include_str!("standalone.css");
/// Height of the title, and of a row of the legend.
const TITLE: f64 = 26.0;
const ROW: f64 = 18.0;
/// Letters of a name above which a row of the legend holds one name.
const LONG: usize = 40;

/// The chart with its title above it and the names of its curves below it.
pub(super) fn svg(chart: &Chart, palette: &Palette) -> String {
    let keys = chart.keys(palette);
    let long = keys.iter().any(|(name, ..)| name.chars().count() > LONG);
    let columns = if long { 1 } else { 2 };
    let below = ROW * keys.len().div_ceil(columns) as f64;
    let height = TITLE + HEIGHT + below + 8.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\"><title>{title}</title><desc>{}</desc>\
         <style>{STYLE}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <text class=\"title\" x=\"{}\" y=\"18\">{title}</text>\
         <g transform=\"translate(0 {TITLE})\">{}</g>",
        escaped(&chart.description()),
        WIDTH / 2.0,
        without_data(&plot::drawn(chart, palette)),
        title = escaped(&chart.title),
    );
    for (number, (name, class, mark)) in keys.into_iter().enumerate() {
        let (column, row) = (number % columns, number / columns);
        let left = 40.0 + column as f64 * (WIDTH - 60.0) / columns as f64;
        let top = TITLE + HEIGHT + ROW * row as f64;
        // Writing to a `String` cannot fail.
        let _ = write!(
            out,
            "<g class=\"{class}\" transform=\"translate({left:.1} {top:.1})\">\
             <path class=\"line\" d=\"M0 6H26\"/>{mark}\
             <text class=\"key\" x=\"34\" y=\"10\">{name}</text></g>"
        );
    }
    out + "</svg>\n"
}

/// The drawing without what only the page's script reads.
fn without_data(drawn: &str) -> String {
    let mut parts = drawn.split(" data-points=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('"').map_or("", |(_, rest)| rest)
    })
}
