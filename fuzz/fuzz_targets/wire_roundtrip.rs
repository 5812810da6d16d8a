#![no_main]

#[path = "../../crates/wire/tests/bodies/wire_roundtrip.rs"]
mod wire_roundtrip;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| wire_roundtrip::wire_roundtrip(bytes));
