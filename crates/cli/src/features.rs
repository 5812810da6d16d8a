//! Cargo features of the tool, and the commands and flags that each of them brings.

use clap::error::{ContextKind, ContextValue};

use crate::failure::Failure;

/// A cargo feature.
pub struct Feature {
    name: &'static str,
    /// Whether this tool was built with the feature.
    is_on: bool,
    /// Commands, and flags of commands that are always there.
    brings: &'static str,
}

impl Feature {
    fn words(&self) -> impl Iterator<Item = &'static str> {
        self.brings.split(' ')
    }
}

/// The features by name.
pub const FEATURES: [Feature; 3] = [
    Feature {
        name: "dtls",
        is_on: cfg!(feature = "dtls"),
        brings: "certificate --ca --cert --dtls --fingerprint --key --key-log --restart-keys \
            --keys --peer-name --psk --rekey --secure",
    },
    Feature {
        name: "lab",
        is_on: cfg!(feature = "lab"),
        brings: "bench emulate lab",
    },
    Feature {
        name: "webrtc",
        is_on: cfg!(feature = "webrtc"),
        brings: "dc",
    },
];

/// The failure for a command or flag that a missing feature would bring; `None` for other errors.
pub fn missing_for(error: &clap::Error) -> Option<Failure> {
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let word = kinds.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word.as_str()),
        _ => None,
    })?;
    missing(word)
}

/// The failure for a word that a missing feature would bring.
pub fn missing(word: &str) -> Option<Failure> {
    let mut features = FEATURES.iter();
    let missing = features.find(|one| !one.is_on && one.words().any(|known| known == word))?;
    let name = missing.name;
    let what = format!("{word}: this sheave was built without the cargo feature `{name}`");
    Some(Failure::usage(what).fix(format!("build it with --features {name}")))
}

#[cfg(test)]
mod tests;
