use std::vec::Vec;

use sheave_wire::{DataFlags, ForwardTsn, List, SkippedStream, Ssn, StreamId, Tsn};

use super::super::Inbound;
use super::super::tests::{FIRST, LAST, MIDDLE, UNORDERED, WHOLE, chunk};
use crate::inbound::Arrival;
use crate::pool::Pool;

const UNORDERED_FIRST: DataFlags = DataFlags::UNORDERED.union(DataFlags::BEGINNING);

fn inbound() -> Inbound {
    let mut inbound = Inbound::new(Tsn(1), 10, 100_000, 50_000);
    inbound.allow_skips();
    inbound
}

impl Inbound {
    #[track_caller]
    fn skipped(&mut self, tsn: u32, streams: &[(u16, u16)]) -> Arrival {
        let named: Vec<SkippedStream> = streams
            .iter()
            .map(|&(stream, ssn)| SkippedStream {
                stream: StreamId(stream),
                ssn: Ssn(ssn),
            })
            .collect();
        let forward = ForwardTsn {
            new_cumulative_tsn: Tsn(tsn),
            skipped: List::from(&named[..]),
        };
        self.skip(&forward.into(), &mut Pool::default()).unwrap()
    }
}

#[test]
fn an_incomplete_message_is_dropped_and_its_stream_goes_on() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 3, 0, FIRST, b"begun"));
    inbound.take(chunk(5, 3, 1, WHOLE, b"next"));
    inbound.take(chunk(6, 4, 0, WHOLE, b"other"));
    inbound.skipped(4, &[(3, 0)]);
    let mut texts = inbound.texts();
    texts.sort();
    assert_eq!(texts, ["next", "other"]);
    assert_eq!(inbound.buffered(), 0);
}

/// The message that comes next is both the one at hand and the one that waited.
#[test]
fn a_message_right_behind_an_incomplete_one_is_read() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 3, 0, FIRST, b"begun"));
    inbound.take(chunk(4, 3, 1, WHOLE, b"next"));
    inbound.take(chunk(5, 3, 2, FIRST, b"to"));
    inbound.take(chunk(6, 3, 2, LAST, b"gether"));
    inbound.skipped(3, &[(3, 0)]);
    assert_eq!(inbound.texts(), ["next", "together"]);
    assert_eq!(inbound.buffered(), 0);
}

#[test]
fn a_message_that_was_being_put_together_is_dropped() {
    let mut inbound = inbound();
    inbound.take(chunk(1, 0, 0, FIRST, b"be"));
    inbound.take(chunk(2, 0, 0, MIDDLE, b"gun"));
    inbound.take(chunk(5, 0, 1, WHOLE, b"next"));
    inbound.skipped(4, &[(0, 0)]);
    assert_eq!(inbound.texts(), ["next"]);
    assert_eq!(inbound.buffered(), 0);
    assert_eq!(inbound.take_cut_off(), []);
}

#[test]
fn a_middle_and_an_end_without_a_beginning_are_dropped() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 0, 0, MIDDLE, b"x"));
    inbound.take(chunk(3, 0, 0, LAST, b"y"));
    inbound.take(chunk(4, 0, 1, WHOLE, b"next"));
    inbound.skipped(3, &[(0, 0)]);
    assert_eq!(inbound.texts(), ["next"]);
    assert_eq!(inbound.buffered(), 0);
}

#[test]
fn a_complete_message_among_skipped_ones_is_read_in_its_turn() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 0, 1, WHOLE, b"b"));
    inbound.take(chunk(4, 0, 3, WHOLE, b"d"));
    inbound.take(chunk(5, 0, 4, WHOLE, b"e"));
    inbound.skipped(4, &[(0, 3)]);
    assert_eq!(inbound.texts(), ["b", "d", "e"]);
}

#[test]
fn unordered_fragments_are_dropped_too() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 0, 0, UNORDERED_FIRST, b"x"));
    inbound.take(chunk(4, 0, 0, UNORDERED, b"whole"));
    inbound.skipped(3, &[]);
    assert_eq!(inbound.texts(), ["whole"]);
    assert_eq!(inbound.buffered(), 0);
}

#[test]
fn streams_that_do_not_exist_and_ssns_of_the_past_change_nothing() {
    let mut inbound = inbound();
    inbound.take(chunk(1, 0, 0, WHOLE, b"a"));
    inbound.skipped(2, &[(10, 5), (u16::MAX, 0), (0, 0), (0, u16::MAX)]);
    inbound.take(chunk(3, 0, 1, WHOLE, b"b"));
    assert_eq!(inbound.texts(), ["a", "b"]);
    assert!(inbound.footprint() < 2000);
}

/// Some senders give the rest of a message up that has no TSNs yet, and tell nobody.
#[test]
fn a_message_that_is_not_continued_is_no_fault_where_messages_may_be_given_up() {
    let mut inbound = inbound();
    inbound.take(chunk(1, 0, 0, FIRST, b"begun"));
    inbound.take(chunk(2, 1, 0, WHOLE, b"other"));
    inbound.take(chunk(3, 0, 1, WHOLE, b"next"));
    assert_eq!(inbound.texts(), ["other", "next"]);
    assert_eq!(inbound.buffered(), 0);
}

// RFC 9260 §6.2: what arrives and fits is acknowledged. The rest of the first message was given up
// before it was sent.
#[test]
fn a_message_behind_one_that_was_given_up_half_sent_is_kept_beyond_a_gap() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 0, 0, FIRST, b"begun"));
    let next = inbound.take(chunk(3, 1, 0, WHOLE, b"next"));
    assert_eq!(next, Arrival::OutOfOrder);
    inbound.take(chunk(4, 0, 1, FIRST, b"be"));
    inbound.take(chunk(5, 0, 2, FIRST, b"ano"));
    inbound.take(chunk(6, 0, 2, LAST, b"ther"));
    assert_eq!(inbound.gap_blocks(9).len(), 1);
    inbound.take(chunk(1, 2, 0, WHOLE, b"gap"));
    let mut texts = inbound.texts();
    texts.sort();
    assert_eq!(texts, ["another", "gap", "next"]);
    assert_eq!(inbound.buffered(), 0);
}

#[test]
fn misplaced_fragments_are_dropped_one_by_one() {
    for dropped in 0..4 {
        let mut inbound = inbound();
        inbound.take(chunk(2, 0, 0, FIRST, b"a"));
        inbound.take(chunk(3, 0, 1, FIRST, b"b"));
        inbound.take(chunk(4, 0, 1, MIDDLE, b"c"));
        inbound.take(chunk(5, 3, 0, LAST, b"d"));
        for _ in 0..dropped {
            inbound.renege();
        }
        inbound.take(chunk(1, 2, 0, WHOLE, b"gap"));
        inbound.skipped(9, &[(0, 1)]);
        assert_eq!(inbound.texts(), ["gap"]);
        assert_eq!(inbound.buffered(), 0);
    }
}
