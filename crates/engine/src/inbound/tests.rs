use std::collections::BTreeSet;
use std::mem::size_of;
use std::vec::Vec;

use sheave_wire::{DataFlags, Ppid, Ssn};

use super::*;

mod random;

const UNLIMITED: usize = usize::MAX;
const BUFFER: usize = 64 << 10;

pub(super) const WHOLE: DataFlags = DataFlags::BEGINNING.union(DataFlags::ENDING);
pub(super) const FIRST: DataFlags = DataFlags::BEGINNING;
pub(super) const MIDDLE: DataFlags = DataFlags::EMPTY;
pub(super) const LAST: DataFlags = DataFlags::ENDING;
pub(super) const UNORDERED: DataFlags = WHOLE.union(DataFlags::UNORDERED);

fn inbound() -> Inbound {
    Inbound::new(Tsn(1), 100, BUFFER, BUFFER / 2)
}

/// A chunk of one `payload` for the stream and SSN.
pub(super) fn chunk(tsn: u32, stream: u16, ssn: u16, flags: DataFlags, payload: &[u8]) -> Data<'_> {
    Data {
        flags,
        tsn: Tsn(tsn),
        stream: StreamId(stream),
        ssn: Ssn(ssn),
        ppid: Ppid(7),
        payload,
    }
}

impl Inbound {
    fn offer(&mut self, data: &Data<'_>, memory: usize) -> Result<Arrival, PeerFault> {
        self.accept(data, memory, &mut Pool::default())
    }

    #[track_caller]
    pub(super) fn take(&mut self, data: Data<'_>) -> Arrival {
        self.offer(&data, UNLIMITED).unwrap()
    }

    #[track_caller]
    fn fault(&mut self, data: Data<'_>) -> PeerFault {
        self.offer(&data, UNLIMITED).unwrap_err()
    }

    /// Part and length of what is read next.
    #[track_caller]
    fn part(&mut self) -> (Part, usize) {
        let received = self.receive().unwrap();
        (received.part, received.message.payload.len())
    }

    /// Every message that can be read, as text.
    pub(super) fn texts(&mut self) -> Vec<std::string::String> {
        let received = core::iter::from_fn(|| self.receive());
        let text =
            |it: Received| std::string::String::from_utf8(it.message.payload.to_vec()).unwrap();
        received.map(text).collect()
    }
}

#[test]
fn an_idle_one_is_small() {
    assert!(size_of::<Inbound>() <= 256, "{}", size_of::<Inbound>());
    assert!(size_of::<Acknowledger>() <= 40);
}

#[test]
fn messages_are_read_in_the_order_of_their_ssns_whatever_their_tsns() {
    // Beyond a gap, and against the TSNs (RFC 9260 §6.6).
    for tsns in [[5, 4, 3], [1, 2, 3]] {
        let mut inbound = inbound();
        inbound.take(chunk(tsns[0], 1, 2, WHOLE, b"c"));
        inbound.take(chunk(tsns[1], 1, 1, WHOLE, b"b"));
        assert!(!inbound.is_readable());
        inbound.take(chunk(tsns[2], 1, 0, WHOLE, b"a"));
        assert_eq!(inbound.texts(), ["a", "b", "c"], "{tsns:?}");
        assert!(inbound.backlog.is_empty());
        assert_eq!(inbound.buffered(), 0);
    }
}

#[test]
fn contradictory_fragment_bits_are_a_fault() {
    // A18: each pair has a message begin within another, or go on after its end.
    for (before, after) in [
        (FIRST, FIRST),
        (FIRST, WHOLE),
        (WHOLE, MIDDLE),
        (WHOLE, LAST),
        (LAST, LAST),
        (MIDDLE, WHOLE),
    ] {
        // In order, and beyond a gap, where a complete message is read at once.
        for mut tsn in [1, 5] {
            if tsn == 5 && before.contains(LAST) {
                continue;
            }
            let mut inbound = inbound();
            if !before.contains(FIRST) {
                inbound.take(chunk(tsn, 0, 0, FIRST, b"a"));
                tsn += 1;
            }
            inbound.take(chunk(tsn, 0, 0, before, b"a"));
            let fault = inbound.fault(chunk(tsn + 1, 0, 1, after, b"b"));
            assert_eq!(fault, PeerFault::BAD_FRAGMENT_BITS, "{before:?} {after:?}");
        }
    }
}

#[test]
fn a_fragment_beside_an_end_beyond_a_gap_must_fit_it() {
    for (tsn, flags) in [(6, MIDDLE), (4, WHOLE)] {
        let mut inbound = inbound();
        inbound.take(chunk(5, 0, 0, LAST, b"end"));
        let fault = inbound.fault(chunk(tsn, 0, 1, flags, b"beside"));
        assert_eq!(fault, PeerFault::BAD_FRAGMENT_BITS, "{flags:?}");
    }
}

#[test]
fn a_message_inside_another_is_a_fault_even_when_it_overtook() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 1, 0, WHOLE, b"inside"));
    assert_eq!(inbound.texts(), ["inside"]);
    let fault = inbound.fault(chunk(1, 0, 0, FIRST, b"outside"));
    assert_eq!(fault, PeerFault::BAD_FRAGMENT_BITS);
}

#[test]
fn fragments_that_differ_in_stream_ssn_or_order_are_a_fault() {
    let unordered = MIDDLE.union(DataFlags::UNORDERED);
    for tsn in [1, 5] {
        for second in [
            chunk(tsn + 1, 1, 0, MIDDLE, b"b"),
            chunk(tsn + 1, 0, 1, MIDDLE, b"b"),
            chunk(tsn + 1, 0, 0, unordered, b"b"),
            chunk(tsn + 1, 999, 0, MIDDLE, b"b"),
        ] {
            let mut inbound = inbound();
            inbound.take(chunk(tsn, 0, 0, FIRST, b"a"));
            let arrival = inbound.offer(&second, UNLIMITED);
            match second.stream {
                // The rest of a message that is not read is not kept.
                StreamId(999) if tsn == 5 => {
                    assert_eq!(arrival, Ok(Arrival::InvalidStream(StreamId(999))));
                }
                _ => assert_eq!(arrival, Err(PeerFault::MIXED_FRAGMENTS)),
            }
        }
    }
}

#[test]
fn an_ssn_that_waits_or_is_past_is_not_used_again() {
    for (tsn, ssn) in [(3, 1), (1, 0)] {
        let mut inbound = inbound();
        inbound.take(chunk(tsn, 0, ssn, WHOLE, b"a"));
        let fault = inbound.fault(chunk(tsn + 1, 0, ssn, WHOLE, b"b"));
        assert_eq!(fault, PeerFault::REUSED_SSN, "{ssn}");
    }
}

#[test]
fn a_message_larger_than_the_point_is_handed_over_in_parts() {
    let mut inbound = Inbound::new(Tsn(1), 1, BUFFER, 2500);
    for (tsns, flags, part) in [
        ([1, 2, 3], FIRST, Part::First),
        ([4, 5, 6], MIDDLE, Part::Middle),
    ] {
        inbound.take(chunk(tsns[0], 0, 0, flags, &[1; 1000]));
        inbound.take(chunk(tsns[1], 0, 0, MIDDLE, &[2; 1000]));
        assert!(!inbound.is_readable());
        inbound.take(chunk(tsns[2], 0, 0, MIDDLE, &[3; 1000]));
        assert_eq!(inbound.part(), (part, 3000));
    }
    inbound.take(chunk(7, 0, 0, LAST, b"7"));
    let last = inbound.receive().unwrap();
    assert_eq!(
        (last.part, &last.message.payload[..]),
        (Part::Last, &b"7"[..])
    );
    assert_eq!(inbound.buffered(), 0);
    assert_eq!(inbound.stats().messages, 1);
}

#[test]
fn a_message_that_is_read_late_is_whole_however_large() {
    let mut inbound = Inbound::new(Tsn(1), 1, BUFFER, 1000);
    inbound.take(chunk(1, 0, 0, FIRST, &[1; 1400]));
    assert!(inbound.is_readable());
    inbound.take(chunk(2, 0, 0, LAST, &[1; 1400]));
    assert_eq!(inbound.receive().unwrap().part, Part::Whole);
}

#[test]
fn other_streams_go_on_while_a_message_is_handed_over_in_parts() {
    let mut inbound = Inbound::new(Tsn(1), 9, BUFFER, 1000);
    inbound.take(chunk(1, 0, 0, FIRST, &[b'x'; 1400]));
    assert_eq!(inbound.receive().unwrap().part, Part::First);
    inbound.take(chunk(4, 1, 0, WHOLE, b"other stream"));
    inbound.take(chunk(5, 0, 0, UNORDERED, b"same stream"));
    inbound.take(chunk(6, 0, 1, WHOLE, b"next"));
    assert_eq!(inbound.texts(), ["other stream"]);
    inbound.take(chunk(2, 0, 0, MIDDLE, b"middle "));
    inbound.take(chunk(3, 0, 0, LAST, b"last"));
    assert_eq!(inbound.texts(), ["middle last", "next", "same stream"]);
}

#[test]
fn the_next_chunk_displaces_the_highest_when_the_buffer_is_full() {
    let mut inbound = Inbound::new(Tsn(1), 1, 8192, 1 << 20);
    let (mut tsn, mut ssn) = (3, 2);
    while inbound.take(chunk(tsn, 0, ssn, WHOLE, &[0; 1400])) == Arrival::OutOfOrder {
        tsn += 1;
        ssn += 1;
    }
    assert_eq!(inbound.gap_blocks(9), [GapBlock { start: 3, end: 7 }]);
    let arrival = inbound.take(chunk(2, 0, 1, WHOLE, &[0; 1400]));
    assert_eq!(arrival, Arrival::OutOfOrder);
    assert_eq!(inbound.gap_blocks(9), [GapBlock { start: 2, end: 6 }]);
    let arrival = inbound.take(chunk(1, 0, 0, WHOLE, &[0; 1400]));
    assert_eq!(arrival, Arrival::FilledGap);
    assert_eq!(inbound.cumulative_tsn(), Tsn(6));
    assert_eq!(core::iter::from_fn(|| inbound.receive()).count(), 6);
    let arrival = inbound.take(chunk(7, 0, 6, WHOLE, &[0; 1400]));
    assert_eq!(arrival, Arrival::New);
}

#[test]
fn a_peer_that_skips_an_ssn_and_fills_the_buffer_is_at_fault() {
    // A19: progress or a clean error, never silence.
    let mut inbound = Inbound::new(Tsn(1), 1, 8192, 4096);
    let mut faults = (1..100).filter_map(|n: u16| {
        let data = chunk(n.into(), 0, n, WHOLE, &[0; 1000]);
        inbound.offer(&data, UNLIMITED).err()
    });
    let fault = faults.next().unwrap();
    assert_eq!(fault, PeerFault::SKIPPED_SSN);
}

#[test]
fn the_endpoint_s_memory_is_a_limit_too() {
    let mut inbound = inbound();
    let data = chunk(1, 0, 0, WHOLE, &[0; 1000]);
    assert_eq!(inbound.offer(&data, 0), Ok(Arrival::NoRoom));
    let beyond = chunk(3, 0, 2, WHOLE, &[0; 1000]);
    assert_eq!(inbound.offer(&beyond, 1000), Ok(Arrival::NoRoom));
    assert_eq!(inbound.offer(&beyond, 2000), Ok(Arrival::OutOfOrder));
    // What is beyond makes way for what is next.
    assert_eq!(inbound.offer(&data, 0), Ok(Arrival::FilledGap));
    assert!(!inbound.has_gaps());
}

#[test]
fn an_incomplete_message_is_handed_over_when_the_endpoint_is_out_of_memory() {
    let mut inbound = inbound();
    inbound.take(chunk(1, 0, 0, FIRST, b"begun"));
    let next = chunk(2, 0, 0, MIDDLE, b" and");
    assert_eq!(inbound.offer(&next, 0), Ok(Arrival::NoRoom));
    assert_eq!(inbound.receive().unwrap().part, Part::First);
}

#[test]
fn the_next_expected_chunk_gets_in_though_others_hold_the_memory_of_the_endpoint() {
    let mut inbound = inbound();
    inbound.retain(Retention::Kept);
    inbound.take(chunk(3, 0, 0, LAST, &[0; 50]));
    let first = chunk(1, 0, 0, FIRST, b"begun");
    assert_eq!(inbound.offer(&first, 0), Ok(Arrival::OutOfOrder));
    // One is enough: what there is of the message makes room.
    let next = chunk(2, 0, 0, MIDDLE, b" and");
    assert_eq!(inbound.offer(&next, 0), Ok(Arrival::NoRoom));
    assert_eq!(inbound.receive().unwrap().part, Part::First);
    assert_eq!(inbound.offer(&next, 0), Ok(Arrival::FilledGap));
    assert_eq!(inbound.receive().unwrap().part, Part::Last);
}

/// Where a message was begun, and another one came whole: the parts that are left at the end.
#[test]
fn unread_messages_come_out_in_order_and_the_rest_of_one_first_where_parts_stay_together() {
    for (parts, expected) in [
        (MessageParts::Mixed, [Part::Whole, Part::Middle]),
        (MessageParts::Together, [Part::Middle, Part::Whole]),
    ] {
        let mut inbound = Inbound::new(Tsn(1), 2, BUFFER, 1000).with_parts(parts);
        inbound.take(chunk(1, 0, 0, FIRST, &[1; 1400]));
        inbound.receive().unwrap();
        inbound.take(chunk(2, 0, 0, MIDDLE, b"part"));
        inbound.take(chunk(4, 1, 0, WHOLE, b"whole"));
        let unread = inbound.into_unread();
        let unread: Vec<Part> = unread.iter().map(|received| received.part).collect();
        assert_eq!(unread, expected, "{parts:?}");
    }
}

#[test]
fn an_incomplete_message_that_was_not_begun_is_not_unread() {
    let mut inbound = inbound();
    inbound.take(chunk(1, 0, 0, FIRST, b"a"));
    assert_eq!(inbound.into_unread(), []);
}

#[test]
fn memory_that_is_not_needed_is_given_back() {
    let mut inbound = inbound();
    inbound.take(chunk(2, 0, 1, WHOLE, b"b"));
    inbound.take(chunk(1, 0, 0, WHOLE, b"a"));
    inbound.texts();
    inbound.trim();
    assert_eq!(inbound.ready.capacity(), 0);
}

#[test]
fn as_many_gaps_as_there_can_be_close_one_by_one() {
    // A17: every second TSN of the reach of a gap block, the highest first.
    let mut inbound = Inbound::new(Tsn(1), 1, 64 << 20, BUFFER);
    let ssn = |tsn: u32| u16::try_from(tsn - 1).unwrap();
    for tsn in (2..65_001).step_by(2).rev() {
        inbound.take(chunk(tsn, 0, ssn(tsn), WHOLE, b"x"));
    }
    assert_eq!(inbound.gap_blocks(usize::MAX).len(), 32_500);
    for tsn in (3..65_001).step_by(2).rev() {
        inbound.take(chunk(tsn, 0, ssn(tsn), WHOLE, b"x"));
    }
    assert_eq!(inbound.gap_blocks(usize::MAX).len(), 1);
    let last = inbound.take(chunk(1, 0, 0, WHOLE, b"x"));
    assert_eq!(last, Arrival::FilledGap);
    assert_eq!(inbound.texts().len(), 65_000);
    assert_eq!(inbound.buffered(), 0);
}

/// A chunk with these flags, as DATA or as I-DATA.
fn put_either(inbound: &mut Inbound, data: &Data<'_>, fsn: u32) {
    let pool = &mut Pool::default();
    if inbound.extensions.interleaved.is_none() {
        inbound.accept(data, UNLIMITED, pool).unwrap();
        return;
    }
    let chunk = sheave_wire::IData {
        flags: data.flags,
        tsn: data.tsn,
        stream: data.stream,
        mid: sheave_wire::Mid(data.ssn.0.into()),
        ppid_or_fsn: fsn,
        payload: data.payload,
    };
    inbound.accept_interleaved(&chunk, UNLIMITED, pool).unwrap();
}

/// Reads once. `open`: the streams of messages of which some parts were read.
fn read_part(inbound: &mut Inbound, open: &mut BTreeSet<StreamId>) -> Option<Part> {
    let Received { message, part, .. } = inbound.receive()?;
    match part {
        Part::Whole => assert!(!open.contains(&message.stream)),
        Part::First => assert!(open.insert(message.stream)),
        Part::Middle => assert!(open.contains(&message.stream)),
        Part::Last => assert!(open.remove(&message.stream)),
    }
    Some(part)
}

/// At whatever moment the peer restarts: the messages whose rest never comes are named, and nothing
/// but the end of others is left to be read.
#[test]
fn a_message_cut_off_by_a_restart_is_not_read_any_further() {
    let mut rng = crate::rng::Rng::new([3; 32]);
    let mut any_cut_off = false;
    for round in 0..2000_u32 {
        let mut inbound = Inbound::new(Tsn(1), 100, BUFFER, 20);
        if round % 2 == 0 {
            inbound.interleave();
        }
        let mut open = BTreeSet::new();
        // Of each stream: SSN, next fragment, fragments.
        let mut streams = [(0_u16, 0, 0); 3];
        let mut at = 0;
        for tsn in 1..rng.u32() % 60 {
            if round % 2 == 0 || streams[at].1 == 0 {
                at = rng.u32() as usize % 3;
            }
            let (ssn, fsn, fragments) = &mut streams[at];
            let mut flags = DataFlags::EMPTY;
            if *fsn == 0 {
                *fragments = 1 + rng.u32() % 9;
                flags = flags.union(FIRST);
            }
            if *fsn + 1 == *fragments {
                flags = flags.union(LAST);
            }
            let stream = u16::try_from(at).unwrap();
            let data = chunk(tsn, stream, *ssn, flags, b"0123456789");
            put_either(&mut inbound, &data, *fsn);
            *fsn += 1;
            if *fsn == *fragments {
                (*ssn, *fsn) = (*ssn + 1, 0);
            }
            if rng.u32().is_multiple_of(3) {
                read_part(&mut inbound, &mut open);
            }
        }
        let cut_off = inbound.restart(Tsn(1000), 100);
        while let Some(part) = read_part(&mut inbound, &mut open) {
            assert!(matches!(part, Part::Whole | Part::Last));
        }
        any_cut_off |= !cut_off.is_empty();
        assert_eq!(BTreeSet::from_iter(cut_off), open, "round {round}");
    }
    assert!(any_cut_off);
}

#[test]
fn parts_stay_together_where_they_are_to() {
    let mut inbound = Inbound::new(Tsn(1), 2, BUFFER, 1000).with_parts(MessageParts::Together);
    inbound.take(chunk(1, 0, 0, FIRST, &[1; 1400]));
    assert_eq!(inbound.receive().unwrap().part, Part::First);
    inbound.take(chunk(4, 1, 0, WHOLE, b"other"));
    assert!(!inbound.is_readable());
    assert_eq!((inbound.unread(), inbound.receive()), (0, None));
    inbound.take(chunk(2, 0, 0, MIDDLE, &[2; 1400]));
    assert_eq!(inbound.receive().unwrap().part, Part::Middle);
    inbound.take(chunk(3, 0, 0, LAST, b"end"));
    assert_eq!(inbound.unread(), 2);
    assert_eq!(inbound.receive().unwrap().part, Part::Last);
    assert_eq!(inbound.receive().unwrap().part, Part::Whole);
}

/// A message gets in whose end must come before anything that fills the window can be read.
#[test]
fn a_message_that_was_begun_ends_whatever_else_fills_the_window() {
    let mut inbound = Inbound::new(Tsn(1), 2, 8192, 1000).with_parts(MessageParts::Together);
    inbound.take(chunk(1, 0, 0, FIRST, &[1; 1400]));
    inbound.receive().unwrap();
    let mut n: u16 = 0;
    while inbound.take(chunk(30 + u32::from(n), 1, n, WHOLE, &[3; 1000])) == Arrival::OutOfOrder {
        n += 1;
    }
    for tsn in 2..29 {
        inbound.take(chunk(tsn, 0, 0, MIDDLE, &[2; 1400]));
        assert_eq!(inbound.receive().unwrap().part, Part::Middle, "{tsn}");
    }
    inbound.take(chunk(29, 0, 0, LAST, b"end"));
    assert_eq!(inbound.receive().unwrap().part, Part::Last);
    assert_eq!(inbound.unread(), usize::from(n));
}
