use core::fmt;
use std::io;
use std::net::SocketAddr;

use sheave_sim::scenario::ScenarioError;

/// The reason why a network cannot be emulated.
#[derive(Debug)]
pub enum EmulateError {
    /// The network description is invalid.
    Network(ScenarioError),
    /// The network has too few routes between its first two hosts.
    NoWay {
        /// Number of routes.
        ways: usize,
    },
    /// The address cannot be bound.
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        error: io::Error,
    },
    /// The TUN device cannot be created or opened.
    Tunnel {
        /// The device.
        name: String,
        /// The system's error.
        error: io::Error,
    },
}

impl fmt::Display for EmulateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(error) => error.fmt(f),
            Self::NoWay { ways: 0 } => {
                f.write_str("no link leads from the first host and none from the second")
            }
            Self::NoWay { ways } => write!(
                f,
                "the network has {ways} ways between its first two hosts, and more are wanted"
            ),
            Self::Listen { address, error } => write!(f, "cannot listen at {address}: {error}"),
            Self::Tunnel { name, error } => {
                write!(f, "cannot open the TUN device {name}: {error}")
            }
        }
    }
}

impl std::error::Error for EmulateError {}
