//! Text form of quantities: one grammar for options, scenarios and the command line.
//!
//! A quantity is a decimal number and a unit, optionally separated by a space: `20 ms`, `1.5M`,
//! `10 Mbit/s`. The number is parsed exactly and rounded to whole nanoseconds, bytes or bits per
//! second.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::time::Duration;

/// Units of time in nanoseconds; the first ones are used for output.
const TIMES: [(&str, u64); 9] = [
    ("h", 3_600_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1000),
    ("ns", 1),
    ("µs", 1000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("d", 86_400_000_000_000),
];

/// Units of size in bytes; the first ones are used for output. Single capital letters are powers of
/// 1024, as in iperf3.
const SIZES: [(&str, u64); 18] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("B", 1),
    ("", 1),
    ("K", 1 << 10),
    ("k", 1 << 10),
    ("M", 1 << 20),
    ("m", 1 << 20),
    ("G", 1 << 30),
    ("g", 1 << 30),
    ("T", 1 << 40),
    ("t", 1 << 40),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Units of rate in bits per second. Single letters are powers of 1000, as in iperf3.
const RATES: [(&str, u64); 14] = [
    ("bit/s", 1),
    ("kbit/s", 1000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Tbit/s", 1_000_000_000_000),
    ("", 1),
    ("k", 1000),
    ("K", 1000),
    ("m", 1_000_000),
    ("M", 1_000_000),
    ("g", 1_000_000_000),
    ("G", 1_000_000_000),
    ("t", 1_000_000_000_000),
    ("T", 1_000_000_000_000),
];

/// Number of units used for output.
const WRITTEN_TIMES: usize = 5;
const WRITTEN_SIZES: usize = 5;

/// The error for a text that is not a quantity of the expected kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantityError(&'static str);

const TIME: QuantityError =
    QuantityError("a time, such as 20 ms or 1.5s (ns, us, ms, s, min, h, d)");
const SIZE: QuantityError =
    QuantityError("a number of bytes, such as 1500, 64 KiB or 1.5M (B, kB, MB, GB, KiB, MiB, GiB)");
const RATE: QuantityError =
    QuantityError("a rate, such as 11 Mbit/s or 2.5G (bit/s, kbit/s, Mbit/s, Gbit/s)");

impl QuantityError {
    /// The expected quantity, with an example and the units.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be {}", self.0)
    }
}

impl core::error::Error for QuantityError {}

/// Parses a duration: `20 ms`, `1.5s`. Only 0 needs no unit.
///
/// # Errors
/// The text is not a duration, or exceeds 584 years.
pub fn read_time(text: &str) -> Result<Duration, QuantityError> {
    match text.trim() {
        "0" => Ok(Duration::ZERO),
        text => scaled(text, &TIMES).map(Duration::from_nanos).ok_or(TIME),
    }
}

/// Formats a duration in the largest unit of which it is a multiple.
#[must_use]
pub fn write_time(span: Duration) -> String {
    let nanos = u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
    match nanos {
        0 => "0 s".into(),
        _ => whole(nanos, TIMES.iter().take(WRITTEN_TIMES)),
    }
}

/// Parses a number of bytes: `1500`, `64 KiB`, `1.5M`.
///
/// # Errors
/// The text is not a number of bytes, or exceeds 64 bits.
pub fn read_size(text: &str) -> Result<u64, QuantityError> {
    scaled(text.trim(), &SIZES).ok_or(SIZE)
}

/// Parses a rate in bits per second: `11 Mbit/s`, `2.5G`.
///
/// # Errors
/// The text is not a rate, or exceeds 64 bits.
pub fn read_rate(text: &str) -> Result<u64, QuantityError> {
    scaled(text.trim(), &RATES).ok_or(RATE)
}

/// Parses a whole number in C's notation: decimal, octal after `0`, hexadecimal after `0x`. `None`
/// for other text, or above 64 bits.
#[must_use]
pub fn read_integer(text: &str) -> Option<u64> {
    let text = text.trim();
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = match hexadecimal {
        Some(digits) => (digits, 16),
        None if text.starts_with('0') => (text, 8),
        None => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok()
}

/// Formats a number of bytes in the largest unit of which it is a multiple.
#[must_use]
pub fn write_size(bytes: u64) -> String {
    match bytes {
        0 => "0 B".into(),
        _ => whole(bytes, SIZES.iter().take(WRITTEN_SIZES)),
    }
}

fn whole<'a>(value: u64, mut units: impl Iterator<Item = &'a (&'static str, u64)>) -> String {
    match units.find(|(_, scale)| value.is_multiple_of(*scale)) {
        Some((unit, scale)) => format!("{} {unit}", value / scale),
        None => format!("{value}"),
    }
}

/// Parses a decimal number with a unit exactly, and rounds to the smallest unit.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let at = text.find(|letter| !is_number(letter)).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(at)?;
    let (_, scale) = units.iter().find(|(name, _)| *name == unit.trim())?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let whole: u64 = whole.parse().ok()?;
    // Further digits affect only the rounding of the largest units.
    let fraction = fraction.get(..18).unwrap_or(fraction);
    let parts: u64 = fraction.parse().ok()?;
    let divisor = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let below = (u128::from(parts) * u128::from(*scale) + divisor / 2) / divisor;
    let below = u64::try_from(below).ok()?;
    whole.checked_mul(*scale)?.checked_add(below)
}

#[cfg(test)]
mod tests;
