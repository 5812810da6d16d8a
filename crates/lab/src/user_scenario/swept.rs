use sheave_engine::quantity::{read_rate, read_size, read_time};
use sheave_sim::scenario::{Axis, Case};

use crate::Setting;

/// A swept key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Swept {
    /// Column in the records: key and unit.
    pub(super) column: String,
    /// Label for readers: the end of the key, with the unit in brackets.
    pub(super) label: String,
    /// The value in each case: numbers in a common unit, or texts.
    pub(super) values: Vec<Setting>,
    /// The key's axis in the sweep: keys of one axis change together.
    pub(super) axis: Axis,
}

/// A quantity: the displayed unit, and the parser of its texts.
struct Quantity {
    shown: &'static str,
    column: &'static str,
    read: fn(&str) -> Option<f64>,
}

const QUANTITIES: [Quantity; 5] = [
    Quantity {
        shown: "",
        column: "",
        read: |text| text.parse().ok(),
    },
    Quantity {
        shown: "%",
        column: "percent",
        read: |text| text.strip_suffix('%')?.trim().parse().ok(),
    },
    Quantity {
        shown: "ms",
        column: "ms",
        read: |text| Some(read_time(text).ok()?.as_nanos() as f64 / 1e6),
    },
    Quantity {
        shown: "B",
        column: "bytes",
        read: |text| Some(read_size(text).ok()? as f64),
    },
    // After sizes, because a size may be a single letter.
    Quantity {
        shown: "Mbit/s",
        column: "mbit_per_s",
        read: |text| Some(read_rate(text).ok()? as f64 / 1e6),
    },
];

impl Swept {
    /// The keys of a sweep, in sweep order.
    pub(super) fn of(cases: &[Case]) -> Vec<Self> {
        let keys = cases.first().map_or(0, |case| case.settings.len());
        (0..keys).map(|at| Self::key(cases, at)).collect()
    }

    fn key(cases: &[Case], at: usize) -> Self {
        let (key, axis) = (cases[0].settings[at].0.as_str(), cases[0].axes[at]);
        let texts: Vec<&str> = cases
            .iter()
            .map(|case| case.settings[at].1.as_str())
            .collect();
        for quantity in &QUANTITIES {
            let numbers: Option<Vec<f64>> =
                texts.iter().map(|text| quantity.number(text)).collect();
            if let Some(numbers) = numbers {
                return Self {
                    column: joined(key, quantity.column),
                    label: bracketed(ending(key), quantity.shown),
                    values: numbers.into_iter().map(Setting::Number).collect(),
                    axis,
                };
            }
        }
        Self {
            column: key.to_owned(),
            label: ending(key).to_owned(),
            values: texts.into_iter().map(Setting::from).collect(),
            axis,
        }
    }

    /// Whether the values are numbers.
    pub(super) fn is_numeric(&self) -> bool {
        matches!(self.values.first(), Some(Setting::Number(_)))
    }

    /// Whether there is more than one value.
    pub(super) fn varies(&self) -> bool {
        self.values.iter().any(|value| *value != self.values[0])
    }
}

impl Quantity {
    /// Parses a number, in the displayed unit.
    fn number(&self, text: &str) -> Option<f64> {
        (self.read)(text.trim()).filter(|number| number.is_finite())
    }
}

fn joined(key: &str, unit: &str) -> String {
    if unit.is_empty() {
        key.to_owned()
    } else {
        format!("{key}_{unit}")
    }
}

fn bracketed(key: &str, unit: &str) -> String {
    if unit.is_empty() {
        key.to_owned()
    } else {
        format!("{key} ({unit})")
    }
}

/// The last two words of a key.
fn ending(key: &str) -> &str {
    let mut dots = key.rmatch_indices('.');
    dots.nth(1).map_or(key, |(at, _)| &key[at + 1..])
}
