//! Replays the fuzzer's corpus through the fuzz target's body.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/sockets.rs"]
mod sockets;

use std::path::Path;
use std::{env, fs, io};

/// Inputs of the corpus.
fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/sockets");
    let entries = fs::read_dir(&folder).expect("a corpus");
    let read = |entry: io::Result<fs::DirEntry>| fs::read(entry?.path());
    let mut inputs: Vec<Vec<u8>> = entries
        .map(|entry| read(entry).expect("an input"))
        .collect();
    assert!(!inputs.is_empty(), "no corpus in {}", folder.display());
    inputs.sort();
    inputs
}

/// Random numbers (xorshift).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    fn byte(&mut self) -> u8 {
        (self.next() >> 24) as u8
    }
}

#[test]
fn the_corpus_of_sockets_passes() {
    for input in corpus() {
        sockets::sockets(&input);
    }
}

#[test]
fn random_calls_pass() {
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2000 {
        let length = draw.below(600);
        let script: Vec<u8> = (0..length).map(|_| draw.byte()).collect();
        sockets::sockets(&script);
    }
}

// Runs `SHEAVE_SOCKETS_SCRIPTS` scripts, drawn with seed `SHEAVE_SOCKETS_SEED`.
#[test]
fn inputs_of_the_corpus_joined_and_changed_pass() {
    let number = |name: &str, usual: u64| {
        let text = env::var(name).ok();
        text.map_or(usual, |text| text.parse().expect("a number"))
    };
    let corpus = corpus();
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
        sockets::sockets(&script);
    }
}
