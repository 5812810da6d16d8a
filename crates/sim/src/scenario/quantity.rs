//! Numbers with units.

use core::time::Duration;

use toml::Value;

use crate::{Bitrate, Probability};

/// What a value should have been.
pub(super) type Expected = &'static str;

const DURATION: Expected = "a time, such as \"20 ms\" (s, ms, us, ns, min, h)";
const RATE: Expected = "a rate, such as \"11 Mbit/s\" (bit/s, kbit/s, Mbit/s, Gbit/s)";
const BYTES: Expected = "a number of bytes, such as 1500 or \"64 KiB\" (B, kB, MB, KiB, MiB)";
const PROBABILITY: Expected = "a probability, such as \"0.5 %\" or 0.005";
const COUNT: Expected = "a whole number, not negative";
const NUMBER: Expected = "a number";

/// A number and what follows it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let is_unit = |char: char| char.is_ascii_alphabetic() || char == '%';
    // An `e` between digits belongs to the number.
    let at = text
        .char_indices()
        .find(|(at, char)| {
            let rest = &text[at + 1..];
            let exponent = matches!(char, 'e' | 'E')
                && rest.starts_with(|next: char| next.is_ascii_digit() || next == '-');
            is_unit(*char) && !exponent
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(at);
    let number: f64 = number.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some((number, unit.trim()))
}

/// A value in units of which the table says what they are in terms of the smallest.
fn scaled(value: &Value, units: &[(&str, f64)]) -> Option<u64> {
    let (number, unit) = split(value.as_str()?)?;
    let (_, scale) = units.iter().find(|(name, _)| *name == unit)?;
    let scaled = libm::round(number * scale);
    #[expect(clippy::cast_possible_truncation, reason = "checked against the range")]
    let whole = scaled as u64;
    (scaled < 9e18).then_some(whole)
}

pub(super) fn duration(value: &Value) -> Result<Duration, Expected> {
    let units = [
        ("ns", 1.0),
        ("us", 1e3),
        ("µs", 1e3),
        ("ms", 1e6),
        ("s", 1e9),
        ("min", 60e9),
        ("h", 3600e9),
    ];
    let nanos = scaled(value, &units).ok_or(DURATION)?;
    Ok(Duration::from_nanos(nanos))
}

pub(super) fn rate(value: &Value) -> Result<Bitrate, Expected> {
    let units = [
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
    ];
    let bits = scaled(value, &units).ok_or(RATE)?;
    if bits == 0 {
        Err(RATE)
    } else {
        Ok(Bitrate(bits))
    }
}

pub(super) fn bytes<T: TryFrom<u64>>(value: &Value) -> Result<T, Expected> {
    let units = [
        ("", 1.0),
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ];
    let bytes = match value {
        Value::Integer(bytes) => u64::try_from(*bytes).ok(),
        _ => scaled(value, &units),
    };
    let bytes = bytes.and_then(|bytes| T::try_from(bytes).ok());
    bytes.ok_or(BYTES)
}

pub(super) fn probability(value: &Value) -> Result<Probability, Expected> {
    let number = match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::String(text) => match split(text) {
            Some((number, "%")) => Some(number / 100.0),
            Some((number, "")) => Some(number),
            _ => None,
        },
        _ => None,
    };
    match number {
        Some(number) if (0.0..=1.0).contains(&number) => Ok(Probability::new(number)),
        _ => Err(PROBABILITY),
    }
}

pub(super) fn count<T: TryFrom<i64>>(value: &Value) -> Result<T, Expected> {
    let number = value.as_integer().filter(|number| *number >= 0);
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or(COUNT)
}

pub(super) fn number(value: &Value) -> Result<f64, Expected> {
    match value {
        Value::Integer(number) => Ok(*number as f64),
        Value::Float(number) if number.is_finite() => Ok(*number),
        _ => Err(NUMBER),
    }
}
