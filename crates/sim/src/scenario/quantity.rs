//! Quantities and numbers in scenarios, with the engine's syntax.

use core::time::Duration;

use sheave_engine::quantity::{QuantityError, read_rate, read_size, read_time};
use toml::Value;

use crate::{Bitrate, Probability};

/// Description of the expected value.
pub(super) type Expected = &'static str;

const PROBABILITY: Expected = "a probability, such as \"0.5 %\" or 0.005";
const COUNT: Expected = "a whole number, not negative";
const NUMBER: Expected = "a number";

/// The text of a value; empty, and thus not a quantity, for other types.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn duration(value: &Value) -> Result<Duration, Expected> {
    read_time(text(value)).map_err(QuantityError::expected)
}

pub(super) fn rate(value: &Value) -> Result<Bitrate, Expected> {
    match read_rate(text(value)) {
        Ok(0) => Err("a rate above 0"),
        Ok(bits) => Ok(Bitrate(bits)),
        Err(error) => Err(error.expected()),
    }
}

pub(super) fn bytes<T: TryFrom<u64>>(value: &Value) -> Result<T, Expected> {
    let bytes = match value {
        Value::Integer(bytes) => read_size(&bytes.to_string()),
        _ => read_size(text(value)),
    };
    let bytes = bytes.map_err(QuantityError::expected)?;
    T::try_from(bytes).map_err(|_| "fewer bytes")
}

pub(super) fn probability(value: &Value) -> Result<Probability, Expected> {
    let number = match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::String(text) => match text.trim().strip_suffix('%') {
            Some(percent) => percent
                .trim()
                .parse()
                .ok()
                .map(|number: f64| number / 100.0),
            None => text.trim().parse().ok(),
        },
        _ => None,
    };
    match number {
        Some(number) if (0.0..=1.0).contains(&number) => Ok(Probability::new(number)),
        _ => Err(PROBABILITY),
    }
}

pub(super) fn count<T: TryFrom<i64>>(value: &Value) -> Result<T, Expected> {
    whole(value, 0).ok_or(COUNT)
}

pub(super) fn above_zero<T: TryFrom<i64>>(value: &Value) -> Result<T, Expected> {
    whole(value, 1).ok_or("a whole number above 0")
}

/// A whole number that is at least `least`.
fn whole<T: TryFrom<i64>>(value: &Value, least: i64) -> Option<T> {
    let number = value.as_integer().filter(|number| *number >= least);
    T::try_from(number?).ok()
}

pub(super) fn number(value: &Value) -> Result<f64, Expected> {
    match value {
        Value::Integer(number) => Ok(*number as f64),
        Value::Float(number) if number.is_finite() => Ok(*number),
        _ => Err(NUMBER),
    }
}
