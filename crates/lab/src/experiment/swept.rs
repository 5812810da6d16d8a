use sheave_engine::quantity::{read_rate, read_size, read_time};
use sheave_sim::scenario::{Axis, Case};
use toml::Value;

use crate::{Setting, Settings};

/// A swept key.
#[derive(Clone, Debug)]
pub(crate) struct Swept {
    /// The key, or the name without its `$`.
    pub(crate) key: String,
    /// Column in the records: key and unit.
    pub(crate) column: String,
    /// Label for readers: the end of the key, with the unit in brackets.
    pub(crate) label: String,
    /// The value in each case: numbers in a common unit, or texts.
    pub(crate) values: Vec<Setting>,
    /// The key's axis in the sweep: keys of one axis change together.
    pub(crate) axis: Axis,
    /// The quantity of numbers; `None` for texts.
    quantity: Option<&'static Quantity>,
}

/// A quantity: the displayed unit, and the parser of its texts.
#[derive(Debug)]
struct Quantity {
    shown: &'static str,
    column: &'static str,
    read: fn(&str) -> Option<f64>,
}

static QUANTITIES: [Quantity; 5] = [
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
                    key: key.to_owned(),
                    quantity: Some(quantity),
                    column: joined(key, quantity.column),
                    label: bracketed(ending(key), quantity.shown),
                    values: numbers.into_iter().map(Setting::Number).collect(),
                    axis,
                };
            }
        }
        Self {
            key: key.to_owned(),
            quantity: None,
            column: key.to_owned(),
            label: ending(key).to_owned(),
            values: texts.into_iter().map(Setting::from).collect(),
            axis,
        }
    }

    /// Whether that is its key or its column.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.key == name || self.column == name
    }

    /// A value of the key, as written in the sweep.
    pub(super) fn setting(&self, value: &Value) -> Result<Setting, String> {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let number = self.quantity.and_then(|quantity| quantity.number(&text));
        let wanted = number.map_or_else(|| text.as_str().into(), Setting::Number);
        if self.values.contains(&wanted) {
            return Ok(wanted);
        }
        let mut known: Vec<String> = Vec::new();
        for value in self.values.iter().map(ToString::to_string) {
            if !known.contains(&value) {
                known.push(value);
            }
        }
        let known = known.join(", ");
        Err(format!("the sweep has no {text} there; it has {known}"))
    }

    /// A value in words: a number with its label.
    pub(crate) fn words(&self, settings: &Settings) -> String {
        let value = settings.value(&self.column);
        let value = value.map_or_else(String::new, ToString::to_string);
        match self.is_numeric() {
            true => format!("{} {value}", self.label),
            false => value,
        }
    }

    /// Whether the values are numbers.
    pub(crate) fn is_numeric(&self) -> bool {
        matches!(self.values.first(), Some(Setting::Number(_)))
    }

    /// Whether there is more than one value.
    pub(crate) fn varies(&self) -> bool {
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
