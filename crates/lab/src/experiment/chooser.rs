use toml::{Table, Value};

use super::{Swept, Wrong};
use crate::{Setting, Settings};

/// Values that swept keys may have, such as `{ transport = ["sctp", "tcp"] }`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Chooser(Vec<(String, Vec<Setting>)>);

impl Chooser {
    /// Reads the values of swept keys; `at` is the position of the table, for errors.
    pub(super) fn read(at: &str, table: &Table, swept: &[Swept]) -> Result<Self, Wrong> {
        let chosen = table.iter().map(|(key, value)| {
            let at = format!("{at}.{key}");
            let Some(swept) = swept.iter().find(|swept| swept.is_called(key)) else {
                let known: Vec<&str> = swept.iter().map(|swept| swept.key.as_str()).collect();
                let known = known.join(", ");
                let problem = format!("the sweep has no such key; it has {known}");
                return Err(Wrong::new(&at, &problem));
            };
            let values = match value {
                Value::Array(values) => &values[..],
                value => core::slice::from_ref(value),
            };
            let values = values.iter().map(|value| swept.setting(value));
            let values: Result<Vec<Setting>, String> = values.collect();
            let values = values.map_err(|problem| Wrong::new(&at, &problem))?;
            Ok((swept.column.clone(), values))
        });
        chosen.collect::<Result<_, _>>().map(Self)
    }

    /// Whether all chosen keys have one of their values.
    pub(super) fn has(&self, settings: &Settings) -> bool {
        let mut chosen = self.0.iter();
        chosen.all(|(column, values)| {
            let value = settings.value(column);
            value.is_some_and(|value| values.contains(value))
        })
    }

    /// The columns of the chosen keys.
    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(column, _)| column.as_str())
    }
}

/// Reads several choices, of which any suffices.
pub(super) fn all(at: &str, tables: &[Table], swept: &[Swept]) -> Result<Vec<Chooser>, Wrong> {
    let tables = tables.iter();
    tables
        .map(|table| Chooser::read(at, table, swept))
        .collect()
}
