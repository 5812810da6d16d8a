use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;
use core::str::FromStr;
use core::time::Duration;

use super::{Form, OptionUnit};
use crate::UNLIMITED;
use crate::quantity::{read_integer, read_size, read_time, write_size, write_time};

/// Durations between two bounds, inclusive.
pub(in crate::options) struct Span(
    pub(in crate::options) Duration,
    pub(in crate::options) Duration,
);

/// Numbers between two bounds, inclusive.
pub(in crate::options) struct Count<T>(pub(in crate::options) T, pub(in crate::options) T);

/// Numbers of attempts, at least the given one, or `unlimited`.
pub(in crate::options) struct Attempts(pub(in crate::options) u32);

/// Highest finite number of attempts.
const MOST_ATTEMPTS: u32 = 1000;

const UNLIMITED_WORD: &str = "unlimited";

/// Differentiated Services code points by number, in C's notation, or by name, in any case.
pub(in crate::options) struct CodePoint;

/// Byte sizes between two bounds, inclusive.
pub(in crate::options) struct Size(pub(in crate::options) u64, pub(in crate::options) u64);

impl Form<Duration> for Span {
    fn read(&self, text: &str) -> Option<Duration> {
        read_time(text).ok()
    }

    fn write(&self, value: &Duration) -> String {
        write_time(*value)
    }

    fn contains(&self, value: &Duration) -> bool {
        (self.0..=self.1).contains(value)
    }

    fn range(&self) -> String {
        format!("{} to {}", write_time(self.0), write_time(self.1))
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Time
    }
}

impl<T: Copy + PartialOrd + Display + FromStr + Sync> Form<T> for Count<T> {
    fn read(&self, text: &str) -> Option<T> {
        text.trim().parse().ok()
    }

    fn write(&self, value: &T) -> String {
        value.to_string()
    }

    fn contains(&self, value: &T) -> bool {
        (self.0..=self.1).contains(value)
    }

    fn range(&self) -> String {
        format!("{} to {}", self.0, self.1)
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Count
    }
}

impl Form<u32> for Attempts {
    fn read(&self, text: &str) -> Option<u32> {
        match text.trim() {
            UNLIMITED_WORD => Some(UNLIMITED),
            number => number.parse().ok(),
        }
    }

    fn write(&self, value: &u32) -> String {
        match *value {
            UNLIMITED => UNLIMITED_WORD.into(),
            number => number.to_string(),
        }
    }

    fn contains(&self, value: &u32) -> bool {
        *value == UNLIMITED || (self.0..=MOST_ATTEMPTS).contains(value)
    }

    fn range(&self) -> String {
        format!("{} to {MOST_ATTEMPTS}, or {UNLIMITED_WORD}", self.0)
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Count
    }
}

impl Form<u8> for CodePoint {
    fn read(&self, text: &str) -> Option<u8> {
        match text.trim().to_ascii_lowercase().as_bytes() {
            // RFC 3246
            b"ef" => Some(46),
            // RFC 8622
            b"le" => Some(1),
            // RFC 2474 §4.2.2
            [b'c', b's', class @ b'0'..=b'7'] => Some((class - b'0') << 3),
            // RFC 2597 §6
            [b'a', b'f', class @ b'1'..=b'4', drop @ b'1'..=b'3'] => {
                Some((class - b'0') << 3 | (drop - b'0') << 1)
            }
            // Types of service (RFC 1349 §4), which iperf3 takes.
            b"lowdelay" => Some(4),
            b"throughput" => Some(2),
            b"reliability" => Some(1),
            _ => read_integer(text)?.try_into().ok(),
        }
    }

    fn write(&self, value: &u8) -> String {
        value.to_string()
    }

    fn contains(&self, value: &u8) -> bool {
        *value < 64
    }

    fn range(&self) -> String {
        "0 to 63, or a name: ef, le, cs0 to cs7, af11 to af43".into()
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Count
    }
}

impl<T: Copy + TryFrom<u64> + TryInto<u64>> Form<T> for Size {
    fn read(&self, text: &str) -> Option<T> {
        T::try_from(read_size(text).ok()?).ok()
    }

    fn write(&self, value: &T) -> String {
        write_size((*value).try_into().unwrap_or(u64::MAX))
    }

    fn contains(&self, value: &T) -> bool {
        let bytes = (*value).try_into();
        bytes.is_ok_and(|bytes| (self.0..=self.1).contains(&bytes))
    }

    fn range(&self) -> String {
        match self.1 {
            u64::MAX => format!("{} or more", write_size(self.0)),
            most => format!("{} to {}", write_size(self.0), write_size(most)),
        }
    }

    fn unit(&self) -> OptionUnit {
        OptionUnit::Bytes
    }
}
