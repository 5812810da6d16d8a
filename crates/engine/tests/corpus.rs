//! The corpus that the fuzzer has found, replayed through what the fuzz target calls.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/endpoint.rs"]
mod endpoint;
#[path = "bodies/handover.rs"]
mod handover;

use std::fs;
use std::path::Path;

use endpoint::endpoint;
use handover::handover;

/// Calls `body` with every input of a corpus.
fn replay(corpus: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let folder = folder.join(corpus);
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("a corpus") {
        body(&fs::read(entry.expect("an entry").path()).expect("an input"));
        inputs += 1;
    }
    assert!(inputs > 0, "no corpus in {}", folder.display());
}

/// Calls `body` with inputs of chance, so that the target is exercised where no fuzzer runs.
fn play(count: usize, longest: u64, body: fn(&[u8])) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..count {
        let len = next() % longest;
        let script: Vec<u8> = (0..len).map(|_| (next() >> 24) as u8).collect();
        body(&script);
    }
}

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
