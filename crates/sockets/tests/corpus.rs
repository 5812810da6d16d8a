//! The corpus that the fuzzer has found, replayed through what the fuzz target calls.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/sockets.rs"]
mod sockets;

use std::fs;
use std::path::Path;

#[test]
fn the_corpus_of_sockets_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/sockets");
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("a corpus") {
        sockets::sockets(&fs::read(entry.expect("an entry").path()).expect("an input"));
        inputs += 1;
    }
    assert!(inputs > 0, "no corpus in {}", folder.display());
}

#[test]
fn random_calls_pass() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..2000 {
        let length = next() % 600;
        let script: Vec<u8> = (0..length).map(|_| (next() >> 24) as u8).collect();
        sockets::sockets(&script);
    }
}
