//! Sweeps in Python as the table `sweep` of a scenario.

use pyo3::prelude::*;
use pyo3::types::PyMapping;
use toml::{Table, Value};

use crate::toml_value;

/// Keys with a list of values each.
pub(crate) fn lists(values: &Bound<'_, PyMapping>, path: &str) -> PyResult<Table> {
    let mut table = Table::new();
    for item in values.items()?.iter() {
        let (keys, values): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let key = key(&keys)?;
        let at = format!("{path}.\"{key}\"");
        table.insert(key, Value::Array(toml_value::values(&values, &at)?));
    }
    Ok(table)
}

/// Adds keys that are gone through side by side, of one mapping or of each of several.
pub(crate) fn add_zipped(sweep: &mut Table, zip: &Bound<'_, PyAny>) -> PyResult<()> {
    const AT: &str = "sweep.zip";
    let more = match zip.cast::<PyMapping>() {
        Ok(mapping) => vec![lists(mapping, AT)?],
        Err(_) => {
            let mappings: Vec<Bound<'_, PyMapping>> = zip.extract()?;
            let tables = mappings.iter().map(|mapping| lists(mapping, AT));
            tables.collect::<PyResult<_>>()?
        }
    };
    let mut all = match sweep.remove("zip") {
        None => Vec::new(),
        Some(Value::Array(known)) => known,
        Some(known) => vec![known],
    };
    all.extend(more.into_iter().map(Value::Table));
    sweep.insert("zip".to_owned(), Value::Array(all));
    Ok(())
}

/// Adds keys that are drawn at random to those that are already.
pub(crate) fn add_sample(sweep: &mut Table, sample: &Bound<'_, PyMapping>) -> PyResult<()> {
    let known = sweep.entry("sample");
    let known = known.or_insert_with(|| Value::Table(Table::new()));
    let Some(known) = known.as_table_mut() else {
        // Reading it says what is wrong.
        return Ok(());
    };
    for item in sample.items()?.iter() {
        let (keys, source): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let key = key(&keys)?;
        let source = toml_value::value(&source, &format!("sweep.sample.\"{key}\""))?;
        known.insert(key, source);
    }
    Ok(())
}

/// A key, or several as one.
fn key(keys: &Bound<'_, PyAny>) -> PyResult<String> {
    match keys.extract::<String>() {
        Ok(key) => Ok(key),
        Err(_) => Ok(keys.extract::<Vec<String>>()?.join(", ")),
    }
}
