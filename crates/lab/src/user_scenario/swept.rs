use sheave_sim::scenario::Case;

use crate::Setting;

/// A key that is varied.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Swept {
    /// Its column in the records: the key, and the unit.
    pub(super) column: String,
    /// For people: the end of the key, and the unit in brackets.
    pub(super) label: String,
    /// Its value in each case: numbers in one unit, or texts.
    pub(super) values: Vec<Setting>,
}

/// Units of one quantity: how each is written, and how many of the one that we show it is.
struct Quantity {
    shown: &'static str,
    column: &'static str,
    units: &'static [(&'static str, f64)],
}

const QUANTITIES: [Quantity; 5] = [
    Quantity {
        shown: "",
        column: "",
        units: &[("", 1.0)],
    },
    Quantity {
        shown: "%",
        column: "percent",
        units: &[("%", 1.0)],
    },
    Quantity {
        shown: "ms",
        column: "ms",
        units: &[
            ("ns", 1e-6),
            ("us", 1e-3),
            ("µs", 1e-3),
            ("ms", 1.0),
            ("s", 1e3),
            ("min", 60e3),
            ("h", 3600e3),
        ],
    },
    Quantity {
        shown: "Mbit/s",
        column: "mbit_per_s",
        units: &[
            ("bit/s", 1e-6),
            ("kbit/s", 1e-3),
            ("Mbit/s", 1.0),
            ("Gbit/s", 1e3),
        ],
    },
    Quantity {
        shown: "B",
        column: "bytes",
        units: &[
            ("B", 1.0),
            ("kB", 1e3),
            ("MB", 1e6),
            ("GB", 1e9),
            ("KiB", 1024.0),
            ("MiB", 1_048_576.0),
            ("GiB", 1_073_741_824.0),
        ],
    },
];

impl Swept {
    /// All keys of a sweep, in its order.
    pub(super) fn of(cases: &[Case]) -> Vec<Self> {
        let keys = cases.first().map_or(0, |case| case.settings.len());
        (0..keys).map(|at| Self::key(cases, at)).collect()
    }

    fn key(cases: &[Case], at: usize) -> Self {
        let key = cases[0].settings[at].0.as_str();
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
                };
            }
        }
        Self {
            column: key.to_owned(),
            label: ending(key).to_owned(),
            values: texts.into_iter().map(Setting::from).collect(),
        }
    }

    /// Whether its values are numbers.
    pub(super) fn is_numeric(&self) -> bool {
        matches!(self.values.first(), Some(Setting::Number(_)))
    }

    /// Whether it has more than one value.
    pub(super) fn varies(&self) -> bool {
        self.values.iter().any(|value| *value != self.values[0])
    }
}

impl Quantity {
    /// The number that a text says, in the unit that is shown.
    fn number(&self, text: &str) -> Option<f64> {
        let text = text.trim();
        let candidates = self.units.iter().filter_map(|(unit, scale)| {
            let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            // 0.1 s is 100 ms, and not a little more.
            Some((number * scale * 1e9).round() / 1e9)
        });
        candidates.into_iter().find(|number| number.is_finite())
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

/// What a key is about: its last two words.
fn ending(key: &str) -> &str {
    let mut dots = key.rmatch_indices('.');
    dots.nth(1).map_or(key, |(at, _)| &key[at + 1..])
}
