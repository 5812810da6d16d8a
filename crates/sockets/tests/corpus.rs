//! Replays the fuzzer's corpus through the fuzz target's body.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "../../../fuzz/replay.rs"]
mod replay;
#[path = "bodies/sockets.rs"]
mod sockets;

use replay::{Draw, corpus, number, play, replay};
use sockets::sockets;

#[test]
fn the_corpus_of_sockets_passes() {
    replay("sockets", sockets);
}

#[test]
fn random_calls_pass() {
    play(2000, 600, sockets);
}

// Runs `SHEAVE_SOCKETS_SCRIPTS` scripts, drawn with seed `SHEAVE_SOCKETS_SEED`.
#[test]
fn inputs_of_the_corpus_joined_and_changed_pass() {
    let corpus = corpus("sockets");
    let first = number("SHEAVE_SOCKETS_SEED", 1);
    for seed in first..first + number("SHEAVE_SOCKETS_SCRIPTS", 2000) {
        let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        draw.next();
        let mut script = corpus[draw.below(corpus.len())].clone();
        let other = &corpus[draw.below(corpus.len())];
        script.truncate(draw.below(script.len() + 1));
        script.extend(&other[draw.below(other.len())..]);
        for _ in 0..draw.below(8) {
            let at = draw.below(script.len());
            if let Some(byte) = script.get_mut(at) {
                *byte = draw.byte();
            }
        }
        // Shown if the test fails.
        eprintln!("seed {seed}");
        sockets(&script);
    }
}
