//! Input that occupies memory.

use crate::prelude::*;

use super::quiet;

const ROOM: usize = 65_536;

/// An engine with a small receive buffer that grants the maximum number of streams.
fn receiver() -> (World, Peer) {
    let (mut world, mut peer) = Peer::before_listener(quiet_but(|options| {
        options.receive_buffer = ROOM;
        options.partial_delivery_point = ROOM / 2;
    }));
    peer.streams = u16::MAX;
    peer.connect(&mut world, &[]);
    (world, peer)
}

/// Flags of the `n`th fragment of a message without an end.
fn begun(n: u32) -> DataFlags {
    match n {
        0 => DataFlags::BEGINNING,
        _ => DataFlags::EMPTY,
    }
}

/// Flags of an unordered message in one chunk.
const UNORDERED: DataFlags = WHOLE.union(DataFlags::UNORDERED);

/// Checks that the association lives, or ended by a rule that the peer broke.
#[track_caller]
fn assert_alive_or_at_fault(world: &mut World, peer: &mut Peer) {
    match world.close_reason(A) {
        None => peer.expect_alive(world),
        reason => assert!(world.peer_fault(A).is_some(), "{reason:?}"),
    }
}

/// Asserts that held data stays below the buffer and a packet or two.
#[track_caller]
fn assert_bounded(world: &mut World) {
    let held = world.endpoint(A).stats().buffered;
    assert!(held <= ROOM + ROOM / 4, "{held} bytes held");
}

// A48
#[test]
fn messages_on_streams_far_beyond_the_others_cost_no_table() {
    let (mut world, mut peer) = receiver();
    peer.send_data(&mut world, 0, 0, b"near");
    world.run_for(secs(1));
    let before = world.assoc(A).footprint();
    for stream in [511, 1023, 4095, 16_383, u16::MAX - 1] {
        peer.send_data(&mut world, stream, 0, b"far");
        world.run_for(secs(1));
    }
    assert_eq!(world.texts(A).len(), 6);
    let after = world.assoc(A).footprint();
    assert!(after < before + 1000, "{before} bytes, then {after}");
}

// A18
#[test]
fn first_fragments_on_every_stream_are_bounded() {
    let (mut world, mut peer) = receiver();
    for stream in 0..u16::MAX {
        let data = peer.fragment(DataFlags::BEGINNING, stream, 0, b"begin");
        peer.send(&mut world, &[Chunk::Data(data)]);
        if stream % 64 == 0 {
            world.run_for(ms(1));
            if !world.is_open(A) {
                return;
            }
            assert_bounded(&mut world);
        }
    }
}

// A18: consecutive fragments share one buffer; with gaps, each needs an entry.
#[test]
fn fragments_of_one_byte_are_bounded_by_what_they_cost() {
    for step in [1, 2] {
        let (mut world, mut peer) = receiver();
        world.set_reading(A, Reading::Stopped);
        for n in 0..20_000 {
            let data = peer.fragment(begun(n), 0, 0, b".");
            if n % step == 0 {
                peer.send(&mut world, &[Chunk::Data(data)]);
            }
            if n % 64 == 0 {
                world.run_for(ms(1));
                assert_bounded(&mut world);
            }
        }
        let stats = world.stats(A);
        assert_eq!(stats.dropped_for_memory > 0, step == 2, "{stats:?}");
    }
}

// A18: gaps are state as well.
#[test]
fn chunks_with_a_gap_before_each_are_bounded() {
    let (mut world, mut peer) = receiver();
    for n in 0..30_000 {
        let data = peer.data(0, n as u16, b"x");
        if n % 2 == 1 {
            peer.send(&mut world, &[Chunk::Data(data)]);
        }
        if n % 64 == 0 {
            world.run_for(ms(1));
            assert_bounded(&mut world);
        }
    }
    peer.expect_alive(&mut world);
}

// A42, A38: dropped data also leaves state: its TSN.
#[test]
fn data_on_streams_that_do_not_exist_at_every_second_tsn_is_charged_and_bounded() {
    for stream in [0, 9] {
        let (mut world, mut peer) = Peer::before_listener(quiet_but(|options| {
            options.receive_buffer = ROOM;
            options.max_inbound_streams = 1;
        }));
        peer.connect(&mut world, &[]);
        let mut most = 0;
        for n in 0..20_000_u32 {
            let data = peer.fragment(UNORDERED, stream, 0, b"x");
            if n % 2 == 1 {
                peer.send(&mut world, &[Chunk::Data(data)]);
            }
            if n % 64 == 0 {
                world.run_for(ms(1));
                assert_bounded(&mut world);
                // All readable data was read: only the TSNs are left.
                let held = world.endpoint(A).stats().buffered;
                assert!(held >= most, "what was kept is charged no longer");
                most = held;
            }
        }
        assert!(most > ROOM / 2, "{most} bytes charged");
        assert!(world.stats(A).dropped_for_memory > 0);
        peer.expect_alive(&mut world);
    }
}

// A42
#[test]
fn tsns_kept_beyond_a_gap_leave_room_for_what_fills_it() {
    let (mut world, mut peer) = receiver();
    let first = peer.tsn;
    for n in 0..8000_u32 {
        peer.tsn = first.plus(2 * n + 1);
        let data = peer.fragment(UNORDERED, 9, 0, b"x");
        peer.send(&mut world, &[Chunk::Data(data)]);
        if n % 64 == 0 {
            world.run_for(ms(1));
        }
    }
    let payload = [1; 1400];
    for ssn in 0..50 {
        peer.tsn = first.plus(2 * u32::from(ssn));
        peer.send_data(&mut world, 0, ssn, &payload);
        world.run_for(ms(1));
    }
    world.run_for(secs(1));
    let messages = world.messages(A).into_iter();
    let whole = messages.filter(|message| message.payload.len() == 1400);
    assert_eq!(whole.count(), 50);
    assert!(world.endpoint(A).stats().buffered < ROOM);
}

// A18: a TSN far ahead of all is outside any window.
#[test]
fn a_tsn_far_ahead_is_not_kept() {
    let (mut world, mut peer) = receiver();
    let near = peer.tsn;
    for ahead in [1 << 16, 1 << 20, 1 << 30, (1 << 31) - 1] {
        peer.tsn = near.plus(ahead);
        peer.send_data(&mut world, 0, 9, b"far");
    }
    world.run_for(secs(1));
    assert_bounded(&mut world);
    if world.is_open(A) {
        peer.tsn = near;
        peer.send_data(&mut world, 0, 0, b"near");
        world.run_for(secs(1));
        assert_eq!(world.texts(A), ["near"]);
    }
}

/// Chunks with these flags, streams and SSNs, one after the other.
fn contradict(kinds: &[(DataFlags, u16, u16)]) -> (World, Peer) {
    let (mut world, mut peer) = receiver();
    for (flags, stream, ssn) in kinds {
        let data = peer.fragment(*flags, *stream, *ssn, b"fragment");
        peer.send(&mut world, &[Chunk::Data(data)]);
    }
    world.run_for(secs(1));
    (world, peer)
}

// A18: consecutive TSNs that cannot be one message.
#[test]
fn contradictory_fragments_are_a_fault_or_nothing() {
    let (b, m, e) = (DataFlags::BEGINNING, DataFlags::EMPTY, DataFlags::ENDING);
    let u = DataFlags::UNORDERED;
    for kinds in [
        vec![(b, 0, 0), (b, 0, 0)],
        vec![(b, 0, 0), (b, 0, 1), (e, 0, 1)],
        vec![(m, 0, 0)],
        vec![(e, 0, 0)],
        vec![(b, 0, 0), (e, 1, 0)],
        vec![(b, 0, 0), (e, 0, 1)],
        vec![(b, 0, 0), (e.union(u), 0, 0)],
        vec![(b.union(u), 0, 0), (e, 0, 0)],
        vec![(b, 0, 0), (b.union(e), 0, 0), (e, 0, 0)],
        vec![(b, 0, 0), (m, 0, 0), (b.union(e), 0, 1), (e, 0, 0)],
    ] {
        let (mut world, mut peer) = contradict(&kinds);
        assert_alive_or_at_fault(&mut world, &mut peer);
        for (_, _, received) in world.received(A) {
            assert_eq!(received.message.payload.len() % 8, 0);
        }
    }
}

// A18: an SSN used twice, or one that lies behind.
#[test]
fn a_repeated_ssn_is_a_fault_or_nothing() {
    for ssns in [[0, 0, 0], [0, 1, 0], [5, 5, 5], [0, 65_535, 1]] {
        let (mut world, mut peer) = contradict(&ssns.map(|ssn| (WHOLE, 0, ssn)));
        assert_bounded(&mut world);
        assert_alive_or_at_fault(&mut world, &mut peer);
    }
}

// A19
#[test]
fn a_buffer_full_of_incomplete_messages_makes_progress_or_a_clean_end() {
    let (mut world, mut peer) = receiver();
    let payload = [1; 1400];
    let mut rest: Vec<Data<'_>> = Vec::new();
    for stream in 0..60 {
        let first = peer.fragment(DataFlags::BEGINNING, stream, 0, &payload);
        peer.send(&mut world, &[Chunk::Data(first)]);
        rest.push(first);
    }
    world.run_for(secs(1));
    // The peer continues regardless.
    for round in 0..50 {
        let last = peer.fragment(DataFlags::EMPTY, 0, 0, &payload);
        peer.take(&world);
        peer.send(&mut world, &[Chunk::Data(last)]);
        world.run_for(secs(1));
        if world.close_reason(A).is_some() {
            assert_alive_or_at_fault(&mut world, &mut peer);
            assert_eq!(world.endpoint(A).stats().buffered, 0);
            return;
        }
        let answered = !peer.take(&world).is_empty();
        assert!(answered, "silence in round {round}");
        if !world.received(A).is_empty() {
            return;
        }
    }
    panic!("neither progress nor an end");
}

// A20
#[test]
fn a_window_that_closes_and_opens_by_crumbs_keeps_the_association() {
    let options = quiet_but(|options| options.association_max_retrans = 3);
    let (mut world, mut peer) = Peer::serving(options);
    world.send_times(A, 30, &blob(0, 1452));
    let mut acknowledged = 0;
    for round in 0..400_u32 {
        world.run_for(ms(700));
        let arrived = peer.take(&world);
        for data in arrived.iter().flat_map(Record::data) {
            acknowledged = acknowledged.max(data.tsn.distance_from(peer.engine_tsn) + 1);
        }
        let window = [0, 100, 0, 1000, 0, 1][(round % 6) as usize];
        peer.send_sack_with(&mut world, acknowledged, window, &[]);
    }
    assert!(world.is_open(A), "{:?}", world.close_reason(A));
    assert!(acknowledged >= 20, "{acknowledged} in spite of the crumbs");
}

// A38
#[test]
fn many_associations_together_stay_below_the_limit() {
    let mut setup = Setup::with(quiet());
    setup.endpoints.max_memory = 200_000;
    let (mut world, first) = Peer::before(&setup);
    world.set_reading(A, Reading::Stopped);
    let payload = [1; 1400];
    for n in 0..20_u16 {
        let mut peer = first.clone();
        peer.port = 10_000 + n;
        peer.seen = world.inbox(Z).len();
        peer.send_init(&mut world, &[]);
        world.run_for(ms(50));
        let arrived = peer.take(&world);
        let Some(answer) = arrived.iter().find(|it| it.has(ChunkType::INIT_ACK)) else {
            continue;
        };
        peer.learn(answer);
        peer.echo_cookie(&mut world, &cookie_of(answer));
        world.run_for(ms(50));
        for ssn in 0..100 {
            peer.send_data(&mut world, 0, ssn, &payload);
        }
        world.run_for(ms(50));
        let buffered = world.endpoint(A).stats().buffered;
        assert!(buffered <= 204_096, "{n}: {buffered} bytes");
    }
}

// A38: a window is not promised twice over: what was advertised can be used.
#[test]
fn an_honest_sender_of_small_messages_is_not_dropped() {
    let setup = Setup::quiet(|_| {}).z(|options| options.receive_buffer = 50_000);
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send_together(A, (0..5000).map(|_| blob(0, 10)).collect());
    world.run_for(secs(20));
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(60));
    assert_eq!(world.messages(Z).len(), 5000);
}
