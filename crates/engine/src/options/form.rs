//! Forms of option values: text in both directions, and the range.

pub(super) mod choice;
pub(super) mod number;
pub(super) mod special;

use alloc::string::String;
use alloc::vec::Vec;

/// The unit of an option's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionUnit {
    /// A span of time, written with its unit: `200 ms`.
    Time,
    /// A number of bytes, with or without a unit: `1500`, `64 KiB`.
    Bytes,
    /// A plain number.
    Count,
    /// A word.
    Word,
    /// Any text.
    Text,
}

/// Reads, checks and writes the values of one option.
pub(super) trait Form<T>: Sync {
    /// The value that `text` stands for, in its range or not.
    fn read(&self, text: &str) -> Option<T>;

    /// The text that stands for `value`.
    fn write(&self, value: &T) -> String;

    /// Whether `value` is in the range.
    fn contains(&self, _value: &T) -> bool {
        true
    }

    /// The range, for people.
    fn range(&self) -> String;

    /// The unit.
    fn unit(&self) -> OptionUnit;

    /// The words among the values, each as it is written.
    fn words(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The value to store where `new` is to take the place of `old`: for values of several parts,
    /// of which the text tells only one.
    fn merge(&self, _old: &T, new: T) -> T {
        new
    }
}
