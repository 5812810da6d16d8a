use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Display;
use core::str::FromStr;
use core::time::Duration;

use super::{Form, OptionUnit};
use crate::UNLIMITED;
use crate::quantity::{read_size, read_time, write_size, write_time};

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
