//! Tables and curves made from the cells of a summary.

use crate::{Cell, Curve, Point, Table};

/// Content of a table column, taken from each cell.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// The setting with this name.
    Setting(&'static str),
    /// The estimate of the metric with this name.
    Estimate(&'static str),
}

impl Column {
    fn shown(self, cell: &Cell) -> String {
        match self {
            Self::Setting(name) => {
                let value = cell.settings.value(name);
                value.map_or_else(String::new, ToString::to_string)
            }
            Self::Estimate(metric) => cell.shown(metric),
        }
    }
}

/// Makes a table with one row per cell.
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
