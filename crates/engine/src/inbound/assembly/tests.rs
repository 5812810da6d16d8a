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
    let (mut assembly, pool) = (Assembly::default(), &mut Pool::default());
    assembly.begin(label(), Origin::default(), b"ab", pool);
    assembly.extend(b"cd", pool);
    let (_, _, payload, part) = assembly.finish().unwrap();
    assert_eq!(payload, "abcd");
    assert_eq!(part, Part::Whole);
    assert!(assembly.label().is_none());
}

#[test]
fn an_offer_that_nobody_took_leaves_the_message_whole() {
    let (mut assembly, pool) = (Assembly::default(), &mut Pool::default());
    assembly.begin(label(), Origin::default(), b"ab", pool);
    assembly.offer();
    assembly.extend(b"cd", pool);
    assert_eq!(assembly.finish().unwrap().3, Part::Whole);
}

#[test]
fn a_message_that_was_begun_ends_with_its_last_part() {
    let (mut assembly, pool) = (Assembly::default(), &mut Pool::default());
    assembly.begin(label(), Origin::default(), b"ab", pool);
    assembly.offer();
    assert_eq!(assembly.take_part().unwrap().part, Part::First);
    assert_eq!(assembly.take_part(), None);
    assembly.extend(b"cd", pool);
    assert_eq!(assembly.take_part(), None);
    assembly.offer();
    assert_eq!(assembly.take_part().unwrap().part, Part::Middle);
    assembly.extend(b"ef", pool);
    let (_, _, payload, part) = assembly.finish().unwrap();
    assert_eq!(part, Part::Last);
    assert_eq!(payload, "ef");
}

/// Takes a message of nine fragments of 1000 bytes.
fn take_nine(assembly: &mut Assembly, pool: &mut Pool) -> Bytes {
    assembly.begin(label(), Origin::default(), &[1; 1000], pool);
    for _ in 0..8 {
        assembly.extend(&[2; 1000], pool);
    }
    assembly.finish().unwrap().2
}

#[test]
fn the_second_message_of_a_size_is_allocated_once() {
    let (mut assembly, pool) = (Assembly::default(), &mut Pool::default());
    let first = take_nine(&mut assembly, pool);
    assert_eq!(first.len(), 9000);
    assembly.begin(label(), Origin::default(), &[1; 1000], pool);
    assert!(assembly.room.as_ref().unwrap().block.capacity() >= 9000);
}

#[test]
fn a_message_takes_the_place_of_one_that_is_gone() {
    let (mut assembly, pool) = (Assembly::default(), &mut Pool::default());
    take_nine(&mut assembly, pool);
    let first = take_nine(&mut assembly, pool);
    let place = first.as_ptr();
    drop(first);
    assert_eq!(take_nine(&mut assembly, pool).as_ptr(), place);
}

#[test]
fn small_messages_share_a_block_of_bounded_size() {
    let (mut assembly, pool) = (Assembly::default(), &mut Pool::default());
    let mut kept = std::vec::Vec::new();
    for number in 0..200 {
        let message = assembly.whole(&[number; 100], pool);
        assert!(message.iter().all(|byte| *byte == number));
        kept.push(message);
        assert!(assembly.room.as_ref().unwrap().block_len as usize <= pool::SHARED);
    }
    assert!(
        kept.iter()
            .zip(0..)
            .all(|(message, number)| message[..] == [number; 100])
    );
}

#[test]
fn a_short_message_after_a_long_one_does_not_keep_its_room() {
    let (mut assembly, pool) = (Assembly::default(), &mut Pool::default());
    drop(take_nine(&mut assembly, pool));
    assembly.begin(label(), Origin::default(), b"short", pool);
    let place = assembly.room.as_ref().unwrap().block.as_ptr();
    let (_, _, short, _) = assembly.finish().unwrap();
    assert_ne!(short.as_ptr(), place);
    assert_eq!(short, "short");
}
