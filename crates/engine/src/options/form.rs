//! Forms of option values: conversion from and to text, and the valid range.

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

/// Parses, checks and formats the values of one option.
pub(super) trait Form<T>: Sync {
    /// Parses `text`; does not check the range.
    fn read(&self, text: &str) -> Option<T>;

    /// Formats `value`.
    fn write(&self, value: &T) -> String;

    /// Whether `value` is in range.
    fn contains(&self, _value: &T) -> bool {
        true
    }

    /// The range in readable form: the words, unless the form says otherwise.
    fn range(&self) -> String {
        choice::either(&self.words())
    }

    /// The unit: a word, unless the form says otherwise.
    fn unit(&self) -> OptionUnit {
        OptionUnit::Word
    }

    /// The words allowed as values.
    fn words(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Combines the parsed value `new` with the stored value `old`, for values whose text covers
    /// only one part.
    fn merge(&self, _old: &T, new: T) -> T {
        new
    }
}
