//! The corpus that the fuzzer has found, replayed through what the fuzz target calls.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/datachannel.rs"]
mod datachannel;

use std::fs;
use std::path::Path;

use datachannel::datachannel;

#[test]
fn the_corpus_of_datachannel_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/datachannel");
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("a corpus") {
        datachannel(&fs::read(entry.expect("an entry").path()).expect("an input"));
        inputs += 1;
    }
    assert!(inputs > 0, "no corpus in {}", folder.display());
}

#[test]
fn random_scripts_pass() {
    let count: u64 =
        std::env::var("SHEAVE_SCRIPTS").map_or(1500, |count| count.parse().expect("a number"));
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..count {
        let len = next() % 600;
        let script: Vec<u8> = (0..len).map(|_| (next() >> 24) as u8).collect();
        datachannel(&script);
    }
}
