use sheave_engine::CustomPolicies;
use toml::{Table, Value};

use super::section::unexpected;
use super::{Problem, Scenario, ScenarioError, shown};

/// A combination of the values that a sweep varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Keys and values of this case, in the order of the sweep.
    pub settings: Vec<(String, String)>,
    /// The scenario with these values.
    pub scenario: Scenario,
}

/// Returns all combinations; the last key varies fastest.
pub(super) fn cases(
    mut table: Table,
    policies: &CustomPolicies,
) -> Result<Vec<Case>, ScenarioError> {
    let sweep = match table.remove("sweep") {
        None => Table::new(),
        Some(Value::Table(sweep)) => sweep,
        Some(other) => return Err(unexpected("sweep", "a table", &other)),
    };
    let mut combinations: Vec<(Vec<(String, String)>, Table)> = vec![(Vec::new(), table)];
    for (key, values) in &sweep {
        let at = format!("sweep.\"{key}\"");
        let Some(values) = values.as_array().filter(|values| !values.is_empty()) else {
            return Err(unexpected(&at, "a list of values", values));
        };
        let mut longer = Vec::new();
        for (settings, table) in &combinations {
            for value in values {
                let mut table = table.clone();
                set(&mut table, key, value)
                    .map_err(|reason| ScenarioError::new(&at, Problem::Conflict(reason)))?;
                let mut settings = settings.clone();
                settings.push((key.clone(), shown(value)));
                longer.push((settings, table));
            }
        }
        combinations = longer;
    }
    let cases = combinations.into_iter().map(|(settings, table)| {
        let scenario = Scenario::from_table(&table, policies)?;
        Ok(Case { settings, scenario })
    });
    cases.collect()
}

/// Sets a value by its path. What it is under must be there; the key itself need not.
fn set(table: &mut Table, path: &str, value: &Value) -> Result<(), String> {
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
