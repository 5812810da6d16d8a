#![no_main]

#[path = "../../crates/engine/tests/bodies/handover.rs"]
mod handover;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| handover::handover(bytes));
