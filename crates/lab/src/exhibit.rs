use crate::{Chart, Table};

/// Something that a report shows of a study.
#[derive(Clone, Debug, PartialEq)]
pub enum Exhibit {
    /// A figure.
    Chart(Chart),
    /// A table.
    Table(Table),
    /// A remark: why a result is as it is.
    Note(String),
}
