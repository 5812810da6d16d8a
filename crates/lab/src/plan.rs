//! Plans in TOML: the settings of a study's runs.

use serde::Deserialize;
use toml::{Table, Value};

use crate::{Effort, Extent, Run, Settings};

/// The runs of a study, each table a group: all combinations of its values, the first key outermost.
/// A value may depend on the extent, as `{ quick = 1, full = [1, 2] }`; without one there are no
/// runs.
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
    let runs = planned.flat_map(|planned| {
        let Planned { seeds, times, .. } = planned;
        let all = effort.seeded(effort.seeds().count() as u64 * times);
        all.take(seeds)
            .map(move |seed| Run::new(study, &planned.experiment, planned.settings.clone(), seed))
    });
    runs.collect()
}

impl Planned {
    fn of(group: &Table, effort: Effort) -> Vec<Self> {
        let none = Self {
            experiment: String::new(),
            seeds: usize::MAX,
            times: 1,
            settings: Settings::new(),
        };
        group.iter().fold(vec![none], |all, (key, value)| {
            let all = all.into_iter();
            all.flat_map(|one| one.with(key, value, effort)).collect()
        })
    }

    /// The runs with each value of a key.
    fn with(mut self, key: &str, value: &Value, effort: Effort) -> Vec<Self> {
        let extent = match effort.extent {
            Extent::Quick => "quick",
            Extent::Full => "full",
        };
        match (key, value) {
            (_, Value::Table(values)) => match values.get(extent) {
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
            (_, Value::String(text)) => self.settings = self.settings.with(key, text.as_str()),
            (_, Value::Integer(number)) => self.settings = self.settings.with(key, *number as f64),
            (_, Value::Float(number)) => self.settings = self.settings.with(key, *number),
            _ => return Vec::new(),
        }
        vec![self]
    }
}

#[cfg(test)]
mod tests;
