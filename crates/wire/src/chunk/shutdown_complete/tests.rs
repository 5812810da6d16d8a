use std::string::ToString;

use crate::captured::{SHUTDOWN_COMPLETE, assert_bytes, assert_captured, fault_of};
use crate::{Chunk, ShutdownComplete, TagReflection};

const REFLECTED: Chunk<'static> = Chunk::ShutdownComplete(ShutdownComplete {
    reflected: TagReflection::Reflected,
});

#[test]
fn a_captured_shutdown_complete_is_read_and_written() {
    let complete = ShutdownComplete {
        reflected: TagReflection::Own,
    };
    assert_captured(SHUTDOWN_COMPLETE, &Chunk::ShutdownComplete(complete));
}

#[test]
fn the_t_bit_tells_whose_tag_it_is() {
    assert_bytes("0e010004", &REFLECTED);
}

#[test]
fn a_value_is_malformed() {
    assert_eq!(
        fault_of("0e000008 00000000"),
        "SHUTDOWN COMPLETE with a value"
    );
}

#[test]
fn it_prints_the_t_bit() {
    assert_eq!(REFLECTED.to_string(), "SHUTDOWN COMPLETE tag reflected");
}
