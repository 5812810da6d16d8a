#![no_main]

#[path = "../../crates/sockets/tests/bodies/sockets.rs"]
mod sockets;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| sockets::sockets(bytes));
