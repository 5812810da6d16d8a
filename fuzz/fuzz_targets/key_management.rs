#![no_main]

#[path = "../../crates/secure/tests/bodies/key_management.rs"]
mod key_management;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| key_management::key_management(bytes));
