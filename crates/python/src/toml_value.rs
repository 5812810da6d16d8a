//! Values of Python as values of TOML.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyMapping, PyString};
use toml::{Table, Value};

use crate::error::wrong_field;

/// The table that a mapping describes; `path` is what it stands under.
pub(crate) fn table(mapping: &Bound<'_, PyMapping>, path: &str) -> PyResult<Table> {
    let mut table = Table::new();
    for item in mapping.items()?.iter() {
        let (key, inner): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let Ok(key) = key.extract::<String>() else {
            let message = format!("{path}: the key {key} must be a text");
            return Err(wrong_field(mapping.py(), path, message));
        };
        let at = joined(path, &key);
        table.insert(key, value(&inner, &at)?);
    }
    Ok(table)
}

/// The values of a sweep: of any iterable but a text.
pub(crate) fn values(iterable: &Bound<'_, PyAny>, path: &str) -> PyResult<Vec<Value>> {
    match iterable.try_iter() {
        Ok(inner) if !iterable.is_instance_of::<PyString>() => {
            inner.map(|one| value(&one?, path)).collect()
        }
        _ => Err(unfit(iterable, path, "a list of values")),
    }
}

/// A value of any kind that TOML has.
pub(crate) fn value(any: &Bound<'_, PyAny>, path: &str) -> PyResult<Value> {
    // A bool is an integer, too, and so are the integers of other libraries.
    if let Ok(truth) = any.cast::<PyBool>() {
        return Ok(Value::Boolean(truth.is_true()));
    }
    if let Ok(text) = any.extract::<String>() {
        return Ok(Value::String(text));
    }
    if let Ok(integer) = any.extract::<i64>() {
        return Ok(Value::Integer(integer));
    }
    if let Ok(number) = any.extract::<f64>() {
        return Ok(Value::Float(number));
    }
    if let Ok(mapping) = any.cast::<PyMapping>() {
        return Ok(Value::Table(table(mapping, path)?));
    }
    if any.try_iter().is_ok() {
        return Ok(Value::Array(values(any, path)?));
    }
    Err(unfit(
        any,
        path,
        "a text, a number, a bool, a list or a dict",
    ))
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

fn unfit(any: &Bound<'_, PyAny>, path: &str, expected: &str) -> PyErr {
    let found = any.get_type();
    wrong_field(
        any.py(),
        path,
        format!("{path}: must be {expected}, and is {any} ({found})"),
    )
}
