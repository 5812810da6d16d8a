//! Hostile and broken input. Each test names the row of `docs/hostile.md` that it stands for.

mod acknowledgements;
mod addresses;
mod amplification;
mod blind;
mod cookies;
mod heartbeats;
mod memory;
mod multipath;
mod parsing;
mod setup;
mod table;
mod zero_checksum;

use sheave_engine::{Heartbeats, Options};

/// Options without heartbeats: what is on the network then was caused by the attacker.
fn quiet() -> Options {
    Options {
        heartbeats: Heartbeats::Off,
        ..Options::default()
    }
}
