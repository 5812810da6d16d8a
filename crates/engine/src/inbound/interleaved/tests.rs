use std::vec::Vec;

use sheave_wire::{IForwardTsn, Mid, Ssn, Tsn};

use super::super::window::MESSAGE_OVERHEAD;
use super::*;

const UNLIMITED: usize = usize::MAX;
const BUFFER: usize = 64 << 10;
const WHOLE: DataFlags = DataFlags::BEGINNING.union(DataFlags::ENDING);
const FIRST: DataFlags = DataFlags::BEGINNING;
const MIDDLE: DataFlags = DataFlags::EMPTY;
const LAST: DataFlags = DataFlags::ENDING;
const UNORDERED: DataFlags = DataFlags::UNORDERED;

fn inbound() -> Inbound {
    starting_at(1)
}

fn starting_at(tsn: u32) -> Inbound {
    interleaved(Inbound::new(Tsn(tsn), 100, BUFFER, BUFFER / 2))
}

fn interleaved(mut inbound: Inbound) -> Inbound {
    inbound.interleave();
    inbound.allow_skips();
    inbound
}

/// A chunk of message `mid`, fragment `fsn`.
fn chunk(tsn: u32, stream: u16, mid: u32, fsn: u32, flags: DataFlags, payload: &[u8]) -> IData<'_> {
    let first = flags.contains(DataFlags::BEGINNING);
    IData {
        flags,
        tsn: Tsn(tsn),
        stream: StreamId(stream),
        mid: Mid(mid),
        ppid_or_fsn: if first { 7 } else { fsn },
        payload,
    }
}

fn skip(stream: u16, order: MessageOrder, mid: u32) -> SkippedMessages {
    SkippedMessages {
        stream: StreamId(stream),
        order,
        mid: Mid(mid),
    }
}

impl Inbound {
    fn offer_it(&mut self, data: IData<'_>) -> Result<Arrival, PeerFault> {
        self.accept_interleaved(&data, UNLIMITED, &mut Pool::default())
    }

    #[track_caller]
    fn put(&mut self, data: IData<'_>) -> Arrival {
        self.offer_it(data).unwrap()
    }

    #[track_caller]
    fn skip_all(&mut self, tsn: u32, messages: &[SkippedMessages]) -> Arrival {
        let forward = IForwardTsn {
            new_cumulative_tsn: Tsn(tsn),
            skipped: List::from(messages),
        };
        self.skip(&forward.into(), &mut Pool::default()).unwrap()
    }

    /// Stream and part of everything that can be read.
    fn parts(&mut self) -> Vec<(u16, Part)> {
        let received = core::iter::from_fn(|| self.receive());
        received.map(|it| (it.message.stream.0, it.part)).collect()
    }

    #[track_caller]
    fn assert_empty(&self) {
        assert_eq!(self.buffered(), 0);
        let state = self.extensions.interleaved.as_ref().unwrap();
        assert!(!state.has_gatherings() && state.beyond.is_empty());
        assert!(state.offered.is_empty() && state.partly.is_empty());
        assert!(state.has_no_offers());
        assert_eq!(state.records(), 0);
    }
}

#[test]
fn fragments_of_several_messages_may_alternate() {
    let mut inbound = inbound();
    inbound.put(chunk(1, 1, 0, 0, FIRST, b"a1"));
    inbound.put(chunk(2, 2, 0, 0, FIRST, b"b1"));
    inbound.put(chunk(3, 1, 0, 0, FIRST.union(UNORDERED), b"u1"));
    inbound.put(chunk(4, 2, 0, 1, MIDDLE, b"b2"));
    inbound.put(chunk(5, 1, 0, 1, LAST, b"a2"));
    inbound.put(chunk(6, 1, 0, 1, LAST.union(UNORDERED), b"u2"));
    inbound.put(chunk(7, 2, 0, 2, LAST, b"b3"));
    let received = inbound.receive().unwrap();
    assert_eq!(&received.message.payload[..], b"a1a2");
    assert_eq!(received.message.ppid.0, 7);
    assert_eq!(inbound.texts(), ["u1u2", "b1b2b3"]);
    inbound.assert_empty();
}

#[test]
fn messages_of_a_stream_are_read_in_order_of_mids() {
    let mut inbound = inbound();
    inbound.put(chunk(3, 1, 2, 0, WHOLE, b"c"));
    inbound.put(chunk(2, 1, 1, 0, WHOLE, b"b"));
    inbound.put(chunk(4, 1, 0, 0, WHOLE.union(UNORDERED), b"u"));
    assert_eq!(inbound.texts(), ["u"]);
    let last = inbound.put(chunk(1, 1, 0, 0, WHOLE, b"a"));
    assert_eq!(last, Arrival::FilledGap);
    assert_eq!(inbound.texts(), ["a", "b", "c"]);
    inbound.assert_empty();
}

#[test]
fn every_order_of_arrival_gives_the_same_messages() {
    let chunks = [
        chunk(1, 1, 0, 0, FIRST, b"1"),
        chunk(2, 2, 0, 0, FIRST, b"x"),
        chunk(3, 1, 0, 1, MIDDLE, b"2"),
        chunk(4, 2, 0, 1, LAST, b"y"),
        chunk(5, 1, 0, 2, LAST, b"3"),
        chunk(6, 1, 1, 0, WHOLE, b"4"),
    ];
    let mut orders: Vec<Vec<usize>> = std::vec![Vec::new()];
    for n in 0..chunks.len() {
        let longer = |order: Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, n);
                order
            })
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    assert_eq!(orders.len(), 720);
    for order in orders {
        let mut inbound = inbound();
        for n in &order {
            inbound.put(chunks[*n]);
        }
        let mut strings = inbound.texts();
        strings.retain(|text| text != "xy");
        assert_eq!(strings, ["123", "4"], "{order:?}");
        assert_eq!(inbound.cumulative_tsn(), Tsn(6));
        inbound.assert_empty();
    }
}

// A30
#[test]
fn tsns_and_mids_and_fsns_wrap() {
    let mut inbound = starting_at(u32::MAX - 2);
    let state = inbound.extensions.interleaved().unwrap();
    state.next.replace(StreamId(1), Mid(u32::MAX - 1));
    let mut tsn = u32::MAX - 2;
    for mid in [u32::MAX, u32::MAX - 1, 0, 1] {
        inbound.put(chunk(tsn, 1, mid, 0, FIRST, b"a"));
        inbound.put(chunk(tsn.wrapping_add(1), 1, mid, 1, LAST, b"b"));
        tsn = tsn.wrapping_add(2);
    }
    assert_eq!(inbound.texts(), ["ab"; 4]);
    inbound.assert_empty();
    let mut gathering = Gathering::new();
    gathering.set_next(u64::from(u32::MAX));
    let wrapped = chunk(9, 1, 0, 0, MIDDLE, b"x");
    assert_eq!(gathering.place(&wrapped, Part::Middle), Ok(1 << 32));
}

#[test]
fn a_mid_that_is_past_is_dropped_and_acknowledged() {
    let mut inbound = inbound();
    inbound.put(chunk(1, 1, 0, 0, WHOLE, b"a"));
    inbound.put(chunk(2, 1, 0, 0, WHOLE, b"again"));
    assert_eq!(inbound.texts(), ["a"]);
    assert_eq!(inbound.cumulative_tsn(), Tsn(2));
    assert_eq!(inbound.stats().dropped_for_memory, 1);
    inbound.assert_empty();
}

#[test]
fn several_messages_are_handed_over_in_parts_at_once() {
    let mut inbound = inbound();
    let piece = [b'x'; 1000];
    let mut tsn = 0;
    let mut next = || {
        tsn += 1;
        tsn
    };
    for fsn in 0..24 {
        let flags = if fsn == 0 { FIRST } else { MIDDLE };
        inbound.put(chunk(next(), 1, 0, fsn, flags, &piece));
        inbound.put(chunk(next(), 2, 0, fsn, flags, &piece));
    }
    assert!(!inbound.is_readable());
    // The window is all but closed.
    for fsn in 24..32 {
        inbound.put(chunk(next(), 1, 0, fsn, MIDDLE, &piece));
        inbound.put(chunk(next(), 2, 0, fsn, MIDDLE, &piece));
    }
    inbound.put(chunk(next(), 3, 0, 0, FIRST, &piece));
    let first = [1, 2, 3].map(|stream| (stream, Part::First));
    assert_eq!(inbound.parts(), first);
    // While a message of stream 1 is in parts, no other one of that stream comes between.
    inbound.put(chunk(next(), 1, 0, 0, WHOLE.union(UNORDERED), b"between"));
    assert!(inbound.receive().is_none());
    inbound.put(chunk(next(), 2, 0, 32, LAST, b"end"));
    inbound.put(chunk(next(), 1, 0, 32, LAST, b"end"));
    inbound.put(chunk(next(), 3, 0, 1, LAST, b"end"));
    let last = |stream| (stream, Part::Last);
    assert_eq!(
        inbound.parts(),
        [last(2), last(1), (1, Part::Whole), last(3)]
    );
    inbound.assert_empty();
}

#[test]
fn chunks_beyond_a_gap_make_room_for_the_next_one() {
    let mut inbound = inbound();
    let piece = [b'x'; 1000];
    let mut tsn = 2;
    let beyond = |tsn| {
        let flags = if tsn == 2 { FIRST } else { MIDDLE };
        chunk(tsn, 1, 1, tsn - 2, flags, &piece)
    };
    while inbound.put(beyond(tsn)) == Arrival::OutOfOrder && tsn < 200 {
        tsn += 1;
    }
    assert!(tsn < 200, "the buffer is never full");
    let before = inbound.buffered();
    inbound.put(chunk(1, 1, 0, 0, WHOLE, &piece));
    assert!(inbound.buffered() <= before + 1000 + MESSAGE_OVERHEAD);
    assert_eq!(inbound.receive().unwrap().message.payload.len(), 1000);
    // What was dropped comes again, and the rest.
    inbound.put(beyond(tsn - 1));
    inbound.put(chunk(tsn, 1, 1, tsn - 2, LAST, &piece));
    let parts = core::iter::from_fn(|| inbound.receive());
    let total: usize = parts.map(|part| part.message.payload.len()).sum();
    assert_eq!(total, 1000 * (tsn as usize - 1));
    inbound.assert_empty();
}

// A18
#[test]
fn a_buffer_full_of_messages_that_cannot_go_on_is_a_fault() {
    let mut inbound = inbound();
    let mut fault = None;
    for n in 0..2000 {
        // Of each message all but the beginning.
        match inbound.offer_it(chunk(n + 1, 1, n + 1, 1, MIDDLE, b"x")) {
            Ok(_) => assert!(inbound.buffered() <= BUFFER + BUFFER * 5 / 16),
            Err(rule) => fault = Some(rule),
        }
    }
    assert_eq!(fault, Some(SKIPPED_MID));
}

#[test]
fn skipped_messages_are_not_waited_for() {
    let mut inbound = inbound();
    inbound.put(chunk(2, 1, 1, 0, WHOLE, b"kept"));
    inbound.put(chunk(3, 1, 2, 0, FIRST, b"half"));
    inbound.put(chunk(5, 1, 3, 0, WHOLE, b"next"));
    inbound.put(chunk(6, 2, 0, 0, FIRST.union(UNORDERED), b"half"));
    let skipped = [
        skip(1, MessageOrder::Ordered, 2),
        skip(2, MessageOrder::Unordered, 0),
        skip(9999, MessageOrder::Ordered, 0),
    ];
    assert_eq!(inbound.skip_all(4, &skipped), Arrival::FilledGap);
    assert_eq!(inbound.take_cut_off(), []);
    assert_eq!(inbound.texts(), ["kept", "next"]);
    assert_eq!(inbound.cumulative_tsn(), Tsn(6));
    inbound.assert_empty();
    // A fragment that was on its way is past.
    inbound.put(chunk(7, 1, 2, 1, LAST, b"late"));
    assert!(inbound.texts().is_empty());
    inbound.assert_empty();
}

#[test]
fn fragments_of_unordered_messages_that_come_after_the_skip_are_dropped() {
    for mid in [0, 7, u32::MAX, (1 << 31) - 1] {
        let mut inbound = inbound();
        let half = |tsn, mid, fsn, payload| chunk(tsn, 2, mid, fsn, UNORDERED, payload);
        inbound.put(half(1, mid, 1, b"half"));
        inbound.skip_all(2, &[skip(2, MessageOrder::Unordered, mid)]);
        inbound.put(half(4, mid, 3, b"late"));
        inbound.put(half(3, mid, 2, b"late"));
        inbound.put(half(5, mid.wrapping_sub(1), 9, b"of the one before"));
        inbound.assert_empty();
        // The next one, and one of the other sequence, are none of these.
        let next = mid.wrapping_add(1);
        inbound.put(chunk(6, 2, next, 0, FIRST.union(UNORDERED), b"ne"));
        inbound.put(chunk(7, 2, 0, 0, FIRST, b"or"));
        inbound.put(chunk(8, 2, next, 1, LAST.union(UNORDERED), b"xt"));
        inbound.put(chunk(9, 2, 0, 1, LAST, b"dered"));
        assert_eq!(inbound.texts(), ["next", "ordered"]);
        inbound.assert_empty();
    }
}

#[test]
fn a_skip_of_long_ago_or_before_a_reset_drops_nothing() {
    for reset in [&[StreamId(2)][..], &[]] {
        let mut inbound = inbound();
        inbound.skip_all(1, &[skip(2, MessageOrder::Unordered, 500)]);
        assert!(inbound.reset_streams(reset).is_empty());
        inbound.put(chunk(2, 2, 0, 0, FIRST.union(UNORDERED), b"ne"));
        inbound.put(chunk(3, 2, 0, 1, LAST.union(UNORDERED), b"w"));
        assert_eq!(inbound.texts(), ["new"]);
    }
    let mut inbound = inbound();
    inbound.skip_all(1, &[skip(2, MessageOrder::Unordered, 500)]);
    inbound.skip_all(1 << 30, &[]);
    inbound.skip_all((1 << 30) + 1, &[]);
    inbound.put(chunk((1 << 30) + 2, 2, 1, 0, FIRST.union(UNORDERED), b"ne"));
    inbound.put(chunk((1 << 30) + 3, 2, 1, 1, LAST.union(UNORDERED), b"w"));
    assert_eq!(inbound.texts(), ["new"]);
}

#[test]
fn skips_on_many_streams_are_remembered_within_bounds() {
    let mut inbound = inbound();
    inbound.add_streams(60_000);
    for n in 0..50_000 {
        let skipped = [skip(n, MessageOrder::Unordered, 1)];
        inbound.skip_all(u32::from(n) + 1, &skipped);
    }
    assert!(inbound.footprint() < 20_000, "{}", inbound.footprint());
    assert_eq!(inbound.buffered(), 0);
    inbound.put(chunk(50_001, 49_999, 1, 1, UNORDERED, b"late"));
    inbound.assert_empty();
}

#[test]
fn a_message_in_parts_that_is_skipped_is_cut_off() {
    let mut inbound = inbound();
    for fsn in 0..40 {
        let flags = if fsn == 0 { FIRST } else { MIDDLE };
        inbound.put(chunk(fsn + 1, 3, 0, fsn, flags, &[b'x'; 1000]));
    }
    assert_eq!(inbound.receive().unwrap().part, Part::First);
    let skipped = [skip(3, MessageOrder::Ordered, 0)];
    assert_eq!(inbound.skip_all(41, &skipped), Arrival::New);
    assert_eq!(inbound.take_cut_off(), [StreamId(3)]);
    assert!(inbound.receive().is_none());
    inbound.assert_empty();
}

// A17
#[test]
fn a_skip_that_is_not_ahead_changes_nothing() {
    let mut inbound = inbound();
    inbound.put(chunk(1, 1, 0, 0, WHOLE, b"a"));
    inbound.texts();
    for tsn in [0, 1, (1 << 31) + 1, u32::MAX] {
        let skipped = [skip(1, MessageOrder::Ordered, 500)];
        assert_eq!(inbound.skip_all(tsn, &skipped), Arrival::Duplicate);
        assert_eq!(inbound.cumulative_tsn(), Tsn(1));
    }
    inbound.put(chunk(2, 1, 1, 0, WHOLE, b"b"));
    assert_eq!(inbound.texts(), ["b"]);
}

#[test]
fn a_reset_lets_mids_of_both_kinds_begin_anew() {
    let mut inbound = inbound();
    inbound.put(chunk(1, 1, 0, 0, WHOLE, b"a"));
    inbound.put(chunk(2, 1, 2, 0, WHOLE, b"held"));
    inbound.put(chunk(3, 2, 0, 0, WHOLE, b"other"));
    assert!(inbound.reset_streams(&[StreamId(1)]).is_empty());
    inbound.put(chunk(4, 1, 0, 0, WHOLE, b"b"));
    inbound.put(chunk(5, 2, 1, 0, WHOLE, b"other"));
    assert_eq!(inbound.texts(), ["a", "other", "held", "b", "other"]);
    inbound.assert_empty();
}

#[test]
fn data_is_a_fault_where_i_data_was_agreed_on() {
    let mut inbound = inbound();
    let data = sheave_wire::Data {
        flags: WHOLE,
        tsn: Tsn(1),
        stream: StreamId(0),
        ssn: Ssn(0),
        ppid: sheave_wire::Ppid(0),
        payload: b"x",
    };
    let outcome = inbound.accept(&data, UNLIMITED, &mut Pool::default());
    assert_eq!(outcome, Err(NOT_INTERLEAVED));
}

/// Steps that each byte received may cost, headers included: a handful for each chunk or entry.
const STEPS_PER_BYTE: u64 = 1;

impl Inbound {
    #[track_caller]
    fn assert_linear(&self, bytes: usize) {
        let (steps, bound) = (self.work(), bytes as u64 * STEPS_PER_BYTE);
        assert!(steps <= bound, "{steps} steps for {bytes} bytes");
    }
}

/// Half-received messages of one stream and the bytes in which they came.
fn half_received(flags: DataFlags) -> (Inbound, usize) {
    let mut inbound = interleaved(Inbound::new(Tsn(1), 100, 4 << 20, 2 << 20));
    for n in 0..3000 {
        inbound.put(chunk(n + 2, 1, n + 1, 0, FIRST.union(flags), b"x"));
    }
    (inbound, 3000 * 24)
}

// A41
#[test]
fn skips_with_many_entries_cost_no_more_than_their_bytes() {
    for (flags, order) in [
        (DataFlags::EMPTY, MessageOrder::Ordered),
        (UNORDERED, MessageOrder::Unordered),
    ] {
        for mid in [0, 1 << 31] {
            let (mut inbound, mut bytes) = half_received(flags);
            // The same stream and MID again and again.
            let skipped = std::vec![skip(1, order, mid); 8000];
            for tsn in 0..20 {
                inbound.skip_all(3010 + tsn, &skipped);
                bytes += 8 + 8 * skipped.len();
            }
            inbound.assert_linear(bytes);
        }
    }
}

// A41: what is complete and must wait is not looked at again for every entry.
#[test]
fn skips_beside_messages_that_wait_cost_no_more_than_their_bytes() {
    let mut inbound = interleaved(Inbound::new(Tsn(1), 100, 4 << 20, 1));
    inbound.put(chunk(1, 1, 0, 0, FIRST, b"x"));
    assert_eq!(inbound.receive().unwrap().part, Part::First);
    for n in 0..3000 {
        inbound.put(chunk(n + 2, 1, n, 0, WHOLE.union(UNORDERED), b"x"));
    }
    assert!(!inbound.is_readable());
    let skipped = std::vec![skip(1, MessageOrder::Unordered, 1 << 30); 8000];
    let mut bytes = 3001 * 24;
    for tsn in 0..20 {
        inbound.skip_all(3010 + tsn, &skipped);
        bytes += 8 + 8 * skipped.len();
    }
    inbound.assert_linear(bytes);
    inbound.put(chunk(3030, 1, 0, 1, LAST, b"y"));
    assert_eq!(inbound.texts().len(), 3001);
    inbound.assert_empty();
}

// A41
#[test]
fn resets_of_many_streams_cost_no_more_than_their_bytes() {
    let mut inbound = interleaved(Inbound::new(Tsn(1), 10_000, 4 << 20, 2 << 20));
    let mut bytes = 0;
    let streams: Vec<StreamId> = (0..10_000).map(StreamId).collect();
    for round in 0..5 {
        for n in 0..3000_u32 {
            let stream = u16::try_from(n).unwrap();
            inbound.put(chunk(round * 3000 + n + 1, stream, 1, 0, FIRST, b"x"));
            bytes += 24;
        }
        assert!(inbound.reset_streams(&streams).is_empty());
        bytes += 20 + 2 * streams.len();
    }
    inbound.assert_linear(bytes);
    inbound.assert_empty();
}

// A41: a window that is all but closed makes all that is there be offered, once.
#[test]
fn chunks_in_a_narrow_window_cost_no_more_than_their_bytes() {
    let mut inbound = interleaved(Inbound::new(Tsn(1), 10_000, 1 << 20, 2 << 20));
    let mut bytes = 0;
    for n in 0..4000_u32 {
        let stream = u16::try_from(n).unwrap();
        // Beginnings that are not in turn, with a gap before all.
        let outcome = inbound.offer_it(chunk(60_000 - n, stream, 1, 0, FIRST, b"x"));
        assert!(outcome.is_ok());
        bytes += 24;
    }
    for n in 0..30_000_u32 {
        let outcome = inbound.offer_it(chunk(40_000 - n, 1, 2 + n, 0, FIRST, b"x"));
        assert!(outcome.is_ok());
        bytes += 24;
    }
    inbound.assert_linear(bytes);
}

// A41
#[test]
fn parts_that_are_read_cost_no_more_than_their_bytes() {
    let mut inbound = interleaved(Inbound::new(Tsn(1), 10_000, 4 << 20, 1));
    let mut bytes = 0;
    for n in 0..3000_u32 {
        let stream = u16::try_from(n / 2).unwrap();
        inbound.put(chunk(n + 1, stream, n % 2, 0, FIRST.union(UNORDERED), b"x"));
        bytes += 24;
    }
    let mut tsn = 3001;
    for fsn in 1..10 {
        for stream in 0..1500 {
            assert!(inbound.receive().is_some());
            inbound.put(chunk(tsn, stream, 0, fsn, MIDDLE.union(UNORDERED), b"x"));
            bytes += 24;
            tsn += 1;
        }
    }
    inbound.assert_linear(bytes);
}

#[test]
fn a_message_of_which_another_stood_in_the_way_is_offered_again() {
    let mut inbound = interleaved(Inbound::new(Tsn(1), 10, BUFFER, 4));
    inbound.put(chunk(1, 1, 0, 0, FIRST.union(UNORDERED), b"aaaa"));
    inbound.put(chunk(2, 1, 1, 0, FIRST.union(UNORDERED), b"bbbb"));
    assert_eq!(&inbound.receive().unwrap().message.payload[..], b"aaaa");
    // Until the first is complete.
    assert!(inbound.receive().is_none());
    inbound.put(chunk(3, 1, 0, 1, LAST.union(UNORDERED), b"a"));
    assert_eq!(inbound.receive().unwrap().part, Part::Last);
    inbound.put(chunk(4, 1, 1, 1, MIDDLE.union(UNORDERED), b"b"));
    assert_eq!(&inbound.receive().unwrap().message.payload[..], b"bbbbb");
    inbound.put(chunk(5, 1, 1, 2, LAST.union(UNORDERED), b"b"));
    assert_eq!(inbound.texts(), ["b"]);
    inbound.assert_empty();
}

#[test]
fn a_complete_message_that_loses_a_fragment_is_completed_again() {
    let mut inbound = inbound();
    inbound.put(chunk(3, 1, 1, 0, FIRST, b"a"));
    inbound.put(chunk(4, 1, 1, 1, MIDDLE, b"b"));
    inbound.put(chunk(5, 1, 1, 2, LAST, b"c"));
    inbound.renege();
    inbound.put(chunk(2, 1, 0, 0, WHOLE, b"first"));
    assert_eq!(inbound.texts(), ["first"]);
    inbound.put(chunk(5, 1, 1, 2, LAST, b"c"));
    assert_eq!(inbound.texts(), ["abc"]);
    inbound.put(chunk(1, 2, 0, 0, WHOLE, b"gap"));
    assert_eq!(inbound.texts(), ["gap"]);
    inbound.assert_empty();
}

#[test]
fn a_message_of_which_all_was_read_takes_nothing_from_the_window() {
    let mut inbound = interleaved(Inbound::new(Tsn(1), 100, BUFFER, 1));
    for tsn in 1..50 {
        let flags = if tsn == 1 { FIRST } else { MIDDLE };
        inbound.put(chunk(tsn, 3, 0, tsn - 1, flags, b"part"));
        assert_eq!(inbound.buffered(), 4 + GATHERING_OVERHEAD);
        let part = inbound.receive().unwrap();
        assert_eq!((part.origin.tsn, part.message.ppid.0), (Tsn(1), 7));
        let held = (inbound.buffered(), inbound.memory());
        assert_eq!(held, (0, DRAINED_OVERHEAD));
    }
    // What comes beyond a gap is dropped again.
    inbound.put(chunk(51, 3, 0, 50, LAST, b"end"));
    inbound.renege();
    let held = (inbound.buffered(), inbound.memory());
    assert_eq!(held, (0, DRAINED_OVERHEAD));
    inbound.put(chunk(50, 3, 0, 49, MIDDLE, b"the "));
    inbound.put(chunk(51, 3, 0, 50, LAST, b"end"));
    assert_eq!(inbound.texts(), ["the end"]);
    inbound.assert_empty();
}
