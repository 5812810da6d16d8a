#![no_main]

#[path = "../../crates/wire/tests/bodies/wire_parse.rs"]
mod wire_parse;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| wire_parse::wire_parse(bytes));
