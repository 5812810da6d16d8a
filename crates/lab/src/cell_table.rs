//! Tables whose rows are cells of a summary.

use crate::estimate::shown;
use crate::{Cell, Table};

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
pub(crate) fn of_cells<'a>(
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
