#![no_main]

#[path = "../../crates/datachannel/tests/bodies/datachannel.rs"]
mod datachannel;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| datachannel::datachannel(bytes));
