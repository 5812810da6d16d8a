use std::string::ToString;
use std::vec::Vec;

use crate::captured::assert_bytes;
use crate::{Chunk, Pad};

#[test]
fn it_looks_on_the_wire_as_the_rfc_draws_it() {
    assert_bytes("84000004", &Chunk::Pad(Pad { len: 4 }));
    assert_bytes("84000008 00000000", &Chunk::Pad(Pad { len: 8 }));
}

#[test]
fn every_length_is_written_and_read_back() {
    for len in [4, 8, 13, 1440] {
        let chunk = Chunk::Pad(Pad { len });
        let mut bytes = Vec::new();
        chunk.write(&mut bytes);
        assert_eq!(bytes.len(), usize::from(len));
        assert!(bytes[4..].iter().all(|byte| *byte == 0));
        assert_eq!(Chunk::parse(&bytes), Ok(chunk));
    }
}

#[test]
fn a_pad_shorter_than_its_header_is_written_as_a_header() {
    let mut bytes = Vec::new();
    Chunk::Pad(Pad { len: 0 }).write(&mut bytes);
    assert_eq!(bytes, [0x84, 0, 0, 4]);
}

#[test]
fn the_printer_tells_the_length() {
    assert_eq!(Chunk::Pad(Pad { len: 8 }).to_string(), "PAD 8 bytes");
}
