//! Transfers files and directories in one association. `docs/transfer-protocol.md` describes the
//! messages; both halves are state machines without network code.

pub mod exclude;
pub mod hole;
pub mod manifest;
pub mod message;
pub mod name;
pub mod original;
pub mod pace;
pub mod part;
pub mod receiver;
pub mod sender;
pub mod store;
pub mod tree;

use std::fmt;

use message::{Malformed, VERSION};

/// A protocol violation by the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Malformed bytes.
    Malformed(Malformed),
    /// A message that is not allowed in this state.
    Rule(&'static str),
    /// An unsupported protocol version.
    Version(u16),
}

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(malformed) => malformed.fmt(f),
            Self::Rule(rule) => f.write_str(rule),
            Self::Version(version) => write!(
                f,
                "the peer speaks version {version} of the transfer protocol, this program speaks \
                 {VERSION}; use the same version of sheave at both ends"
            ),
        }
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests;
