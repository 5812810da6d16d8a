//! The ends of a command: exit codes and failures.

use std::fmt;
use std::process::ExitCode;

/// The exit code of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All went well.
    Success,
    /// Something failed; what, was said.
    Failure,
    /// The command line is wrong; for `ping` also any error but a missing answer.
    Usage,
    /// A program that was run exited with this.
    Code(u8),
    /// A signal of that number ended it.
    Signal(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl Exit {
    /// The number that the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::Code(code) => code,
            Self::Signal(number) => 128_u8.saturating_add(number),
        }
    }
}

/// An error for the user: what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The error.
    pub what: String,
    /// Advice on the error.
    pub fix: Option<String>,
}

impl Failure {
    /// Something that failed.
    pub fn new(what: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Failure,
            what: what.to_string(),
            fix: None,
        }
    }

    /// A mistake on the command line.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::new(what)
        }
    }

    /// The same failure with advice.
    pub fn fix(self, fix: impl fmt::Display) -> Self {
        Self {
            fix: Some(fix.to_string()),
            ..self
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sheave: {}", self.what)?;
        match &self.fix {
            Some(fix) => write!(f, "\n  {fix}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// Adds what was being done to an error that does not say it.
pub trait While<T> {
    /// The value, or a failure that says what was being done.
    fn while_doing(self, what: impl fmt::Display) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> While<T> for Result<T, E> {
    fn while_doing(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(format!("{what}: {error}")))
    }
}
