//! Numbers with units. Parsed by the engine's grammar, with the bare numbers of iperf3 and rsync;
//! printed like iperf3, or for people.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sheave_engine::quantity::{read_rate, read_size, read_time};

/// Parses a duration such as `20ms` or `1.5s`; a bare number means seconds, as in iperf3 and ping.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    match is_bare(text) {
        // The first 0 completes ".2", which ping takes.
        true => read_time(&format!("0{text}s")),
        false => read_time(text),
    }
    .map_err(|error| error.to_string())
}

/// Parses a duration; a bare number means milliseconds, as in iperf3's timeouts.
pub fn parse_millis(text: &str) -> Result<Duration, String> {
    match is_bare(text) {
        true => parse_duration(&format!("{text}ms")),
        false => parse_duration(text),
    }
}

/// Parses a size: `64K`, `1.5 MiB`, `2G`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    read_size(text).map_err(|error| error.to_string())
}

/// Parses a percentage from 0 to 100; the sign is optional.
#[cfg(feature = "lab")]
pub fn parse_percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end();
    match number.parse() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("must be a percentage, 0 to 100".to_owned()),
    }
}

/// Parses bytes per second, `500K`, `1.5M`; a bare number means KiB, as in rsync.
pub fn parse_byte_rate(text: &str) -> Result<u64, String> {
    match is_bare(text) {
        true => parse_bytes(&format!("{text}K")),
        false => parse_bytes(text),
    }
}

/// Parses bits per second: `10M`, `2.5 Gbit/s`.
pub fn parse_rate(text: &str) -> Result<u64, String> {
    read_rate(text).map_err(|error| error.to_string())
}

/// Whether a number has no unit.
fn is_bare(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == '.')
}

/// The last character boundary at or before `at`.
pub fn char_boundary(text: &str, at: usize) -> usize {
    let mut ends = (0..=at.min(text.len())).rev();
    ends.find(|end| text.is_char_boundary(*end))
        .unwrap_or_default()
}

/// Formats bytes in powers of 1000.
pub fn bytes(count: u64) -> String {
    scaled(count as f64, 1000.0, &["B", "kB", "MB", "GB", "TB"])
}

/// Formats bytes per second.
pub fn byte_rate(count: u64, over: Duration) -> String {
    let seconds = over.as_secs_f64().max(1e-9);
    let units = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
    scaled(count as f64 / seconds, 1000.0, &units)
}

/// Formats bytes like iperf3, in powers of 1024.
pub fn iperf_bytes(count: u64) -> String {
    let units = ["Bytes", "KBytes", "MBytes", "GBytes", "TBytes"];
    significant(count as f64, 1024.0, &units)
}

/// Formats a bit rate like iperf3, in powers of 1000.
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

/// Formats a bit rate like iperf3 with `-f`: bits for k, m, g, t, bytes for K, M, G, T.
pub fn iperf_rate_in(bits_per_second: f64, letter: char) -> String {
    let power = match letter.to_ascii_lowercase() {
        'k' => 1,
        'm' => 2,
        'g' => 3,
        _ => 4,
    };
    let (value, what) = match letter.is_ascii_lowercase() {
        true => (bits_per_second / 1000_f64.powi(power), "bits"),
        false => (bits_per_second / 8.0 / 1024_f64.powi(power), "Bytes"),
    };
    let decimals = decimals_of(value);
    let prefix = letter.to_ascii_uppercase();
    format!("{value:.decimals$} {prefix}{what}/sec")
}

/// Formats milliseconds with three decimals, like ping.
pub fn millis(span: Duration) -> String {
    format!("{:.3}", span.as_secs_f64() * 1e3)
}

/// Formats the UTC date and time like iperf3: `Sat, 21 Nov 2026 05:18:32 GMT`.
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

/// Converts days since 1970-01-01 to year, month and day; internally years begin in March, so that
/// a leap day is the last day.
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

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut at = 0;
    while value >= step && at + 1 < units.len() {
        value /= step;
        at += 1;
    }
    let decimals = usize::from(at > 0);
    format!("{value:.decimals$} {}", units[at])
}

/// Formats three significant digits.
fn significant(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut at = 0;
    while value >= step && at + 1 < units.len() {
        value /= step;
        at += 1;
    }
    let decimals = decimals_of(value);
    format!("{value:.decimals$} {}", units[at])
}

/// The number of decimals for three significant digits.
fn decimals_of(value: f64) -> usize {
    if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    }
}

#[cfg(test)]
mod tests;
