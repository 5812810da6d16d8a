//! A chart as a standalone SVG file, for papers and slides.

use core::fmt::Write;

use super::Chart;
use super::plot::{self, HEIGHT, WIDTH};
use crate::escape::escaped;
use crate::palette::Palette;

/// Colours for a white background: those of the report's light theme.
const STYLE: &str = include_str!("standalone.css");
/// Height of a title line and of a legend row, SVG units.
const LINE: f64 = 19.0;
const ROW: f64 = 18.0;
/// Most letters per title line.
const WIDE: usize = 68;
/// If a name is longer than this, each legend row holds one name.
const LONG: usize = 40;

/// Draws the chart with its title above and its legend below.
pub(super) fn svg(chart: &Chart, palette: &Palette) -> String {
    let keys = chart.keys(palette);
    let long = keys.iter().any(|(name, ..)| name.chars().count() > LONG);
    let columns = if long { 1 } else { 2 };
    let below = ROW * keys.len().div_ceil(columns) as f64;
    let title = lines(&chart.title);
    let above = LINE * title.len() as f64 + 7.0;
    let height = above + HEIGHT + below + 8.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\"><title>{}</title><desc>{}</desc>\
         <style>{STYLE}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\
         <g transform=\"translate(0 {above})\">{}</g>",
        escaped(&chart.title),
        escaped(&chart.description()),
        without_data(&plot::drawn(chart, palette)),
    );
    for (number, line) in title.iter().enumerate() {
        // Writing to a `String` cannot fail.
        let _ = write!(
            out,
            "<text class=\"title\" x=\"{}\" y=\"{}\">{}</text>",
            WIDTH / 2.0,
            LINE * number as f64 + 18.0,
            escaped(line)
        );
    }
    for (number, (name, class, mark)) in keys.into_iter().enumerate() {
        let (column, row) = (number % columns, number / columns);
        let left = 40.0 + column as f64 * (WIDTH - 60.0) / columns as f64;
        let top = above + HEIGHT + ROW * row as f64;
        let _ = write!(
            out,
            "<g class=\"{class}\" transform=\"translate({left:.1} {top:.1})\">\
             <path class=\"line\" d=\"M0 6H26\"/>{mark}\
             <text class=\"key\" x=\"34\" y=\"10\">{name}</text></g>"
        );
    }
    out + "</svg>\n"
}

/// Splits a title into lines.
fn lines(title: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in title.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Removes the attributes that only the page's script reads.
fn without_data(drawn: &str) -> String {
    let mut parts = drawn.split(" data-points=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('"').map_or("", |(_, rest)| rest)
    })
}
