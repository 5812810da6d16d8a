use sheave_engine::{edit_distance, nearest_name};
use toml::{Table, Value};

use super::quantity::Expected;
use super::{Problem, ScenarioError, shown};

/// A table being read. It records the keys that were requested, and thus finds unknown ones.
pub(super) struct Section<'a> {
    path: String,
    table: &'a Table,
    asked: Vec<&'static str>,
}

impl<'a> Section<'a> {
    pub(super) fn new(path: &str, table: &'a Table) -> Self {
        Self {
            path: path.to_owned(),
            table,
            asked: Vec::new(),
        }
    }

    /// The full path of a key of this table.
    pub(super) fn at(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    pub(super) fn value(&mut self, key: &'static str) -> Option<&'a Value> {
        self.asked.push(key);
        self.table.get(key)
    }

    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&Value) -> Result<T, Expected>,
    ) -> Result<Option<T>, ScenarioError> {
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        read(value)
            .map(Some)
            .map_err(|expected| unexpected(&self.at(key), expected, value))
    }

    /// Reads a value, or returns `usual` without one.
    pub(super) fn or<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&Value) -> Result<T, Expected>,
        usual: T,
    ) -> Result<T, ScenarioError> {
        Ok(self.optional(key, read)?.unwrap_or(usual))
    }

    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&Value) -> Result<T, Expected>,
    ) -> Result<T, ScenarioError> {
        self.optional(key, read)?.ok_or_else(|| self.missing(key))
    }

    /// The error for a missing key; if a similar key exists, the error reports that one as
    /// misspelt.
    fn missing(&self, key: &'static str) -> ScenarioError {
        let known = |other: &&String| self.asked.contains(&other.as_str());
        let others = self.table.keys().filter(|other| !known(other));
        let near = others.map(|other| (edit_distance(other, key), other));
        // Keys requested later are too different to be typing errors.
        match near.filter(|(distance, _)| *distance <= 2).min() {
            None => ScenarioError::new(&self.at(key), Problem::Missing),
            Some((_, other)) => {
                let nearest = Some(key.to_owned());
                ScenarioError::new(&self.at(other), Problem::UnknownKey { nearest })
            }
        }
    }

    /// Reads the table under a key with `read`, with its own path.
    pub(super) fn table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Section<'_>) -> Result<T, ScenarioError>,
    ) -> Result<Option<T>, ScenarioError> {
        let at = self.at(key);
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let Value::Table(table) = value else {
            return Err(unexpected(&at, "a table", value));
        };
        Section::new(&at, table).all(read).map(Some)
    }

    /// Reads the table with `read`; an error if a key was not requested.
    pub(super) fn all<T>(
        mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ScenarioError>,
    ) -> Result<T, ScenarioError> {
        let value = read(&mut self)?;
        self.finish()?;
        Ok(value)
    }

    pub(super) fn required_table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Section<'_>) -> Result<T, ScenarioError>,
    ) -> Result<T, ScenarioError> {
        let read = self.table(key, read)?;
        read.ok_or_else(|| ScenarioError::new(&self.at(key), Problem::Missing))
    }

    /// Reads all tables under a key; each has a name.
    pub(super) fn tables<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&str, &Table) -> Result<T, ScenarioError>,
    ) -> Result<Vec<T>, ScenarioError> {
        let at = self.at(key);
        let Some(value) = self.value(key) else {
            return Ok(Vec::new());
        };
        let Value::Table(tables) = value else {
            return Err(unexpected(&at, "tables with names", value));
        };
        let named = tables.iter().map(|(name, value)| {
            let at = format!("{at}.{name}");
            match value {
                Value::Table(table) => read(&at, table),
                _ => Err(unexpected(&at, "a table", value)),
            }
        });
        named.collect()
    }

    /// Reads a key whose value must be in `words`.
    pub(super) fn word<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
    ) -> Result<Option<T>, ScenarioError> {
        let at = self.at(key);
        let Some(value) = self.value(key) else {
            return Ok(None);
        };
        let known = words.iter().find(|(word, _)| value.as_str() == Some(*word));
        match known {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => {
                let words: Vec<String> = words
                    .iter()
                    .map(|(word, _)| format!("\"{word}\""))
                    .collect();
                Err(unexpected(&at, &words.join(" or "), value))
            }
        }
    }

    /// Reads a key whose value must be in `words`, or returns `usual` without one.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&'static str, T)],
        usual: T,
    ) -> Result<T, ScenarioError> {
        Ok(self.word(key, words)?.unwrap_or(usual))
    }

    /// Reads the `kind` of a table, which must be in `kinds`.
    pub(super) fn kind(&mut self, kinds: &[&'static str]) -> Result<&'static str, ScenarioError> {
        let words: Vec<_> = kinds.iter().map(|kind| (*kind, *kind)).collect();
        let kind = self.word("kind", &words)?;
        kind.ok_or_else(|| ScenarioError::new(&self.at("kind"), Problem::Missing))
    }

    /// Checks that all keys were requested.
    pub(super) fn finish(self) -> Result<(), ScenarioError> {
        let unknown = self
            .table
            .keys()
            .find(|key| !self.asked.contains(&key.as_str()));
        let Some(key) = unknown else { return Ok(()) };
        let nearest = nearest_name(key, self.asked.iter().copied()).map(str::to_owned);
        let at = self.at(key);
        Err(ScenarioError::new(&at, Problem::UnknownKey { nearest }))
    }

    pub(super) fn text(value: &Value) -> Result<String, Expected> {
        value.as_str().map(str::to_owned).ok_or("a text")
    }

    pub(super) fn texts(value: &Value) -> Result<Vec<String>, Expected> {
        const EXPECTED: Expected = "a list of texts";
        let values = value.as_array().ok_or(EXPECTED)?;
        let texts = values
            .iter()
            .map(|value| Self::text(value).map_err(|_| EXPECTED));
        texts.collect()
    }
}

pub(super) fn unexpected(at: &str, expected: &str, found: &Value) -> ScenarioError {
    let problem = Problem::Unexpected {
        expected: expected.to_owned(),
        found: shown(found),
    };
    ScenarioError::new(at, problem)
}
