mod axis;
mod plot;
mod standalone;

use core::fmt::Write;

pub use axis::Scale;
pub(crate) use plot::{label, value};

use serde::Deserialize;

use crate::Estimate;
use crate::escape::escaped;
use crate::palette::{Look, Palette};

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Position on the x axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Half the width of the value's confidence interval; 0 if the value has no interval.
    pub half_width: f64,
}

impl Point {
    /// Creates a point without a confidence interval.
    #[must_use]
    pub const fn exact(x: f64, y: f64) -> Self {
        Self {
            x,
            y,
            half_width: 0.0,
        }
    }

    /// Creates a point for an estimate at `x`.
    #[must_use]
    pub const fn estimate(x: f64, estimate: Estimate) -> Self {
        Self {
            x,
            y: estimate.mean,
            half_width: estimate.drawn_half_width(),
        }
    }
}

/// A named sequence of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name in the legend.
    pub name: String,
    /// The points, by ascending x.
    pub points: Vec<Point>,
}

impl Curve {
    /// Creates a curve.
    #[must_use]
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> Self {
        Self {
            name: name.into(),
            points: points.into_iter().collect(),
        }
    }

    /// Creates a curve of a time series, thinned to at most 600 points.
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

/// Style of the lines between a curve's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lines {
    /// Straight lines between neighbouring points.
    Drawn,
    /// No lines, only marks.
    None,
}

/// A figure: curves over a common x.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// The title.
    pub title: String,
    /// Quantity and unit of x.
    pub x: String,
    /// Quantity and unit of y.
    pub y: String,
    /// The scale of the x axis.
    pub x_scale: Scale,
    /// The scale of the y axis.
    pub y_scale: Scale,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Values printed in a paper.
    pub paper: Vec<Curve>,
    /// Whether the points of a curve are connected.
    pub lines: Lines,
    /// Names for x = 1, 2, ... on a categorical x axis; empty for a numeric axis.
    pub categories: Vec<String>,
    /// Words that select the runs shown, as for `--only`.
    pub runs: Vec<String>,
}

/// Most points in a curve with marks.
const MARKED: usize = 60;

impl Chart {
    /// Creates a chart with linear scales and without curves.
    #[must_use]
    pub fn new(title: &str, x: &str, y: &str) -> Self {
        Self {
            title: title.to_owned(),
            x: x.to_owned(),
            y: y.to_owned(),
            x_scale: Scale::Linear,
            y_scale: Scale::Linear,
            curves: Vec::new(),
            paper: Vec::new(),
            lines: Lines::Drawn,
            categories: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Shows marks only, without lines.
    #[must_use]
    pub const fn without_lines(mut self) -> Self {
        self.lines = Lines::None;
        self
    }

    /// Makes the x axis categorical: names for x = 1, 2, ..., without lines between points.
    #[must_use]
    pub fn with_categories(mut self, names: &[&str]) -> Self {
        self.categories = names.iter().map(|name| (*name).to_owned()).collect();
        self.without_lines()
    }

    /// The label of a position on the x axis.
    pub(crate) fn place(&self, x: f64) -> String {
        let named = self.categories.iter().zip(1_u32..);
        let mut named = named.filter(|(_, place)| f64::from(*place) == x);
        named
            .next()
            .map_or_else(|| label(x), |(name, _)| name.clone())
    }

    /// Sets the experiment and the words that select exactly the runs shown.
    #[must_use]
    pub fn with_runs(mut self, experiment: &str, words: &[&str]) -> Self {
        self.runs = vec![format!("{experiment} (")];
        self.runs
            .extend(words.iter().map(|word| (*word).to_owned()));
        self
    }

    /// Adds a curve, unless it has no points.
    pub fn push(&mut self, curve: Curve) {
        if !curve.points.is_empty() {
            self.curves.push(curve);
        }
    }

    /// Whether the curves have few enough points for marks and a table.
    pub(crate) fn is_sparse(&self) -> bool {
        self.curves.iter().all(|curve| curve.points.len() <= MARKED)
    }

    /// Whether each point has a mark.
    pub(crate) fn is_marked(&self) -> bool {
        self.is_sparse() || self.lines == Lines::None
    }

    /// A sentence that describes the chart, for screen readers.
    pub(crate) fn description(&self) -> String {
        let names: Vec<&str> = self
            .curves
            .iter()
            .map(|curve| curve.name.as_str())
            .collect();
        let log = |scale| match scale {
            Scale::Linear => "",
            Scale::Logarithmic => ", logarithmic",
        };
        format!(
            "{}{} over {}{}, curves: {}",
            self.y,
            log(self.y_scale),
            self.x,
            log(self.x_scale),
            names.join("; ")
        )
    }

    /// The chart as SVG, with a tooltip on each point.
    pub(crate) fn svg(&self, palette: &Palette) -> String {
        plot::svg(self, palette)
    }

    /// The chart as a standalone SVG file with title and legend.
    pub(crate) fn standalone(&self, palette: &Palette) -> String {
        standalone::svg(self, palette)
    }

    /// The legend, as HTML.
    pub(crate) fn legend(&self, palette: &Palette) -> String {
        let mut out = String::from("<p class=\"legend\">");
        for (name, class, marker) in self.keys(palette) {
            // Writing to a `String` cannot fail.
            let _ = write!(
                out,
                "<span><svg viewBox=\"0 0 26 12\" class=\"{class}\" aria-hidden=\"true\">\
                 <path class=\"line\" d=\"M0 6H26\"/>{marker}</svg>{name}</span> "
            );
        }
        out + "</p>"
    }

    /// Name, class and mark of each curve, followed by those of the papers.
    fn keys(&self, palette: &Palette) -> Vec<(String, String, String)> {
        let looks: Vec<Look> = palette.looks(self);
        let own = self.curves.iter().zip(looks).map(|(curve, look)| {
            let mark = match self.is_marked() {
                true => plot::marker(look.mark, 13.0, 6.0),
                false => String::new(),
            };
            (escaped(&curve.name), look.class(), mark)
        });
        let papers = self.paper.iter().enumerate().map(|(number, curve)| {
            let mark = plot::papers_marker(13.0, 6.0);
            (escaped(&curve.name), plot::papers_class(number), mark)
        });
        own.chain(papers).collect()
    }

    /// The points as CSV.
    pub(crate) fn csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut out = format!(
            "curve,{},{},ci95_half\r\n",
            quoted(&self.x),
            quoted(&self.y)
        );
        for curve in self.curves.iter().chain(&self.paper) {
            let name = quoted(&curve.name);
            for Point { x, y, half_width } in &curve.points {
                let _ = write!(out, "{name},{x},{y},{half_width}\r\n");
            }
        }
        out
    }

    /// The distinct x values, ascending.
    pub(crate) fn places(&self) -> Vec<f64> {
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        let mut places: Vec<f64> = points.map(|point| point.x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        places
    }
}

#[cfg(test)]
mod tests;
