//! Plans in TOML: the settings of a study's runs.

use serde::Deserialize;
use toml::{Table, Value};

use crate::{Effort, Run, Settings};

/// The runs of a study, each table a group: all combinations of its values, the first key outermost.
/// A value may depend on the extent, as `{ quick = 1, full = [1, 2] }`; without one there are no
/// runs. Three keys thin out the combinations of those before them: `without` leaves out those with
/// some settings, `sample = [7, 23]` keeps the 8th and each 23rd after it, and `certain` names
/// settings without chance, for which there is a single seed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    runs: Vec<Table>,
}

/// The runs with these settings.
#[derive(Clone, Debug)]
struct Planned {
    /// Key `of`.
    experiment: String,
    /// Key `seeds`: the most that are run.
    seeds: usize,
    /// Key `times`: a multiple of the usual number of seeds.
    times: u64,
    /// Key `rounds`: the most rounds of these runs, in which they take turns with all others that have
    /// rounds.
    rounds: Option<usize>,
    settings: Settings,
}

/// The runs that a study's text states.
pub(crate) fn runs(study: &str, text: &str, effort: Effort) -> Vec<Run> {
    let file: Result<File, _> = toml::from_str(text);
    // A test reads all of them.
    let file = file.unwrap_or_else(|error| panic!("the plan of {study}: {error}"));
    let planned = file
        .runs
        .iter()
        .flat_map(|group| Planned::of(group, effort));
    let (turns, apart): (Vec<Planned>, Vec<Planned>) =
        planned.partition(|planned| planned.rounds.is_some());
    let run = |planned: &Planned, seed| {
        let settings = planned.settings.clone();
        Run::new(study, &planned.experiment, settings, seed)
    };
    let mut runs = Vec::new();
    for planned in &apart {
        let all = effort.seeded(effort.seeds().count() as u64 * planned.times);
        runs.extend(all.take(planned.seeds).map(|seed| run(planned, seed)));
    }
    for (round, seed) in effort.rounds().enumerate() {
        let turns = turns.iter().filter(|one| one.rounds > Some(round));
        runs.extend(turns.map(|planned| run(planned, seed)));
    }
    runs
}

impl Planned {
    fn of(group: &Table, effort: Effort) -> Vec<Self> {
        let none = Self {
            experiment: String::new(),
            seeds: usize::MAX,
            times: 1,
            rounds: None,
            settings: Settings::new(),
        };
        group.iter().fold(vec![none], |all, (key, value)| {
            let all = all.into_iter();
            match (key.as_str(), value) {
                ("sample", value) => match chosen(value, effort).and_then(Value::as_array) {
                    Some(sample) => sampled(all, sample),
                    None => all.collect(),
                },
                ("without", some) => all.filter(|one| !one.has(some, effort)).collect(),
                ("certain", some) => {
                    let certain = all.map(|one| match one.has(some, effort) {
                        true => Self { seeds: 1, ..one },
                        false => one,
                    });
                    certain.collect()
                }
                _ => all.flat_map(|one| one.with(key, value, effort)).collect(),
            }
        })
    }

    /// Whether the settings include all of a table, or of one of several.
    fn has(&self, some: &Value, effort: Effort) -> bool {
        match some {
            Value::Array(tables) => tables.iter().any(|some| self.has(some, effort)),
            Value::Table(some) => {
                let mut wanted = Self::of(some, effort).into_iter();
                wanted.any(|wanted| self.settings.include(&wanted.settings))
            }
            _ => false,
        }
    }

    /// The runs with each value of a key.
    fn with(mut self, key: &str, value: &Value, effort: Effort) -> Vec<Self> {
        match (key, value) {
            (_, Value::Table(_)) => match chosen(value, effort) {
                Some(value) => return self.with(key, value, effort),
                None if key == "seeds" => (),
                None => return Vec::new(),
            },
            (_, Value::Array(values)) => {
                let all = values.iter();
                let all = all.flat_map(|value| self.clone().with(key, value, effort));
                return all.collect();
            }
            ("of", Value::String(experiment)) => self.experiment.clone_from(experiment),
            ("seeds", Value::Integer(most)) => self.seeds = usize::try_from(*most).unwrap_or(0),
            ("times", Value::Integer(times)) => self.times = times.unsigned_abs(),
            ("rounds", Value::Integer(most)) => self.rounds = usize::try_from(*most).ok(),
            (_, Value::String(text)) => self.settings = self.settings.with(key, text.as_str()),
            (_, Value::Integer(number)) => self.settings = self.settings.with(key, *number as f64),
            (_, Value::Float(number)) => self.settings = self.settings.with(key, *number),
            _ => return Vec::new(),
        }
        vec![self]
    }
}

/// The value for the extent of an effort.
fn chosen(value: &Value, effort: Effort) -> Option<&Value> {
    match value {
        Value::Table(values) => values.get(effort.choose("quick", "full")),
        value => Some(value),
    }
}

/// The combinations from the first on, in steps.
fn sampled(all: impl Iterator<Item = Planned>, sample: &[Value]) -> Vec<Planned> {
    let numbers = sample.iter().map(|number| {
        let number = number.as_integer().unwrap_or(0);
        usize::try_from(number).unwrap_or(0)
    });
    match numbers.collect::<Vec<usize>>()[..] {
        [first, step] => all.skip(first).step_by(step.max(1)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
