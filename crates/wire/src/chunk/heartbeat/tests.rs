use std::string::ToString;

use crate::captured::{
    HEADER, HEARTBEAT, assert_bytes, assert_captured, fault_of, hex, packet_of, parse, write,
};
use crate::{Chunk, Heartbeat};

#[test]
fn a_captured_heartbeat_is_read_and_written() {
    let info = hex("3b2c016b7f2506000000000000000000021000007f000001000000000000000000000000");
    assert_captured(HEARTBEAT, &Chunk::Heartbeat(Heartbeat { info: &info }));
}

#[test]
fn the_answer_differs_in_its_type_alone() {
    assert_bytes(
        "0500000c 00010008 01020304",
        &Chunk::HeartbeatAck(Heartbeat {
            info: &[1, 2, 3, 4],
        }),
    );
}

#[test]
fn an_info_of_odd_length_is_padded_outside_both_lengths() {
    let packet = write(HEADER, &[Chunk::Heartbeat(Heartbeat { info: b"abcde" })]);
    assert_eq!(packet[12..], hex("0400000d 00010009 6162636465 000000"));
}

#[test]
fn an_empty_info_is_an_info() {
    assert_bytes(
        "04000008 00010004",
        &Chunk::Heartbeat(Heartbeat { info: b"" }),
    );
}

#[test]
fn a_heartbeat_without_info_is_malformed() {
    let what = "heartbeat without Heartbeat Info";
    assert_eq!(fault_of("04000004"), what);
    assert_eq!(fault_of("0400000c 00070008 01020304"), what);
    assert_eq!(fault_of("05000004"), what);
}

#[test]
fn an_info_that_reaches_past_the_chunk_is_malformed() {
    let what = "heartbeat without Heartbeat Info";
    assert_eq!(fault_of("0400000c 00010009 01020304 0b000004"), what);
    assert_eq!(fault_of("0400000c 00010003 01020304"), what);
}

#[test]
fn bytes_behind_the_info_are_ignored() {
    let packet = packet_of(&hex("04000010 00010006 01020000 80000004"));
    assert_eq!(
        parse(&packet),
        [Ok(Chunk::Heartbeat(Heartbeat { info: &[1, 2] }))]
    );
}

#[test]
fn it_prints_the_info_cut_short() {
    let heartbeat = Chunk::Heartbeat(Heartbeat { info: &[0xab, 1] });
    assert_eq!(heartbeat.to_string(), "HEARTBEAT info 2 bytes ab01");
}
