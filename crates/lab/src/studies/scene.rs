//! Scenarios in TOML with the settings of runs.

use serde::Deserialize;
use sheave_sim::scenario::{self, CustomAlgorithms, Scenario};
use toml::{Table, Value};

use crate::formula::Formula;
use crate::place::filled;
use crate::{Run, Setting};

/// A scenario, in which `{formula}` stands for a value, and its changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    scene: Table,
    #[serde(default)]
    when: Vec<When>,
}

/// A change for runs with some settings, of which each may have several values, or any: `*`; `of` is
/// the experiment. Later changes prevail.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    #[serde(default)]
    is: Table,
    /// Settings of which the run must have none.
    #[serde(default)]
    not: Table,
    set: Table,
}

/// The scenario of a run.
///
/// # Errors
/// The first key that cannot be read.
pub(super) fn scenario(text: &str, run: &Run) -> Result<Scenario, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut scene = file.scene;
    for When { is, not, set } in file.when {
        let has = |(key, value): (&String, &Value)| has(run, key, value);
        if is.iter().all(has) && !not.iter().any(has) {
            merge(&mut scene, set);
        }
    }
    for (_, value) in &mut scene {
        fill(value, run)?;
    }
    let read = scenario::read_beside(scene, CustomAlgorithms::default(), &[]);
    let mut cases = read.map_err(|error| format!("{run}: {error}"))?;
    let case = cases.pop().ok_or("no case")?;
    Ok(case.scenario)
}

/// Whether a setting of a run has one of some values.
fn has(run: &Run, key: &str, value: &Value) -> bool {
    let own = match key {
        "of" => Some(run.experiment.as_str().into()),
        key => run.settings.value(key).cloned(),
    };
    match (value, own) {
        (Value::Array(all), _) => all.iter().any(|value| has(run, key, value)),
        (Value::String(text), Some(Setting::Text(own))) => text == "*" || *text == own,
        (Value::String(text), Some(Setting::Number(_))) => text == "*",
        (Value::Integer(number), Some(Setting::Number(own))) => *number as f64 == own,
        (Value::Float(number), Some(Setting::Number(own))) => *number == own,
        _ => false,
    }
}

/// Changes a table, whose other values stay.
fn merge(table: &mut Table, change: Table) {
    for (key, value) in change {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(own)), Value::Table(inner)) => merge(own, inner),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Replaces the formulas in a value; a text that is a single one becomes a number, `{formula:up}` one
/// that is rounded up.
fn fill(value: &mut Value, run: &Run) -> Result<(), String> {
    match value {
        Value::Table(table) => {
            let mut inner = table.iter_mut();
            return inner.try_for_each(|(_, value)| fill(value, run));
        }
        Value::Array(values) => return values.iter_mut().try_for_each(|value| fill(value, run)),
        Value::String(text) if text.contains('{') => {
            let filled = filled(text, |piece| self::piece(piece, run));
            let filled = filled.ok_or_else(|| format!("{text}: not a formula"))?;
            let is_single = text.starts_with('{') && text.find('}') == Some(text.len() - 1);
            *value = match (filled.parse(), filled.parse()) {
                (Ok(number), _) if is_single => Value::Integer(number),
                (_, Ok(number)) if is_single => Value::Float(number),
                _ => Value::String(filled),
            };
        }
        _ => {}
    }
    Ok(())
}

/// A text setting, or a formula of the others; 0 stands for those that the run lacks.
fn piece(piece: &str, run: &Run) -> Option<String> {
    if let Some(Setting::Text(text)) = run.settings.value(piece) {
        return Some(text.clone());
    }
    let (formula, is_up) = match piece.strip_suffix(":up") {
        Some(formula) => (formula, true),
        None => (piece, false),
    };
    let formula = Formula::try_from(formula.to_owned()).ok()?;
    let value = formula.value(&|name| Some(run.settings.number(name)))?;
    Some(if is_up { value.ceil() } else { value }.to_string())
}

#[cfg(test)]
mod tests;
