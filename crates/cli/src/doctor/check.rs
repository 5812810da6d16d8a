use serde_json::{Value, json};

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// No problem.
    Ok,
    Unknown,
    /// Works partly or unexpectedly.
    Warn,
    /// Does not work.
    Bad,
}

impl State {
    /// The state as a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}

/// A finding: observation, meaning, and remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The subject of the check.
    pub name: String,
    /// The result.
    pub state: State,
    /// The observation, in the system's words.
    pub saw: String,
    /// The consequence for the user.
    pub means: String,
    /// The next command or action; `None` where nothing has to be done.
    pub fix: Option<String>,
    /// The privilege that would reveal more.
    pub more: Option<String>,
}

impl Check {
    /// Creates a finding without a remedy.
    pub fn new(
        state: State,
        name: impl Into<String>,
        saw: impl Into<String>,
        means: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            state,
            saw: saw.into(),
            means: means.into(),
            fix: None,
            more: None,
        }
    }

    /// Adds a remedy.
    pub fn fix(self, fix: impl Into<String>) -> Self {
        Self {
            fix: Some(fix.into()),
            ..self
        }
    }

    /// Adds the privilege that would reveal more.
    pub fn more(self, more: impl Into<String>) -> Self {
        Self {
            more: Some(more.into()),
            ..self
        }
    }

    /// The finding as JSON.
    pub fn fields(&self) -> Value {
        json!({
            "name": self.name,
            "state": self.state.word(),
            "saw": self.saw,
            "means": self.means,
            "fix": self.fix,
            "more": self.more,
        })
    }
}
