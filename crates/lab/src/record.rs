use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Run;

/// The note that says that no chance has a part in a run.
const CHANCE: &str = "chance";

/// The measurements of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Numbers, by names that say their units.
    pub metrics: BTreeMap<String, f64>,
    /// Facts that are no numbers, such as the way of counting or the kind of processor.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
    /// The reason why it cannot be measured on this machine, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Quantities over the time of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// The run in one number, where it was simulated: equal runs have equal fingerprints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

impl Measured {
    /// Nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Nothing, since it cannot be measured on this machine.
    #[must_use]
    pub fn skipped(reason: impl Into<String>) -> Self {
        Self {
            skipped: Some(reason.into()),
            ..Self::default()
        }
    }

    /// The same, said to be the same with every seed: no chance has a part in it.
    #[must_use]
    pub fn without_chance(self) -> Self {
        self.with_note(CHANCE, "none")
    }

    /// Whether no chance has a part in it.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.notes.contains_key(CHANCE)
    }

    /// The same with one more note.
    #[must_use]
    pub fn with_note(mut self, name: &str, note: impl Into<String>) -> Self {
        self.notes.insert(name.to_owned(), note.into());
        self
    }

    /// The same with one more number. What is not finite is left out.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64) -> Self {
        if value.is_finite() {
            self.metrics.insert(name.to_owned(), value);
        }
        self
    }
}

/// A quantity over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name and unit of the series.
    pub name: String,
    /// Time in seconds, and value.
    pub points: Vec<(f64, f64)>,
}

/// A finished run: one row of tidy data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The run.
    pub run: Run,
    /// The measurements of the run.
    pub measured: Measured,
}
