use std::string::ToString;
use std::vec::Vec;

use crate::captured::hex;
use crate::{Malformed, Parameter, Parameters};

#[test]
fn a_list_from_the_wire_equals_the_same_list_from_a_slice() {
    let bytes = hex("80000004 00070005 01");
    let parameters = [Parameter::EcnCapable, Parameter::StateCookie(&[1])];
    assert_eq!(Parameters::from_wire(&bytes), Parameters::from(&parameters));
    assert_ne!(
        Parameters::from_wire(&bytes),
        Parameters::from(&parameters[..1])
    );
}

#[test]
fn nothing_follows_a_fault() {
    // The second is an address of the wrong length, though its bounds are sound.
    let bytes = hex("80000004 00050004 80000004");
    let walked: Vec<_> = Parameters::from_wire(&bytes).iter().collect();
    let fault = Malformed {
        at: 4,
        what: "IPv4 Address not of 8 bytes",
    };
    assert_eq!(walked, [Ok(Parameter::EcnCapable), Err(fault)]);
}

#[test]
fn lists_with_the_same_fault_are_equal() {
    let bytes = hex("80000004 00050004");
    assert_eq!(Parameters::from_wire(&bytes), Parameters::from_wire(&bytes));
    assert_ne!(
        Parameters::from_wire(&bytes),
        Parameters::from(&[Parameter::EcnCapable])
    );
}

#[test]
fn bytes_from_the_wire_are_written_as_they_came() {
    let bytes = hex("00070005 01 ffffff 0005ffff");
    let list = Parameters::from_wire(&bytes);
    let mut out = Vec::new();
    list.write(&mut out);
    assert_eq!(
        (out.as_slice(), list.encoded_len()),
        (&bytes[..], bytes.len())
    );
    assert_eq!(list.wire_bytes(), Some(&bytes[..]));
    assert_eq!(Parameters::EMPTY.wire_bytes(), None);
}

#[test]
fn only_the_padding_between_items_is_written() {
    let parameters = [
        Parameter::StateCookie(&[1]),
        Parameter::StateCookie(&[2, 3]),
    ];
    let list = Parameters::from(&parameters);
    let mut out = Vec::from([0xee]);
    list.write(&mut out);
    assert_eq!(out, hex("ee 00070005 01000000 00070006 0203"));
    assert_eq!(list.encoded_len(), 14);
}

#[test]
fn both_kinds_know_whether_they_are_empty() {
    assert!(Parameters::EMPTY.is_empty());
    assert!(Parameters::from_wire(&[]).is_empty());
    assert!(!Parameters::from_wire(&[0]).is_empty());
}

#[test]
fn it_prints_at_most_64_items_and_the_fault() {
    let bytes = hex(&"80000004".repeat(70));
    let printed = Parameters::from_wire(&bytes).to_string();
    assert!(
        printed.ends_with("ECN Capable, ECN Capable and 6 more]"),
        "{printed}"
    );
    let broken = hex("80000004 0005");
    assert_eq!(
        Parameters::from_wire(&broken).to_string(),
        "[ECN Capable, malformed at byte 4: fewer than four bytes left]"
    );
}
