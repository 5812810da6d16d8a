use std::collections::BTreeSet;

use toml::{Table, Value};

use super::{Axis, sample};
use crate::scenario::section::unexpected;
use crate::scenario::{ScenarioError, conflict};

/// A key of a scenario that a sweep sets.
#[derive(Clone, Debug)]
pub(super) struct Key {
    /// The full key.
    pub(super) path: String,
    /// Position in the sweep, for errors.
    pub(super) at: String,
}

/// The points of an axis: combinations of its keys' values.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    keys: Vec<Key>,
    /// The values of each key, one for each point.
    values: Vec<Vec<Value>>,
}

impl Points {
    pub(super) fn len(&self) -> usize {
        self.values.first().map_or(1, Vec::len)
    }

    /// Keys and values at a point.
    pub(super) fn at(&self, point: usize) -> impl Iterator<Item = (&Key, &Value)> {
        let values = self
            .values
            .iter()
            .filter_map(move |values| values.get(point));
        self.keys.iter().zip(values)
    }

    /// Adds the values of one key, or of several keys separated by commas that share each value.
    pub(super) fn add(&mut self, table: &str, keys: &str, values: &[Value]) {
        for path in keys.split(',').map(str::trim) {
            self.keys.push(Key {
                path: path.to_owned(),
                at: place(table, keys),
            });
            self.values.push(values.to_vec());
        }
    }
}

/// Position of a key in the sweep, for errors.
pub(super) fn place(table: &str, key: &str) -> String {
    format!("{table}.\"{key}\"")
}

/// The axes of a sweep in order: one per key with a list of values, one per table under `zip`, and
/// one for `sample`.
pub(super) fn axes(sweep: &Table) -> Result<Vec<(Axis, Points)>, ScenarioError> {
    let (mut axes, mut listed) = (Vec::new(), (0..).map(Axis::Listed));
    for (key, value) in sweep {
        match (key.as_str(), value) {
            ("zip", _) => {
                let points = tables(value)?.into_iter().map(zipped);
                let points = points.collect::<Result<Vec<_>, _>>()?;
                axes.extend(listed.by_ref().zip(points));
            }
            ("sample", Value::Table(table)) => axes.push((Axis::Sampled, sample::points(table)?)),
            ("sample", _) => return Err(unexpected("sweep.sample", "a table", value)),
            _ => {
                let mut points = Points::default();
                points.add("sweep", key, &list("sweep", key, value)?);
                axes.extend(listed.by_ref().zip([points]));
            }
        }
    }
    each_key_once(&axes)?;
    Ok(axes)
}

/// A table, or a list of them.
fn tables(value: &Value) -> Result<Vec<&Table>, ScenarioError> {
    let tables = match value {
        Value::Table(table) => Some(vec![table]),
        Value::Array(values) => values.iter().map(Value::as_table).collect(),
        _ => None,
    };
    tables.ok_or_else(|| unexpected("sweep.zip", "a table or a list of tables", value))
}

/// Keys whose lists advance together.
fn zipped(table: &Table) -> Result<Points, ScenarioError> {
    const AT: &str = "sweep.zip";
    let mut points = Points::default();
    for (key, value) in table {
        let values = list(AT, key, value)?;
        if !points.keys.is_empty() && values.len() != points.len() {
            let (found, others) = (values.len(), points.len());
            let problem = format!("has {found} values where the keys before it have {others}");
            return Err(conflict(&place(AT, key), &problem));
        }
        points.add(AT, key, &values);
    }
    Ok(points)
}

pub(super) fn list(table: &str, key: &str, value: &Value) -> Result<Vec<Value>, ScenarioError> {
    let values = value.as_array().filter(|values| !values.is_empty());
    let values = values.ok_or_else(|| unexpected(&place(table, key), "a list of values", value))?;
    Ok(values.clone())
}

fn each_key_once(axes: &[(Axis, Points)]) -> Result<(), ScenarioError> {
    let mut seen = BTreeSet::new();
    let mut keys = axes.iter().flat_map(|(_, points)| &points.keys);
    match keys.find(|key| !seen.insert(&key.path)) {
        None => Ok(()),
        Some(Key { path, at }) => Err(conflict(at, &format!("`{path}` is swept twice"))),
    }
}
