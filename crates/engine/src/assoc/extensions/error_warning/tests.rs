use std::vec::Vec;

use super::*;

/// A common header, a SACK-like control chunk, DATA of 18 bytes, CHECKED DATA of 40.
fn packet() -> Vec<u8> {
    let mut bytes = std::vec![0; 12];
    bytes.extend([3, 0, 0, 6, 9, 9, 0, 0]);
    bytes.extend([0, 3, 0, 18, 0, 0, 0, 5]);
    bytes.extend([7; 12]);
    bytes.extend([158, 3, 0, 40, 0, 0, 0, 6]);
    bytes.extend([7; 32]);
    bytes
}

#[test]
fn the_tsns_of_data_are_found_behind_other_chunks_and_padding() {
    let bytes = packet();
    assert_eq!(QuotedTsns::of(&bytes).collect::<Vec<_>>(), [Tsn(5), Tsn(6)]);
}

#[test]
fn a_quotation_may_end_anywhere() {
    let bytes = packet();
    for end in 0..bytes.len() {
        let found = QuotedTsns::of(&bytes[..end]).count();
        let expected = usize::from(end >= 28) + usize::from(end >= 48);
        assert_eq!(found, expected, "{end} bytes");
    }
}

#[test]
fn chunks_of_no_length_end() {
    let mut bytes = packet();
    bytes[14..16].copy_from_slice(&[0, 0]);
    assert!(QuotedTsns::of(&bytes).count() <= bytes.len() / 4);
}
