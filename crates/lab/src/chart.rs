mod axis;

use core::fmt::Write;

use axis::Axis;
pub use axis::Scale;

use crate::Estimate;
use crate::estimate::shown;
use crate::html::escaped;

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where it stands.
    pub x: f64,
    /// What was found there.
    pub y: f64,
    /// Half of its confidence interval; 0 for none.
    pub half_width: f64,
}

impl Point {
    /// An estimate at `x`.
    #[must_use]
    pub const fn estimate(x: f64, estimate: Estimate) -> Self {
        Self {
            x,
            y: estimate.mean,
            half_width: estimate.half_width,
        }
    }
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Their name in the legend.
    pub name: String,
    /// In the order of x.
    pub points: Vec<Point>,
}

impl Curve {
    /// A quantity over time, thinned out to what can be seen.
    #[must_use]
    pub fn of_series(name: &str, points: &[(f64, f64)]) -> Self {
        let stride = points.len().div_ceil(600).max(1);
        let points = points.iter().step_by(stride).map(|&(x, y)| Point {
            x,
            y,
            half_width: 0.0,
        });
        Self {
            name: name.to_owned(),
            points: points.collect(),
        }
    }
}

/// A figure: curves over a common x.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// Quantity and unit of x.
    pub x: String,
    /// Quantity and unit of y.
    pub y: String,
    /// How x is scaled.
    pub x_scale: Scale,
    /// How y is scaled.
    pub y_scale: Scale,
    /// The curves.
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 48.0;
/// Curves with more points than this have no marks.
const MARKED: usize = 60;

impl Chart {
    /// A chart without curves, with linear scales.
    #[must_use]
    pub fn new(title: &str, x: &str, y: &str) -> Self {
        Self {
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            curves: Vec::new(),
        }
    }

    /// The same with logarithmic y.
    #[must_use]
    pub const fn with_log_y(mut self) -> Self {
        self.y_scale = Scale::Logarithmic;
        self
    }

    /// The same with logarithmic x.
    #[must_use]
    pub const fn with_log_x(mut self) -> Self {
        self.x_scale = Scale::Logarithmic;
        self
    }

    /// One more curve, unless it has no points.
    pub fn push(&mut self, curve: Curve) {
        if !curve.points.is_empty() {
            self.curves.push(curve);
        }
    }

    /// It as SVG, with a legend and a word on each point.
    pub(crate) fn svg(&self) -> String {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let x = Axis::new(self.x_scale, points().map(|point| point.x));
        let ends = |point: &Point| [point.y - point.half_width, point.y + point.half_width];
        let y = Axis::new(self.y_scale, points().flat_map(ends));
        let mut out = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{}\">",
            escaped(&self.title)
        );
        self.frame(&mut out, &x, &y);
        for (number, curve) in self.curves.iter().enumerate() {
            draw(&mut out, number, curve, &x, &y);
        }
        out + "</svg>"
    }

    /// The names of the curves, as HTML.
    pub(crate) fn legend(&self) -> String {
        let mut out = String::from("<p class=\"legend\">");
        for (number, curve) in self.curves.iter().enumerate() {
            let name = escaped(&curve.name);
            let _ = write!(
                out,
                "<span><svg viewBox=\"0 0 26 10\" class=\"c{}\"><path d=\"M0 5H26\"/></svg>\
                 {name}</span> ",
                number % 8
            );
        }
        out + "</p>"
    }

    fn frame(&self, out: &mut String, x: &Axis, y: &Axis) {
        let floor = HEIGHT - BOTTOM;
        let end = WIDTH - RIGHT;
        for tick in y.ticks() {
            let at = height(y, tick);
            let (label, base) = (shown(tick), at + 4.0);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{end}\"/>\
                 <text class=\"ytick\" x=\"{:.1}\" y=\"{base:.1}\">{label}</text>",
                LEFT - 6.0
            );
        }
        for tick in x.ticks() {
            let at = across(x, tick);
            let label = shown(tick);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{at:.1} {TOP}V{floor}\"/>\
                 <text class=\"xtick\" x=\"{at:.1}\" y=\"{:.1}\">{label}</text>",
                floor + 16.0
            );
        }
        let (middle, down) = (f64::midpoint(LEFT, end), f64::midpoint(TOP, floor));
        let _ = write!(
            out,
            "<path class=\"frame\" d=\"M{LEFT} {TOP}V{floor}H{end}\"/>\
             <text class=\"xname\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>\
             <text class=\"yname\" transform=\"translate(14 {down:.1}) rotate(-90)\">{}</text>",
            HEIGHT - 10.0,
            escaped(&self.x),
            escaped(&self.y)
        );
    }
}

fn across(axis: &Axis, x: f64) -> f64 {
    LEFT + axis.share(x) * (WIDTH - LEFT - RIGHT)
}

fn height(axis: &Axis, y: f64) -> f64 {
    HEIGHT - BOTTOM - axis.share(y) * (HEIGHT - TOP - BOTTOM)
}

fn draw(out: &mut String, number: usize, curve: &Curve, x: &Axis, y: &Axis) {
    let _ = write!(out, "<g class=\"c{}\"><path d=\"", number % 8);
    for (place, point) in curve.points.iter().enumerate() {
        let verb = if place == 0 { 'M' } else { 'L' };
        let (at, up) = (across(x, point.x), height(y, point.y));
        let _ = write!(out, "{verb}{at:.1} {up:.1}");
    }
    out.push_str("\"/>");
    if curve.points.len() <= MARKED {
        for point in &curve.points {
            mark(out, &curve.name, *point, x, y);
        }
    }
    out.push_str("</g>");
}

fn mark(out: &mut String, name: &str, point: Point, x: &Axis, y: &Axis) {
    let (at, up) = (across(x, point.x), height(y, point.y));
    if point.half_width > 0.0 {
        let low = height(y, point.y - point.half_width);
        let high = height(y, point.y + point.half_width);
        let (left, right) = (at - 4.0, at + 4.0);
        let _ = write!(
            out,
            "<path class=\"whisker\" d=\"M{at:.1} {low:.1}V{high:.1}M{left:.1} {low:.1}H{right:.1}\
             M{left:.1} {high:.1}H{right:.1}\"/>"
        );
    }
    let interval = if point.half_width > 0.0 {
        format!(" ± {}", shown(point.half_width))
    } else {
        String::new()
    };
    let (place, value, name) = (shown(point.x), shown(point.y), escaped(name));
    let _ = write!(
        out,
        "<circle cx=\"{at:.1}\" cy=\"{up:.1}\" r=\"3.6\"><title>{name}\n{place}: \
         {value}{interval}</title></circle>"
    );
}

#[cfg(test)]
mod tests;
