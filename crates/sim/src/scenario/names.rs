use sheave_engine::nearest_name;
use toml::{Table, Value};

use super::{ScenarioError, conflict};

/// Most names that lead from one to the next.
const CHAIN_MAX: usize = 16;

/// Replaces the names in a scenario: `"$name"` stands for `let.name`, and `"$name.key"` for a key of
/// that table.
pub(super) fn replace(table: &mut Table) -> Result<(), ScenarioError> {
    let Some(Value::Table(names)) = table.remove("let") else {
        return Ok(());
    };
    for (key, value) in table {
        replace_in(value, &names, key)?;
    }
    Ok(())
}

/// A text without the sign of a name.
pub(super) fn plain(text: &str) -> &str {
    text.strip_prefix('$').unwrap_or(text)
}

fn replace_in(value: &mut Value, names: &Table, at: &str) -> Result<(), ScenarioError> {
    for _ in 0..CHAIN_MAX {
        let name = value.as_str().and_then(|text| text.strip_prefix('$'));
        match name {
            Some(name) => {
                let found = find(name, names);
                let found = found.ok_or_else(|| conflict(at, &unknown(name, names)))?;
                *value = found.clone();
            }
            None => return replace_inside(value, names, at),
        }
    }
    Err(conflict(at, &"names stand for each other in a circle"))
}

fn replace_inside(value: &mut Value, names: &Table, at: &str) -> Result<(), ScenarioError> {
    match value {
        Value::Table(table) => {
            let mut inner = table.iter_mut();
            inner.try_for_each(|(key, value)| replace_in(value, names, &format!("{at}.{key}")))
        }
        Value::Array(values) => {
            let mut inner = values.iter_mut();
            inner.try_for_each(|value| replace_in(value, names, at))
        }
        _ => Ok(()),
    }
}

fn find<'a>(name: &str, names: &'a Table) -> Option<&'a Value> {
    if let Some(value) = names.get(name) {
        return Some(value);
    }
    let (table, key) = name.rsplit_once('.')?;
    let mut table = find(table, names)?;
    for _ in 0..CHAIN_MAX {
        match table.as_str() {
            Some(text) => table = find(text.strip_prefix('$')?, names)?,
            None => break,
        }
    }
    table.get(key)
}

fn unknown(name: &str, names: &Table) -> String {
    let near = nearest_name(name, names.keys().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!("; did you mean `${near}`?"));
    format!("nothing under `let` is called `{name}`{near}")
}
