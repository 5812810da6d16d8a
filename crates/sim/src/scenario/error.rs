use core::fmt;

/// What is wrong with a scenario, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The key, with all that it is under: `link.radio.loss`. Empty for the text as a whole.
    pub at: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What can be wrong with a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The text is no TOML.
    Syntax(String),
    /// There is no such key.
    UnknownKey {
        /// The nearest one that there is.
        nearest: Option<String>,
    },
    /// It must be there and is not.
    Missing,
    /// The value is not what it should be.
    Unexpected {
        /// What it should be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// It contradicts something else.
    Conflict(String),
}

impl ScenarioError {
    pub(super) fn new(at: &str, problem: Problem) -> Self {
        Self {
            at: at.to_owned(),
            problem,
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        }
    }
}

impl std::error::Error for ScenarioError {}
