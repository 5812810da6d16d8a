//! Numbers with units: how they are read from the command line and how they are printed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Reads a span of time: `20ms`, `1.5s`, `2m`, `300us`; a bare number is in seconds.
///
/// # Errors
/// What would be right.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let scale = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" | "µs" => 1e-6,
        "ns" => 1e-9,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => {
            return Err(format!(
                "unknown unit \"{unit}\"; use ns, us, ms, s, m or h"
            ));
        }
    };
    let number: f64 = number
        .parse()
        .map_err(|_| "expected a number and a unit, as in 20ms or 1.5s".to_owned())?;
    Duration::try_from_secs_f64(number * scale).map_err(|_| "out of range".to_owned())
}

/// Reads a number of bytes: `64K`, `1.5M`, `2G`; K, M, G, T are powers of 1024.
///
/// # Errors
/// What would be right.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    parse_scaled(text, 1024.0)
}

/// Reads bits per second: `10M`, `2.5G`; K, M, G, T are powers of 1000.
///
/// # Errors
/// What would be right.
pub fn parse_rate(text: &str) -> Result<u64, String> {
    parse_scaled(text, 1000.0)
}

/// Bytes as people read them, in powers of 1000.
pub fn bytes(count: u64) -> String {
    scaled(count as f64, 1000.0, &["B", "kB", "MB", "GB", "TB"])
}

/// Bytes per second as people read them.
pub fn byte_rate(count: u64, over: Duration) -> String {
    let seconds = over.as_secs_f64().max(1e-9);
    let units = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
    scaled(count as f64 / seconds, 1000.0, &units)
}

/// Bytes as iperf3 prints them, in powers of 1024.
pub fn iperf_bytes(count: u64) -> String {
    let units = ["Bytes", "KBytes", "MBytes", "GBytes", "TBytes"];
    significant(count as f64, 1024.0, &units)
}

/// A bit rate as iperf3 prints it, in powers of 1000.
pub fn iperf_rate(bits_per_second: f64) -> String {
    let units = [
        "bits/sec",
        "Kbits/sec",
        "Mbits/sec",
        "Gbits/sec",
        "Tbits/sec",
    ];
    significant(bits_per_second, 1000.0, &units)
}

/// Milliseconds with three decimals, as ping prints them.
pub fn millis(span: Duration) -> String {
    format!("{:.3}", span.as_secs_f64() * 1e3)
}

/// The date and time in UTC, as iperf3 prints it: `Sat, 21 Nov 2026 05:18:32 GMT`.
pub fn http_date(at: SystemTime) -> String {
    let seconds = at
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, clock) = (seconds / 86_400, seconds % 86_400);
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][(days % 7) as usize];
    let (year, month, day) = civil(days);
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = months[usize::from(month - 1)];
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{weekday}, {day:02} {month} {year} {hour:02}:{minute:02}:{second:02} GMT")
}

/// Year, month and day of a day counted from 1970-01-01: years are counted from March, so that
/// the leap day is the last of its year.
fn civil(days: u64) -> (u64, u8, u8) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let leaps = day_of_era / 1460 + day_of_era / 146_096 - day_of_era / 36_524;
    let year_of_era = (day_of_era - leaps) / 365;
    let start = 365 * year_of_era + year_of_era / 4 - year_of_era / 100;
    let day_of_year = day_of_era - start;
    let from_march = (5 * day_of_year + 2) / 153;
    let day = u8::try_from(day_of_year - (153 * from_march + 2) / 5 + 1).unwrap_or(1);
    let month = u8::try_from((from_march + 2) % 12 + 1).unwrap_or(1);
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

fn split(text: &str) -> (&str, &str) {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let at = text.find(|letter| !is_number(letter)).unwrap_or(text.len());
    (&text[..at], text[at..].trim())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range was checked"
)]
fn parse_scaled(text: &str, step: f64) -> Result<u64, String> {
    let (number, unit) = split(text);
    let power = match unit {
        "" => 0,
        "k" | "K" => 1,
        "m" | "M" => 2,
        "g" | "G" => 3,
        "t" | "T" => 4,
        _ => return Err(format!("unknown unit \"{unit}\"; use K, M, G or T")),
    };
    let number: f64 = number
        .parse()
        .map_err(|_| "expected a number, as in 64K or 1.5M".to_owned())?;
    let value = number * step.powi(power);
    if value < 9e18 {
        Ok(value.round() as u64)
    } else {
        Err("out of range".to_owned())
    }
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut at = 0;
    while value >= step && at + 1 < units.len() {
        value /= step;
        at += 1;
    }
    let decimals = usize::from(at > 0);
    format!("{value:.decimals$} {}", units[at])
}

/// Three significant digits.
fn significant(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut at = 0;
    while value >= step && at + 1 < units.len() {
        value /= step;
        at += 1;
    }
    let decimals = if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    };
    format!("{value:.decimals$} {}", units[at])
}

#[cfg(test)]
mod tests;
