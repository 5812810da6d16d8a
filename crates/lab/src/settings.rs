use core::fmt;
use std::collections::BTreeMap;
use std::collections::btree_map;

use serde::{Deserialize, Serialize};

/// The value of one thing that is varied.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A quantity, in the unit that the key names.
    Number(f64),
    /// A choice.
    Text(String),
}

impl From<f64> for Setting {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u16> for Setting {
    fn from(number: u16) -> Self {
        Self::Number(f64::from(number))
    }
}

impl From<u32> for Setting {
    fn from(number: u32) -> Self {
        Self::Number(f64::from(number))
    }
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The settings that distinguish a run from the others of its experiment, by name; the names say
/// the units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settings(BTreeMap<String, Setting>);

impl Settings {
    /// No settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more, or with another value of it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Setting>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The value of that name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Setting> {
        self.0.get(name)
    }

    /// The quantity of that name; 0 if it is missing or a choice.
    #[must_use]
    pub fn number(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Setting::Number(number)) => *number,
            _ => 0.0,
        }
    }

    /// The choice of that name; empty if it is missing or a quantity.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Setting::Text(text)) => text,
            _ => "",
        }
    }

    /// Iterates over the settings, by name.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Setting> {
        self.0.iter()
    }

    /// Whether all that `some` says holds here, too.
    #[must_use]
    pub fn include(&self, some: &Self) -> bool {
        some.iter()
            .all(|(name, value)| self.value(name) == Some(value))
    }
}

impl<'a> IntoIterator for &'a Settings {
    type Item = (&'a String, &'a Setting);
    type IntoIter = btree_map::Iter<'a, String, Setting>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}
