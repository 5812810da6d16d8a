//! A chart as SVG.

use core::fmt::Write;

use super::axis::{Axis, Base};
use super::{Chart, Curve, Lines, Point};
use crate::escape::{escaped, put};
use crate::estimate::shown;
use crate::palette::{Look, Palette};

pub(super) const WIDTH: f64 = 600.0;
pub(super) const HEIGHT: f64 = 350.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;

pub(super) fn svg(chart: &Chart, palette: &Palette) -> String {
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\
         <desc>{}</desc>{}</svg>",
        escaped(&chart.title),
        escaped(&chart.description()),
        drawn(chart, palette)
    )
}

/// Draws the contents of the chart's box.
pub(super) fn drawn(chart: &Chart, palette: &Palette) -> String {
    let places = points(chart).map(|point| point.x);
    let x = Axis::new(chart.x_scale, Base::Least, places);
    let y = Axis::new(chart.y_scale, Base::Zero, reach(chart).into_iter());
    let mut out = String::new();
    frame(&mut out, chart, &x, &y);
    let plot = Plot { chart, x, y };
    let looks = palette.looks(chart);
    for (number, curve) in chart.paper.iter().enumerate() {
        let class = papers_class(number);
        plot.curve(&mut out, &class, curve, Some(&papers_marker));
    }
    // Whiskers are drawn below all curves, to keep the curves visible.
    for (look, curve) in looks.iter().zip(&chart.curves) {
        plot.whiskers(&mut out, *look, curve);
    }
    for (look, curve) in looks.iter().zip(&chart.curves) {
        let mark = |x: f64, y: f64| marker(look.mark, x, y);
        plot.curve(
            &mut out,
            &look.class(),
            curve,
            chart.is_marked().then_some(&mark),
        );
    }
    out
}

/// The points of all curves, including the papers'.
fn points(chart: &Chart) -> impl Iterator<Item = &Point> {
    let curves = chart.curves.iter().chain(&chart.paper);
    curves.flat_map(|curve| &curve.points)
}

/// The values that the y axis must cover: all points, and their intervals within reason. Intervals
/// from two or three seeds can be many times wider than the values, and the part of an interval
/// below zero is meaningless for non-negative quantities.
fn reach(chart: &Chart) -> Vec<f64> {
    let points = || points(chart);
    let least = points().map(|point| point.y).fold(f64::INFINITY, f64::min);
    let most = points()
        .map(|point| point.y)
        .fold(f64::NEG_INFINITY, f64::max);
    let room = 0.6 * (most - least.min(0.0));
    let lowest = if least >= 0.0 { least } else { least - room };
    let ends = points().flat_map(|point| {
        let (low, high) = (point.y - point.half_width, point.y + point.half_width);
        [low.max(lowest), high.min(most + room)]
    });
    ends.collect()
}

/// CSS classes of a paper's curve, by its number.
pub(super) fn papers_class(number: usize) -> String {
    format!("paper d{}", number % 4)
}

/// The mark of a paper's values.
pub(super) fn papers_marker(x: f64, y: f64) -> String {
    format!(
        "<path class=\"mark\" d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5z\"/>",
        y - 5.0
    )
}

/// The mark of a curve, which distinguishes it without colours.
///
/// The first four marks are filled, the next four hollow.
pub(super) fn marker(number: usize, x: f64, y: f64) -> String {
    let class = match number / 4 % 2 {
        0 => "mark",
        _ => "mark hollow",
    };
    match number % 4 {
        0 => format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\"/>"),
        1 => {
            let (left, top) = (x - 3.3, y - 3.3);
            format!(
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"6.6\" \
                 height=\"6.6\"/>"
            )
        }
        2 => format!(
            "<path class=\"{class}\" d=\"M{x:.1} {:.1}l4.2 7.6h-8.4z\"/>",
            y - 4.8
        ),
        _ => format!(
            "<path class=\"{class}\" d=\"M{x:.1} {:.1}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\"/>",
            y - 4.6
        ),
    }
}

/// The mark on an axis that does not start at 0.
const CUT: &str = "<path class=\"cut\" d=\"M55 292l14 -5M55 298l14 -5\"><title>This axis does not \
                   begin at 0</title></path>";

fn frame(out: &mut String, chart: &Chart, x: &Axis, y: &Axis) {
    let floor = HEIGHT - BOTTOM;
    let end = WIDTH - RIGHT;
    for tick in y.ticks() {
        let at = height(y, tick);
        let (label, base) = (label(tick), at + 4.0);
        put!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{end}\"/>\
             <text class=\"ytick\" x=\"{:.1}\" y=\"{base:.1}\">{label}</text>",
            LEFT - 7.0
        );
    }
    for tick in x.ticks() {
        let (at, label) = (across(x, tick), escaped(&chart.place(tick)));
        put!(
            out,
            "<path class=\"grid\" d=\"M{at:.1} {TOP}V{floor}\"/>\
             <text class=\"xtick\" x=\"{at:.1}\" y=\"{:.1}\">{label}</text>",
            floor + 17.0
        );
    }
    let (middle, down) = (f64::midpoint(LEFT, end), f64::midpoint(TOP, floor));
    put!(
        out,
        "<path class=\"frame\" d=\"M{LEFT} {TOP}V{floor}H{end}\"/>{}\
         <text class=\"name\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>\
         <text class=\"name\" transform=\"translate(13 {down:.1}) rotate(-90)\">{}</text>",
        if y.is_cut() { CUT } else { "" },
        HEIGHT - 9.0,
        escaped(&chart.x),
        escaped(&chart.y)
    );
}

/// Draws a mark at a position.
type Mark<'a> = &'a dyn Fn(f64, f64) -> String;

/// A chart with its axes.
struct Plot<'a> {
    chart: &'a Chart,
    x: Axis,
    y: Axis,
}

impl Plot<'_> {
    fn place(&self, point: &Point) -> (f64, f64) {
        (across(&self.x, point.x), height(&self.y, point.y))
    }

    fn whiskers(&self, out: &mut String, look: Look, curve: &Curve) {
        let unsure = curve.points.iter().filter(|point| point.half_width > 0.0);
        let mut path = String::new();
        for point in unsure {
            let (at, _) = self.place(point);
            let ends = [point.y - point.half_width, point.y + point.half_width];
            let [low, high] = ends.map(|end| height(&self.y, end));
            put!(path, "M{at:.1} {low:.1}V{high:.1}");
            for (end, beyond) in ends.into_iter().zip([-1.0, 1.0]) {
                let up = height(&self.y, end);
                let left = at - 4.0;
                if self.y.holds(end) {
                    put!(path, "M{left:.1} {up:.1}h8");
                } else {
                    // An arrow shows that the interval extends beyond the figure.
                    let back = up + 5.0 * beyond;
                    put!(
                        path,
                        "M{left:.1} {back:.1}L{at:.1} {up:.1}l4 {:.1}",
                        5.0 * beyond
                    );
                }
            }
        }
        if !path.is_empty() {
            let class = look.class();
            put!(
                out,
                "<g class=\"{class}\"><path class=\"whisker\" d=\"{path}\"/></g>"
            );
        }
    }

    /// Draws lines between points, unless the chart has none.
    fn line(&self, out: &mut String, curve: &Curve) {
        if self.chart.lines == Lines::None {
            return;
        }
        for (place, point) in curve.points.iter().enumerate() {
            let verb = if place == 0 { 'M' } else { 'L' };
            let (at, up) = self.place(point);
            put!(out, "{verb}{at:.1} {up:.1}");
        }
    }

    /// Draws a curve and its marks, if any. The attributes contain the values that the page's
    /// script shows under the pointer.
    fn curve(&self, out: &mut String, class: &str, curve: &Curve, mark: Option<Mark<'_>>) {
        let name = escaped(&curve.name);
        let place = |point: &Point| escaped(&self.chart.place(point.x));
        put!(
            out,
            "<g class=\"curve {class}\" data-name=\"{name}\" data-points=\""
        );
        for point in &curve.points {
            let ((at, up), word) = (self.place(point), value(point));
            put!(out, "{at:.1},{up:.1},{},{word};", place(point));
        }
        out.push_str("\"><path class=\"line\" d=\"");
        self.line(out, curve);
        out.push_str("\"/>");
        for (point, mark) in mark
            .iter()
            .flat_map(|mark| curve.points.iter().map(move |point| (point, mark)))
        {
            let (at, up) = self.place(point);
            let (place, word, mark) = (place(point), value(point), mark(at, up));
            put!(out, "<g><title>{name}\n{place}: {word}</title>{mark}</g>");
        }
        out.push_str("</g>");
    }
}

fn across(axis: &Axis, x: f64) -> f64 {
    LEFT + axis.share(x) * (WIDTH - LEFT - RIGHT)
}

fn height(axis: &Axis, y: f64) -> f64 {
    HEIGHT - BOTTOM - axis.share(y) * (HEIGHT - TOP - BOTTOM)
}

/// A value with its confidence interval.
pub(crate) fn value(point: &Point) -> String {
    if point.half_width > 0.0 {
        format!("{} ± {}", shown(point.y), shown(point.half_width))
    } else {
        shown(point.y)
    }
}

/// A rounded number without trailing zeros.
pub(crate) fn label(value: f64) -> String {
    let text = shown(value);
    if let Some((digits, exponent)) = text.split_once('e') {
        return format!("{}e{exponent}", trimmed(digits));
    }
    trimmed(&text).to_owned()
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}
