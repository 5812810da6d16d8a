//! The corpus of the fuzz target, replayed.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/key_management.rs"]
mod key_management;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use key_management::key_management;
use replay::{number, play, replay};

#[test]
fn the_corpus_of_key_management_passes() {
    replay("key_management", key_management);
}

#[test]
fn random_scripts_pass() {
    play(number("SHEAVE_SCRIPTS", 300), 100, key_management);
}
