//! Hostile and broken input. Each test names the row of `docs/hostile.md` that it covers.

mod acknowledgements;
mod addresses;
mod amplification;
mod blind;
mod cookies;
mod cost;
mod heartbeats;
mod memory;
mod multipath;
mod parsing;
mod setup;
mod sources;
mod table;
mod timers;
mod zero_checksum;

use crate::prelude::*;
