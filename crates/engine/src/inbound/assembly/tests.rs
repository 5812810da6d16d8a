use sheave_wire::{Ppid, Ssn};

use super::*;
use crate::Delivery;

fn label() -> Label {
    Label {
        stream: StreamId(1),
        ssn: Ssn(0),
        ppid: Ppid(0),
        delivery: Delivery::Ordered,
    }
}

#[test]
fn fragments_become_one_message() {
    let mut assembly = Assembly::default();
    assembly.begin(label(), b"ab");
    assembly.extend(b"cd");
    let (_, payload, part) = assembly.finish().unwrap();
    assert_eq!(payload, "abcd");
    assert_eq!(part, Part::Whole);
    assert!(assembly.label().is_none());
}

#[test]
fn an_offer_that_nobody_took_leaves_the_message_whole() {
    let mut assembly = Assembly::default();
    assembly.begin(label(), b"ab");
    assembly.offer();
    assembly.extend(b"cd");
    assert_eq!(assembly.finish().unwrap().2, Part::Whole);
}

#[test]
fn a_message_that_was_begun_ends_with_its_last_part() {
    let mut assembly = Assembly::default();
    assembly.begin(label(), b"ab");
    assembly.offer();
    assert_eq!(assembly.take_part().unwrap().part, Part::First);
    assert_eq!(assembly.take_part(), None);
    assembly.extend(b"cd");
    assert_eq!(assembly.take_part(), None);
    assembly.offer();
    assert_eq!(assembly.take_part().unwrap().part, Part::Middle);
    assembly.extend(b"ef");
    let (_, payload, part) = assembly.finish().unwrap();
    assert_eq!(part, Part::Last);
    assert_eq!(payload, "ef");
}

#[test]
fn the_second_message_of_a_size_is_allocated_once() {
    let mut assembly = Assembly::default();
    for _ in 0..2 {
        assembly.begin(label(), &[1; 1000]);
        for _ in 0..8 {
            assembly.extend(&[2; 1000]);
        }
        let capacity = assembly.bytes.capacity();
        let (_, payload, _) = assembly.finish().unwrap();
        assert_eq!(payload.len(), 9000);
        assert_eq!(assembly.expected, 9000);
        assert!(capacity >= 9000);
    }
    assembly.begin(label(), &[1; 1000]);
    assert_eq!(assembly.bytes.capacity(), 9000);
}
