//! Exit codes and failures of commands.

use std::fmt;
use std::process::ExitCode;

/// The exit code of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Success,
    /// Failed; the error was already printed.
    Failure,
    /// The command line is wrong; for `ping` also any error but a missing answer.
    Usage,
    /// The exit code of a program that was run.
    Code(u8),
    /// The signal that ended a program.
    Signal(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl Exit {
    /// The exit code for the shell.
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

/// An error for the user, with a suggested remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The error.
    pub what: String,
    /// The remedy.
    pub fix: Option<String>,
}

impl Failure {
    /// Creates a failure.
    pub fn new(what: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Failure,
            what: what.to_string(),
            fix: None,
        }
    }

    /// Creates a failure for an invalid command line.
    pub fn usage(what: impl fmt::Display) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::new(what)
        }
    }

    /// Adds a remedy.
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

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(error)
    }
}

/// Adds the attempted action to an error.
pub trait While<T> {
    /// Returns the value, or a failure that names the action.
    fn while_doing(self, what: impl fmt::Display) -> Result<T, Failure>;
}

impl<T, E: fmt::Display> While<T> for Result<T, E> {
    fn while_doing(self, what: impl fmt::Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::new(format!("{what}: {error}")))
    }
}
