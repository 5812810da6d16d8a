//! The corpus that the fuzzer has found, replayed through what the fuzz target calls.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/datachannel.rs"]
mod datachannel;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use datachannel::datachannel;
use replay::{number, play, replay};

#[test]
fn the_corpus_of_datachannel_passes() {
    replay("datachannel", datachannel);
}

#[test]
fn random_scripts_pass() {
    play(number("SHEAVE_SCRIPTS", 1500), 600, datachannel);
}
