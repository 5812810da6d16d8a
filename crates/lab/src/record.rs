use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Run;

/// The note that marks a run as deterministic.
const CHANCE: &str = "chance";

/// The measurements of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Numbers, by names that end in the unit.
    pub metrics: BTreeMap<String, f64>,
    /// Non-numeric facts, such as the method of counting or the processor.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
    /// The reason why the run cannot be measured on this machine, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Quantities over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// Hash of a simulated run; equal runs have equal fingerprints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

impl Measured {
    /// Creates empty measurements.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates measurements of a run that cannot be measured on this machine.
    #[must_use]
    pub fn skipped(reason: impl Into<String>) -> Self {
        Self {
            skipped: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Marks the run as deterministic: every seed gives the same result.
    #[must_use]
    pub fn without_chance(self) -> Self {
        self.with_note(CHANCE, "none")
    }

    /// Whether the run is deterministic.
    pub fn is_certain(&self) -> bool {
        self.notes.contains_key(CHANCE)
    }

    /// Adds a note.
    #[must_use]
    pub fn with_note(mut self, name: &str, note: impl Into<String>) -> Self {
        self.notes.insert(name.to_owned(), note.into());
        self
    }

    /// Adds a number, unless it is infinite or NaN.
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
    /// Name, ending in the unit.
    pub name: String,
    /// Pairs of time in seconds and value.
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
