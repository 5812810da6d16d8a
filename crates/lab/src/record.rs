use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Run;

/// What a run measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Numbers, by names that say their units.
    pub metrics: BTreeMap<String, f64>,
    /// What is no number: how something was counted, what it was measured on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
    /// Why it cannot be measured on this machine, where it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// What changed in the course of it.
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
    /// Its name and unit.
    pub name: String,
    /// Time in seconds, and value.
    pub points: Vec<(f64, f64)>,
}

/// A finished run: one row of tidy data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was run.
    pub run: Run,
    /// What came of it.
    pub measured: Measured,
}
