//! The corpus that the fuzzer has found, replayed through what the fuzz target calls.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/endpoint.rs"]
mod endpoint;
#[path = "bodies/handover.rs"]
mod handover;
#[path = "../../../fuzz/replay.rs"]
mod replay;

use endpoint::endpoint;
use handover::handover;
use replay::{play, replay};

#[test]
fn the_corpus_of_endpoint_passes() {
    replay("endpoint", endpoint);
}

#[test]
fn the_corpus_of_handover_passes() {
    replay("handover", handover);
}

#[test]
fn random_scripts_pass() {
    play(2000, 600, endpoint);
}

#[test]
fn exports_edited_by_chance_are_refused_or_survived() {
    play(2000, 40, handover);
}
