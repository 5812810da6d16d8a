use core::fmt;

use sheave_engine::OptionError;

/// An error in a scenario, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The full key: `link.radio.loss`. Empty for the text as a whole.
    pub at: String,
    /// The error itself.
    pub problem: Problem,
}

/// The kind of an error in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The text is not valid TOML.
    Syntax(String),
    /// The key is unknown.
    UnknownKey {
        /// The most similar known key.
        nearest: Option<String>,
    },
    /// A required key is missing.
    Missing,
    /// The value is invalid.
    Unexpected {
        /// Description of valid values.
        expected: String,
        /// Description of the value found.
        found: String,
    },
    /// The value conflicts with another one.
    Conflict(String),
    /// A protocol parameter is invalid.
    Option {
        /// The value, as text.
        value: String,
        /// The reason, and how to fix the value.
        reason: String,
    },
}

impl ScenarioError {
    pub(super) fn new(at: &str, problem: Problem) -> Self {
        Self {
            at: at.to_owned(),
            problem,
        }
    }

    pub(super) fn of_option(at: &str, error: OptionError) -> Self {
        let OptionError { value, reason, .. } = error;
        Self::new(at, Problem::Option { value, reason })
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Problem::Option { value, reason } = &self.problem {
            return write!(f, "{} = {value}: {reason}", self.at);
        }
        if !self.at.is_empty() {
            write!(f, "{}: ", self.at)?;
        }
        match &self.problem {
            Problem::Syntax(error) => f.write_str(error),
            Problem::UnknownKey { nearest: None } => f.write_str("there is no such key"),
            Problem::UnknownKey {
                nearest: Some(nearest),
            } => write!(f, "there is no such key; did you mean `{nearest}`?"),
            Problem::Missing => f.write_str("is missing"),
            Problem::Unexpected { expected, found } => {
                write!(f, "must be {expected}, and is {found}")
            }
            Problem::Conflict(error) => f.write_str(error),
            Problem::Option { reason, .. } => f.write_str(reason),
        }
    }
}

impl std::error::Error for ScenarioError {}
