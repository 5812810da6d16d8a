#![no_main]

#[path = "../../crates/engine/tests/bodies/endpoint.rs"]
mod endpoint;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| endpoint::endpoint(bytes));
