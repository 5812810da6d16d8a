//! The corpus of the fuzz target, replayed, and random scripts.
#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of a test are small, or meant to be cut"
)]

#[path = "bodies/webrtc.rs"]
mod webrtc;

use std::fs;
use std::path::Path;

use webrtc::webrtc;

#[test]
fn the_corpus_of_webrtc_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/webrtc");
    let mut inputs = 0;
    for entry in fs::read_dir(&folder).expect("a corpus") {
        webrtc(&fs::read(entry.expect("an entry").path()).expect("an input"));
        inputs += 1;
    }
    assert!(inputs > 0, "no corpus in {}", folder.display());
}

#[test]
fn random_scripts_pass() {
    let count: u64 =
        std::env::var("SHEAVE_SCRIPTS").map_or(60, |count| count.parse().expect("a number"));
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    for _ in 0..count {
        // Most datagrams arrive and time goes on, else no script would get past the handshake.
        let script = (0..600).map(|_| match next() {
            byte @ 0..=159 => 48 + byte % 8 + if byte < 110 { 0 } else { 64 },
            byte => byte,
        });
        webrtc(&script.collect::<Vec<u8>>());
    }
}
