//! Options as text: names and values.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

use super::declaration::OptionDeclaration;
use super::parts::PARTS;
use super::{Options, Profile, nearest_name, table};
use crate::OptionError;

impl Options {
    /// The declarations of all options, in the order in which they are to be set: an option comes
    /// after those that it needs.
    pub fn declarations() -> impl Iterator<Item = &'static OptionDeclaration> + Clone {
        table::FIELDS.iter().chain(PARTS)
    }

    /// The declaration of the option of that name.
    #[must_use]
    pub fn declaration(name: &str) -> Option<&'static OptionDeclaration> {
        Self::declarations().find(|declaration| declaration.name == name)
    }

    /// The value of the option of that name, as text; `None` if there is no such option.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        Self::declaration(name).map(|declaration| declaration.value(self))
    }

    /// Sets the option of that name to the value that `value` stands for. Whether it goes together
    /// with the others, [`validate`](Self::validate) tells.
    ///
    /// # Errors
    /// There is no such option, or the value cannot be read or is out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let declaration = Self::declaration(name).ok_or_else(|| Self::unknown(name, value))?;
        declaration.set(self, value)
    }

    fn unknown(name: &str, value: &str) -> OptionError {
        unknown(name, value, Self::declarations().map(|known| known.name))
    }

    /// Sets several options, whatever order they are given in, and checks the result. A shorter
    /// `rto_max` takes an `rto_initial` that is not given down with it.
    ///
    /// # Errors
    /// The first option that cannot be set, or that does not go together with the others.
    pub fn apply(&mut self, given: &[(&str, &str)]) -> Result<(), OptionError> {
        if let Some((name, value)) = given.iter().find(|one| Self::declaration(one.0).is_none()) {
            return Err(Self::unknown(name, value));
        }
        for declaration in Self::declarations() {
            for (_, value) in given.iter().filter(|(name, _)| *name == declaration.name) {
                declaration.set(self, value)?;
            }
        }
        let is_given = |wanted| given.iter().any(|(name, _)| *name == wanted);
        if is_given("rto_max") && !is_given("rto_initial") {
            self.rto_initial = self.rto_initial.min(self.rto_max);
        }
        self.validate()
    }

    /// Checks every option against its range, and against the others.
    ///
    /// # Errors
    /// The first option that is out of range, with its value and what would be right.
    pub fn validate(&self) -> Result<(), OptionError> {
        for declaration in Self::declarations() {
            declaration.check(self)?;
        }
        let broken = table::RULES.iter().find(|rule| !(rule.holds)(self));
        match broken {
            None => Ok(()),
            Some(rule) => Err(OptionError {
                option: rule.option.into(),
                value: self.get(rule.option).unwrap_or_default(),
                reason: rule.reason.into(),
            }),
        }
    }
}

/// Reads `NAME=VALUE,NAME=VALUE`, over those of `profile=NAME` if that is among them, else of the
/// default profile.
impl FromStr for Options {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let (profiles, given): (Vec<_>, Vec<_>) =
            pairs(text).partition(|(name, _)| *name == "profile");
        let mut options = Self::default();
        if let Some((_, name)) = profiles.last() {
            options = name.parse::<Profile>()?.options();
        }
        options.apply(&given)?;
        Ok(options)
    }
}

/// The names and values of `NAME=VALUE,NAME=VALUE`.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let items = text.split(',').filter(|item| !item.trim().is_empty());
    items.map(|item| {
        let (name, value) = item.split_once('=').unwrap_or((item, ""));
        (name.trim(), value.trim())
    })
}

/// The error for a name that is none of those known.
pub(super) fn unknown(
    name: &str,
    value: &str,
    known: impl Iterator<Item = &'static str>,
) -> OptionError {
    let nearest = nearest_name(name, known);
    let meant = nearest.map(|nearest| format!("; did you mean `{nearest}`?"));
    OptionError {
        option: name.into(),
        value: value.into(),
        reason: format!("there is no such option{}", meant.unwrap_or_default()),
    }
}

impl OptionDeclaration {
    /// Further conditions on it, a sentence each, without its name.
    pub fn conditions(&self) -> impl Iterator<Item = &'static str> + use<> {
        let name = self.name;
        let own = table::RULES.iter().filter(move |rule| rule.option == name);
        own.map(|rule| rule.reason)
    }
}

#[cfg(test)]
mod tests;
