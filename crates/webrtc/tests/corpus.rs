//! The corpus of the fuzz target, replayed, and random scripts.

#[path = "../../../fuzz/replay.rs"]
mod replay;
#[path = "bodies/webrtc.rs"]
mod webrtc;

use replay::{Draw, number, replay};
use webrtc::webrtc;

#[test]
fn the_corpus_of_webrtc_passes() {
    replay("webrtc", webrtc);
}

#[test]
fn random_scripts_pass() {
    let mut draw = Draw(0x9e37_79b9_7f4a_7c15);
    for _ in 0..number("SHEAVE_SCRIPTS", 60) {
        // Most datagrams arrive and time goes on, else no script would get past the handshake.
        let script = (0..600).map(|_| match draw.byte() {
            byte @ 0..=159 => 48 + byte % 8 + if byte < 110 { 0 } else { 64 },
            byte => byte,
        });
        webrtc(&script.collect::<Vec<u8>>());
    }
}
