//! Options in text form: names and values.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::str::FromStr;

use super::declaration::OptionDeclaration;
use super::parts::PARTS;
use super::{Options, Profile, nearest_name, table};
use crate::OptionError;

impl Options {
    /// The declarations of all options, ordered so that an option follows those that it depends on.
    pub fn declarations() -> impl Iterator<Item = &'static OptionDeclaration> + Clone {
        table::FIELDS.iter().chain(PARTS)
    }

    /// The declaration of the option with that name.
    #[must_use]
    pub fn declaration(name: &str) -> Option<&'static OptionDeclaration> {
        Self::declarations().find(|declaration| declaration.name == name)
    }

    /// The value of an option as text; `None` if no option has that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        Self::declaration(name).map(|declaration| declaration.value(self))
    }

    /// Parses `value` and sets the option with that name. [`validate`](Self::validate) checks for
    /// conflicts with other options.
    ///
    /// # Errors
    /// No option has that name, or the value cannot be parsed or is out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let declaration = Self::declaration(name).ok_or_else(|| Self::unknown(name, value))?;
        declaration.set(self, value)
    }

    fn unknown(name: &str, value: &str) -> OptionError {
        unknown(name, value, Self::declarations().map(|known| known.name))
    }

    /// Sets several options, in any order, and checks the result. A shorter `rto_max` also lowers
    /// `rto_initial`, unless that is given, too.
    ///
    /// # Errors
    /// The first option that cannot be set, or that conflicts with another.
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

    /// Checks the range of every option, and conflicts between options.
    ///
    /// # Errors
    /// The first invalid option, with its value and the accepted range.
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

/// Parses `NAME=VALUE,NAME=VALUE`, starting from the profile given by `profile=NAME`, or from the
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

/// Splits `NAME=VALUE,NAME=VALUE` into names and values.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let items = text.split(',').filter(|item| !item.trim().is_empty());
    items.map(|item| {
        let (name, value) = item.split_once('=').unwrap_or((item, ""));
        (name.trim(), value.trim())
    })
}

/// The error for an unknown name.
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
    /// Conditions that the option depends on, one sentence each, without its name.
    pub fn conditions(&self) -> impl Iterator<Item = &'static str> + use<> {
        let name = self.name;
        let own = table::RULES.iter().filter(move |rule| rule.option == name);
        own.map(|rule| rule.reason)
    }
}

#[cfg(test)]
mod tests;
