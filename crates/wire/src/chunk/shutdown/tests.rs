use std::string::ToString;

use crate::captured::{SHUTDOWN, assert_captured, fault_of};
use crate::{Chunk, Shutdown, Tsn};

const CAPTURED: Chunk<'static> = Chunk::Shutdown(Shutdown {
    cumulative_tsn_ack: Tsn(0xd15e_3152),
});

#[test]
fn a_captured_shutdown_is_read_and_written() {
    assert_captured(SHUTDOWN, &CAPTURED);
}

#[test]
fn any_other_length_is_malformed() {
    let what = "SHUTDOWN not of 8 bytes";
    assert_eq!(fault_of("07000004"), what);
    assert_eq!(fault_of("07000007 01020300"), what);
    assert_eq!(fault_of("0700000c 01020304 05060708"), what);
}

#[test]
fn it_prints_the_cumulative_tsn() {
    assert_eq!(CAPTURED.to_string(), "SHUTDOWN cum 3512611154");
}
