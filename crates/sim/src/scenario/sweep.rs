mod points;
mod sample;

use toml::{Table, Value};

use self::points::Points;
use super::section::unexpected;
use super::{CustomAlgorithms, Scenario, ScenarioError, conflict, names, shown};

/// Most cases of a sweep, since each is stored as a scenario.
const CASES_MAX: usize = 100_000;

/// A combination of the sweep's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Keys and values of this case, in the order of the sweep.
    pub settings: Vec<(String, String)>,
    /// Axis of each setting.
    pub axes: Vec<Axis>,
    /// The scenario with these values.
    pub scenario: Scenario,
    /// The caller's own keys, with these values.
    pub others: Table,
}

/// An axis of a sweep: keys that change together. A sweep combines the points of all its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Values listed in the scenario; axes are counted from 0.
    Listed(usize),
    /// Values drawn at random, independently for each key.
    Sampled,
}

/// Every combination; the last axis varies fastest. `others` are the caller's own keys.
pub(super) fn cases(
    mut table: Table,
    own: &CustomAlgorithms,
    others: &[&str],
) -> Result<Vec<Case>, ScenarioError> {
    let sweep = match table.remove("sweep") {
        None => Table::new(),
        Some(Value::Table(sweep)) => sweep,
        Some(other) => return Err(unexpected("sweep", "a table", &other)),
    };
    let axes = points::axes(&sweep)?;
    let count = axes.iter().try_fold(1_usize, |count, (_, points)| {
        count.checked_mul(points.len())
    });
    let Some(count) = count.filter(|count| *count <= CASES_MAX) else {
        let problem = format!("makes more than {CASES_MAX} cases");
        return Err(conflict("sweep", &problem));
    };
    let cases = (0..count).map(|place| case(&table, &axes, place, (own, others)));
    cases.collect()
}

fn case(
    table: &Table,
    axes: &[(Axis, Points)],
    place: usize,
    (own, others): (&CustomAlgorithms, &[&str]),
) -> Result<Case, ScenarioError> {
    let mut table = table.clone();
    let (mut settings, mut of) = (Vec::new(), Vec::new());
    let mut faster: usize = axes.iter().map(|(_, points)| points.len()).product();
    for (axis, points) in axes {
        faster /= points.len();
        for (key, value) in points.at(place / faster % points.len()) {
            set(&mut table, &key.path, value).map_err(|reason| conflict(&key.at, &reason))?;
            let text = shown(value);
            let pair = [key.path.as_str(), text.as_str()].map(|text| names::plain(text).to_owned());
            settings.push(pair.into());
            of.push(*axis);
        }
    }
    names::replace(&mut table)?;
    let others = others.iter().filter_map(|key| table.remove_entry(*key));
    let others = others.collect();
    let scenario = Scenario::from_table(&table, own)?;
    Ok(Case {
        settings,
        axes: of,
        scenario,
        others,
    })
}

/// Sets a value by its path, or by its name under `let`. The parent must exist; the key itself need
/// not.
fn set(table: &mut Table, path: &str, value: &Value) -> Result<(), String> {
    if let Some(name) = path.strip_prefix('$') {
        let names = table.entry("let").or_insert_with(|| Table::new().into());
        let names = names.as_table_mut().ok_or("`let` is no table")?;
        names.insert(name.to_owned(), value.clone());
        return Ok(());
    }
    let (parents, key) = path.rsplit_once('.').unwrap_or(("", path));
    let mut here = table;
    for parent in parents.split('.').filter(|parent| !parent.is_empty()) {
        here = match here.get_mut(parent) {
            Some(Value::Table(inner)) => inner,
            _ => return Err(format!("there is no table `{parent}` to set `{path}` in")),
        };
    }
    here.insert(key.to_owned(), value.clone());
    Ok(())
}

#[cfg(test)]
mod tests;
