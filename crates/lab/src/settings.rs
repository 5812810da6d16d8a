use core::cmp::Ordering;
use core::fmt;
use std::collections::BTreeMap;
use std::collections::btree_map;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The setting that distinguishes a case of a scenario from an earlier case with the same name,
/// before the file was changed.
pub(crate) const CONTENT: &str = "content";

/// The value of a varied parameter.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    /// A quantity, in the unit named by the key.
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

impl Setting {
    /// Orders numbers before choices.
    fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Text(one), Self::Text(other)) => one.cmp(other),
            (Self::Number(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Number(_)) => Ordering::Greater,
        }
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

/// The whole number at or below a number; 0 if that is negative or too large.
pub(crate) fn whole<T: TryFrom<u64> + Default>(number: f64) -> T {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates"
    )]
    let whole = number as u64;
    T::try_from(whole).unwrap_or_default()
}

/// The settings that distinguish a run from others of its experiment, by name; the names end in the
/// unit.
///
/// Clones share their content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings(Arc<BTreeMap<String, Setting>>);

impl Settings {
    /// Creates empty settings.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a setting, or replaces its value.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Setting>) -> Self {
        Arc::make_mut(&mut self.0).insert(name.to_owned(), value.into());
        self
    }

    /// The setting with this name.
    pub fn value(&self, name: &str) -> Option<&Setting> {
        self.0.get(name)
    }

    /// The quantity with this name; 0 if it is missing or a choice.
    pub fn number(&self, name: &str) -> f64 {
        match self.0.get(name) {
            Some(Setting::Number(number)) => *number,
            _ => 0.0,
        }
    }

    /// The whole number with this name; 0 if it is missing, a choice, or too large.
    #[must_use]
    pub(crate) fn whole<T: TryFrom<u64> + Default>(&self, name: &str) -> T {
        whole(self.number(name))
    }

    /// The choice with this name; empty if it is missing or a quantity.
    pub fn text(&self, name: &str) -> &str {
        match self.0.get(name) {
            Some(Setting::Text(text)) => text,
            _ => "",
        }
    }

    /// The settings whose names `keep` accepts.
    pub(crate) fn only(&self, keep: impl Fn(&str) -> bool) -> Self {
        let kept = self.0.iter().filter(|(name, _)| keep(name));
        Self(Arc::new(
            kept.map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        ))
    }

    /// Iterates over the settings, by name.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Setting> {
        self.0.iter()
    }

    /// Whether all of `some` are among these settings.
    pub fn include(&self, some: &Self) -> bool {
        some.iter()
            .all(|(name, value)| self.value(name) == Some(value))
    }
}

impl Settings {
    /// Orders settings for tables: by names and values, numbers numerically; the content of a case
    /// is compared last.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        let (mut own, mut others) = (self.said(), other.said());
        loop {
            let order = match (own.next(), others.next()) {
                (Some((name, value)), Some((other_name, other))) => {
                    name.cmp(other_name).then_with(|| value.order(other))
                }
                (None, None) => return self.text(CONTENT).cmp(other.text(CONTENT)),
                (None, Some(_)) => Ordering::Less,
                (Some(_), None) => Ordering::Greater,
            };
            if order.is_ne() {
                return order;
            }
        }
    }

    /// The settings without the content of a case.
    fn said(&self) -> impl Iterator<Item = (&String, &Setting)> {
        self.0.iter().filter(|(name, _)| *name != CONTENT)
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        BTreeMap::deserialize(deserializer).map(|settings| Self(Arc::new(settings)))
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
