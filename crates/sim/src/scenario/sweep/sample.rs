use sheave_engine::quantity::{read_rate, read_size, read_time};
use toml::{Table, Value};

use super::points::{Points, list, place};
use crate::Random;
use crate::scenario::section::{Section, unexpected};
use crate::scenario::{Problem, ScenarioError, conflict, quantity, shown};

const AT: &str = "sweep.sample";

/// Significant digits of a drawn number.
const DIGITS: i32 = 6;

/// Points drawn at random. `count` is their number and `seed` their seed (default 1). Each other
/// key names its source: a list, whose values are equally likely, or a range, `{ from, to, scale
/// }`. The draws of a key do not depend on other keys.
pub(super) fn points(table: &Table) -> Result<Points, ScenarioError> {
    let mut section = Section::new(AT, table);
    let count: usize = section.required("count", quantity::count)?;
    if count == 0 {
        return Err(unexpected(&section.at("count"), "at least 1", &0.into()));
    }
    let seed = section.optional("seed", quantity::count)?.unwrap_or(1);
    let random = Random::new(seed);
    let mut points = Points::default();
    let keys = table
        .iter()
        .filter(|(key, _)| !["count", "seed"].contains(&key.as_str()));
    for (key, value) in keys {
        let source = Source::read(key, value)?;
        let mut random = random.fork(key);
        let values = (0..count).map(|_| source.draw(&mut random));
        points.add(AT, key, &values.collect::<Vec<Value>>());
    }
    Ok(points)
}

/// The values from which a key is drawn.
enum Source {
    /// A value from a list.
    Choice(Vec<Value>),
    /// An integer, bounds included.
    Whole { from: i64, to: i64 },
    /// A number, optionally with a unit.
    Range {
        from: f64,
        to: f64,
        unit: Option<String>,
        scale: Scale,
    },
}

/// The distribution over a range.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Uniform.
    Linear,
    /// Logarithmic: all orders of magnitude are equally likely.
    Log,
}

impl Source {
    fn read(key: &str, value: &Value) -> Result<Self, ScenarioError> {
        let at = place(AT, key);
        let Value::Table(table) = value else {
            return list(AT, key, value).map(Self::Choice);
        };
        let mut section = Section::new(&at, table);
        let from = section.required("from", |value| Ok(value.clone()))?;
        let to = section.required("to", |value| Ok(value.clone()))?;
        let scales = [("linear", Scale::Linear), ("log", Scale::Log)];
        let scale = section.word("scale", &scales)?.unwrap_or(Scale::Linear);
        section.finish()?;
        let source = match (&from, &to, scale) {
            (Value::Integer(from), Value::Integer(to), Scale::Linear) => Self::Whole {
                from: *from,
                to: *to,
            },
            _ => Self::range(&from, &to, scale).ok_or_else(|| {
                let expected = "two numbers, or two quantities of the same unit";
                let found = format!("{} and {}", shown(&from), shown(&to));
                let expected = expected.to_owned();
                ScenarioError::new(&at, Problem::Unexpected { expected, found })
            })?,
        };
        source
            .in_order()
            .map_err(|problem| conflict(&at, &problem))?;
        Ok(source)
    }

    fn range(from: &Value, to: &Value, scale: Scale) -> Option<Self> {
        let ((from, unit), (to, other)) = (parts(from)?, parts(to)?);
        (unit == other).then(|| Self::Range {
            from,
            to,
            unit: unit.map(str::to_owned),
            scale,
        })
    }

    fn in_order(&self) -> Result<(), &'static str> {
        let (ordered, has_log) = match self {
            Self::Choice(_) => (true, true),
            Self::Whole { from, to } => (from <= to, true),
            Self::Range {
                from, to, scale, ..
            } => (from <= to, *scale == Scale::Linear || *from > 0.0),
        };
        match (ordered, has_log) {
            (false, _) => Err("`from` must not be above `to`"),
            (_, false) => Err("`from` must be above 0 where the scale is \"log\""),
            _ => Ok(()),
        }
    }

    fn draw(&self, random: &mut Random) -> Value {
        match self {
            Self::Choice(values) => {
                let place = random.below(values.len() as u64);
                values[usize::try_from(place).unwrap_or(0)].clone()
            }
            Self::Whole { from, to } => {
                let drawn = random.below(to.abs_diff(*from).saturating_add(1));
                Value::Integer(from.saturating_add_unsigned(drawn))
            }
            Self::Range {
                from,
                to,
                unit,
                scale,
            } => {
                let share = random.unit();
                let drawn = match scale {
                    Scale::Linear => from + share * (to - from),
                    Scale::Log => from * libm::exp(share * libm::log(to / from)),
                };
                let text = rounded(drawn);
                match unit {
                    Some(unit) => Value::String(format!("{text} {unit}")),
                    None => Value::Float(text.parse().unwrap_or(drawn)),
                }
            }
        }
    }
}

/// The number and the unit, if any, of a value.
fn parts(value: &Value) -> Option<(f64, Option<&str>)> {
    let text = match value {
        Value::Integer(number) => return Some((*number as f64, None)),
        Value::Float(number) => return number.is_finite().then_some((*number, None)),
        Value::String(text) => text.trim(),
        _ => return None,
    };
    let is_number = |char: char| char.is_ascii_digit() || char == '.';
    let end = text.find(|char| !is_number(char)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let is_quantity = unit.trim() == "%"
        || read_time(text).is_ok()
        || read_size(text).is_ok()
        || read_rate(text).is_ok();
    let number = number.parse().ok().filter(|_| is_quantity)?;
    Some((number, Some(unit.trim())))
}

/// A number with a readable number of digits.
fn rounded(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    // Handles exponents, as in 3.7e1.
    let exponent = format!("{number:e}");
    let exponent = exponent.rsplit('e').next();
    let magnitude: i32 = exponent.and_then(|text| text.parse().ok()).unwrap_or(0);
    let decimals = usize::try_from(DIGITS - 1 - magnitude).unwrap_or(0);
    format!("{number:.decimals$}")
}
