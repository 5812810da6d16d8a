//! Tables whose rows are cells of a summary, and curves whose points are.

use crate::estimate::shown;
use crate::{Cell, Curve, Point, Table};

/// The content of a column in the rows of a summary's cells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// The setting of that name.
    Setting(&'static str),
    /// The estimate of that metric.
    Estimate(&'static str),
    /// The estimate of that metric, or that word where no run has it.
    EstimateOr(&'static str, &'static str),
    /// The mean of that metric.
    Mean(&'static str),
}

impl Column {
    fn shown(self, cell: &Cell) -> String {
        match self {
            Self::Setting(name) => {
                let value = cell.settings.value(name);
                value.map_or_else(String::new, ToString::to_string)
            }
            Self::Estimate(metric) => cell.shown(metric),
            Self::EstimateOr(metric, word) if cell.estimate(metric).is_none() => word.to_owned(),
            Self::EstimateOr(metric, _) => cell.shown(metric),
            Self::Mean(metric) => cell.mean(metric).map_or_else(|| "-".to_owned(), shown),
        }
    }
}

/// A table with a row for each of those cells of a summary.
pub(crate) fn table<'a>(
    title: &str,
    columns: &[(&str, Column)],
    cells: impl IntoIterator<Item = &'a Cell>,
) -> Table {
    let head = columns.iter().map(|(head, _)| (*head).to_owned());
    let mut table = Table::with_head(title, head.collect());
    for cell in cells {
        table.push(columns.iter().map(|(_, column)| column.shown(cell)));
    }
    table
}

/// A curve of a metric over the setting `x`, with a point for each of those cells that has both.
pub(crate) fn curve<'a>(
    name: &str,
    (x, metric): (&str, &str),
    cells: impl IntoIterator<Item = &'a Cell>,
) -> Curve {
    let points = cells.into_iter().filter_map(|cell| {
        let estimate = cell.estimate(metric)?;
        Some(Point::estimate(cell.settings.number(x), estimate))
    });
    let mut points: Vec<Point> = points.collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    Curve::new(name, points)
}
