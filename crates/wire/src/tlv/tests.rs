use std::vec;
use std::vec::Vec;

use super::{Walk, header, pad, padded};
use crate::Malformed;
use crate::captured::hex;

/// Every step of a walk: what stood there, or what was wrong.
fn steps(digits: &str) -> Vec<Result<Vec<u8>, Malformed>> {
    let bytes = hex(digits);
    Walk::new(&bytes, 0)
        .map(|tlv| tlv.map(|tlv| tlv.whole.to_vec()))
        .collect()
}

fn fault(at: usize, what: &'static str) -> Result<Vec<u8>, Malformed> {
    Err(Malformed { at, what })
}

#[test]
fn padding_is_passed_over_whatever_its_bits() {
    let whole = steps("00010005 01 ffffff 00020004");
    assert_eq!(whole, [Ok(hex("0001000501")), Ok(hex("00020004"))]);
}

#[test]
fn padding_may_be_missing_at_the_end() {
    assert_eq!(steps("00010005 01"), [Ok(hex("0001000501"))]);
    assert_eq!(steps("00010006 0102 00"), [Ok(hex("000100060102"))]);
}

#[test]
fn a_length_below_four_ends_the_walk() {
    for length in ["0000", "0001", "0002", "0003"] {
        let digits = std::format!("00010004 0002{length} 00030004");
        assert_eq!(
            steps(&digits),
            [Ok(hex("00010004")), fault(4, "length below four")]
        );
    }
}

#[test]
fn a_length_past_the_end_ends_the_walk() {
    assert_eq!(
        steps("00010004 00020009 01020304"),
        [Ok(hex("00010004")), fault(4, "length past the end"),]
    );
    assert_eq!(steps("0001ffff"), [fault(0, "length past the end")]);
}

#[test]
fn a_piece_of_a_header_ends_the_walk() {
    for piece in ["00", "0001", "000100"] {
        assert_eq!(steps(piece), [fault(0, "fewer than four bytes left")]);
    }
}

#[test]
fn an_empty_body_has_no_steps() {
    assert_eq!(steps(""), []);
}

#[test]
fn every_step_takes_four_bytes_or_more() {
    let bytes = [0, 0, 0, 4].repeat(10_000);
    assert_eq!(Walk::new(&bytes, 0).count(), 10_000);
    let zeros = vec![0; 40_000];
    assert_eq!(Walk::new(&zeros, 0).count(), 1);
}

#[test]
fn lengths_are_rounded_up_to_four() {
    let rounded: Vec<usize> = (4..=9).map(padded).collect();
    assert_eq!(rounded, [4, 8, 8, 8, 8, 12]);
}

#[test]
fn padding_counts_from_where_the_item_began() {
    for len in 0..9 {
        let mut out = vec![0xff; 3 + len];
        pad(&mut out, 3);
        assert_eq!(out.len(), 3 + padded(len));
        assert!(out[3 + len..].iter().all(|byte| *byte == 0));
    }
}

#[test]
fn a_header_holds_type_and_length() {
    assert_eq!(header(0x0102, 0x0304), [1, 2, 3, 4]);
}
