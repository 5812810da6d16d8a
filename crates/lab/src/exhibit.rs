pub(crate) mod stated;

use crate::{Chart, Table};

/// An item of a study in a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Exhibit {
    /// A figure.
    Chart(Chart),
    /// A table.
    Table(Table),
    /// A remark that explains a result.
    Note(String),
}
