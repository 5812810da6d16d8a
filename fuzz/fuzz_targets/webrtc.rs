#![no_main]

#[path = "../../crates/webrtc/tests/bodies/webrtc.rs"]
mod webrtc;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| webrtc::webrtc(bytes));
