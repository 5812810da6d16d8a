use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

use super::{Form, OptionUnit};

/// The word that turns an option off.
const OFF: &str = "off";

/// A fixed list of words, each with a value.
pub(in crate::options) struct Words<T: 'static>(
    pub(in crate::options) &'static [(&'static str, T)],
);

/// The values of another form, or `off`.
pub(in crate::options) struct OrOff<F>(pub(in crate::options) F);

impl<T: Clone + PartialEq + Sync> Form<T> for Words<T> {
    fn read(&self, text: &str) -> Option<T> {
        let known = self.0.iter().find(|(word, _)| *word == text.trim());
        known.map(|(_, value)| value.clone())
    }

    fn write(&self, value: &T) -> String {
        let known = self.0.iter().find(|(_, known)| known == value);
        known.map_or_else(String::new, |(word, _)| (*word).into())
    }

    fn words(&self) -> Vec<&'static str> {
        self.0.iter().map(|(word, _)| *word).collect()
    }
}

impl<T, F: Form<T>> Form<Option<T>> for OrOff<F> {
    fn read(&self, text: &str) -> Option<Option<T>> {
        match text.trim() {
            OFF => Some(None),
            text => self.0.read(text).map(Some),
        }
    }

    fn write(&self, value: &Option<T>) -> String {
        (value.as_ref()).map_or_else(|| OFF.into(), |value| self.0.write(value))
    }

    fn contains(&self, value: &Option<T>) -> bool {
        value.as_ref().is_none_or(|value| self.0.contains(value))
    }

    fn range(&self) -> String {
        format!("{}, or {OFF}", self.0.range())
    }

    fn unit(&self) -> OptionUnit {
        self.0.unit()
    }

    fn words(&self) -> Vec<&'static str> {
        vec![OFF]
    }
}

/// Joins words as `a, b or c`.
pub(super) fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).into(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
