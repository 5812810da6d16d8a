//! Inputs for the bodies of the fuzz targets where no fuzzer runs: its corpus, and bytes of chance.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]
#![allow(dead_code, reason = "each crate uses the parts that suit its targets")]

use std::path::Path;
use std::{env, fs, io};

/// The inputs that the fuzzer has found for a target.
pub(crate) fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let folder = folder.join(target);
    let entries = fs::read_dir(&folder).expect("a corpus");
    let read = |entry: io::Result<fs::DirEntry>| fs::read(entry?.path());
    let inputs = entries.map(|entry| read(entry).expect("an input"));
    let mut inputs: Vec<Vec<u8>> = inputs.collect();
    assert!(!inputs.is_empty(), "no corpus in {}", folder.display());
    inputs.sort();
    inputs
}

/// Calls `body` with every input of a corpus.
pub(crate) fn replay(target: &str, body: fn(&[u8])) {
    corpus(target).iter().for_each(|input| body(input));
}

/// Calls `body` with inputs of chance, shorter than `longest`.
pub(crate) fn play(count: u64, longest: usize, body: fn(&[u8])) {
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    for _ in 0..count {
        let len = draw.below(longest);
        let script: Vec<u8> = (0..len).map(|_| draw.byte()).collect();
        body(&script);
    }
}

/// The number in an environment variable, or the usual one.
pub(crate) fn number(name: &str, usual: u64) -> u64 {
    let text = env::var(name).ok();
    text.map_or(usual, |text| text.parse().expect("a number"))
}

/// Random numbers (xorshift).
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        (self.next() >> 24) as u8
    }
}
