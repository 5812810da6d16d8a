use std::vec::Vec;

use crate::{Chunk, Pad};

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
