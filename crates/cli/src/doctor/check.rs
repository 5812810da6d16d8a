use serde_json::{Value, json};

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Nothing is in the way.
    Ok,
    /// Nothing could be found out.
    Unknown,
    /// Something works in a way that surprises, or works for some only.
    Warn,
    /// Something does not work.
    Bad,
}

impl State {
    /// The word for it, for people and programs.
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
    /// The thing that was looked at.
    pub name: String,
    /// The judgement.
    pub state: State,
    /// The observation, in the system's words.
    pub saw: String,
    /// The consequence for the user.
    pub means: String,
    /// The next command or action; `None` where nothing has to be done.
    pub fix: Option<String>,
    /// The privilege that would show more, and what.
    pub more: Option<String>,
}

impl Check {
    /// A finding with nothing to do about it.
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

    /// The same finding with a remedy.
    pub fn fix(self, fix: impl Into<String>) -> Self {
        Self {
            fix: Some(fix.into()),
            ..self
        }
    }

    /// The same finding with the privilege that would show more.
    pub fn more(self, more: impl Into<String>) -> Self {
        Self {
            more: Some(more.into()),
            ..self
        }
    }

    /// The finding for programs.
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
