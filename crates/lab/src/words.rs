//! The texts of a study, from a TOML file beside its code.

use serde::Deserialize;

use crate::Drawing;

/// The texts of a study: title, subject, parameters and claims.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    pub(crate) title: Text,
    pub(crate) about: Text,
    pub(crate) drawing: Drawing,
    /// Variants of each claim: suffix of the claim's id, and prefix of its statement.
    #[serde(default)]
    readings: Vec<(String, String)>,
    pub(crate) parameter: Vec<ParameterWords>,
    /// Claims whose rules are code.
    #[serde(default)]
    pub(crate) claim: Vec<ClaimWords>,
}

/// The name of a placeholder in a parameter's text, and the value that the code inserts.
pub type Quantity = (&'static str, String);

/// A text in which line breaks are replaced by spaces.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "String")]
pub(crate) struct Text(pub(crate) String);

impl From<String> for Text {
    fn from(text: String) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        Self(words.join(" "))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterWords {
    pub(crate) name: String,
    /// The value, with placeholders `{name}` for a [`Quantity`].
    value: Text,
    #[serde(default)]
    pub(crate) origin: Origin,
}

/// The origin of a parameter's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The paper states the value.
    Paper,
    /// We chose the value, since the paper does not state it.
    #[default]
    Ours,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimWords {
    pub(crate) id: String,
    /// Id of an earlier claim whose texts replace those missing here.
    like: Option<String>,
    pub(crate) statement: Text,
    pub(crate) paper: Option<Text>,
    pub(crate) rule: Option<Text>,
    /// The reason why the claim already is about today's transports.
    pub(crate) already: Option<Text>,
    /// The reason why the claim has no counterpart today.
    pub(crate) not_comparable: Option<Text>,
}

impl Words {
    /// Parses the texts of a study.
    ///
    /// # Panics
    /// If the TOML is invalid, which is a bug since it is part of the program.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut words: Self = toml::from_str(text).expect("the words of a study");
        words.fill();
        let claims = core::mem::take(&mut words.claim);
        words.claim = match words.readings.is_empty() {
            true => claims,
            false => {
                let readings = words.readings.iter();
                let in_each = readings.flat_map(|reading| {
                    let claims = claims.iter();
                    claims.map(move |claim| claim.in_reading(reading))
                });
                in_each.collect()
            }
        };
        words
    }

    /// Fills in the texts of claims from the claims that they refer to.
    fn fill(&mut self) {
        for place in 0..self.claim.len() {
            let (before, rest) = self.claim.split_at_mut(place);
            let claim = &mut rest[0];
            if let Some(like) = &claim.like {
                let other = before.iter().find(|other| other.id == *like);
                claim.fill(other.expect("a claim before"));
            }
        }
    }
}

impl ParameterWords {
    /// The value with placeholders replaced.
    pub(crate) fn value(&self, quantities: &[Quantity]) -> String {
        let value = self.value.0.clone();
        quantities.iter().fold(value, |value, (name, quantity)| {
            value.replace(&format!("{{{name}}}"), quantity)
        })
    }
}

impl ClaimWords {
    fn fill(&mut self, other: &Self) {
        for (own, other) in [
            (&mut self.paper, &other.paper),
            (&mut self.rule, &other.rule),
            (&mut self.already, &other.already),
            (&mut self.not_comparable, &other.not_comparable),
        ] {
            if own.is_none() {
                own.clone_from(other);
            }
        }
    }

    fn in_reading(&self, (end, name): &(String, String)) -> Self {
        Self {
            id: format!("{}{end}", self.id),
            statement: Text(format!("{name}: {}", self.statement.0)),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests;
