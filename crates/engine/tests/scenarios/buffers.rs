//! Receive windows and memory (RFC 9260 §6.1 A, §6.2, §6.2.1).

use crate::prelude::*;

/// Z reads nothing and has a small buffer; A has more to send than fits.
fn stuck(receive_buffer: usize) -> World {
    stuck_with(receive_buffer, |_| {})
}

/// Like [`stuck`], with changes of both ends' options.
fn stuck_with(receive_buffer: usize, edit: impl FnOnce(&mut Options)) -> World {
    let setup = Setup::quiet(edit).z(|options| options.receive_buffer = receive_buffer);
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send_times(A, 60, &blob(0, 1000));
    world
}

#[test]
fn a_closed_window_stops_the_sender_but_for_probes() {
    let mut world = stuck(20_000);
    world.run_for(secs(3));
    let sent = world.stats(A).bytes_sent;
    assert!(
        (10_000..=22_000).contains(&sent),
        "{sent} bytes into 20,000"
    );
    world.run_for(secs(60));
    let probes = (world.stats(A).bytes_sent - sent) / 1000;
    assert!(probes <= 1, "the probe is one and the same chunk");
}

// RFC 9260 §6.1 A: an answered probe is no error.
#[test]
fn a_window_may_stay_closed_for_ever() {
    let mut world = stuck_with(10_000, |options| options.association_max_retrans = 3);
    world.run_for(secs(3600));
    assert!(world.is_open(A) && world.is_open(Z));
    world.set_reading(Z, Reading::Eager);
    world.run_for(secs(120));
    assert_eq!(world.messages(Z).len(), 60);
}

#[test]
fn a_probe_that_nobody_answers_is_an_error() {
    let mut world = stuck_with(10_000, |options| options.association_max_retrans = 3);
    world.run_for(secs(30));
    world.cut_path(1);
    world.run_for(secs(600));
    assert!(!world.is_open(A));
}

// RFC 9260 §6.1 A: an answered chunk sent before the peer shrank its window is no error, either;
// neither changes the congestion window.
#[test]
fn a_peer_may_take_its_window_back_and_keep_it_closed() {
    let options = quiet_but(|options| options.association_max_retrans = 2);
    let (mut world, mut peer) = Peer::serving(options);
    let cwnd = world.path(A, peer.address).cwnd;
    world.send(A, blob(0, 1000));
    for _ in 0..8 {
        peer.expect(&mut world, ChunkType::DATA);
        peer.send_sack_with(&mut world, 0, 0, &[]);
    }
    world.run_for(secs(1));
    assert!(world.is_open(A));
    let path = world.path(A, peer.address);
    assert_eq!((path.errors, path.cwnd), (0, cwnd));
    peer.take(&world);
    peer.send_sack_with(&mut world, 0, 5000, &[]);
    let sent = peer.listen(&mut world, ms(100));
    assert!(any_has(&sent, ChunkType::DATA));
}

#[test]
fn a_reader_that_drains_opens_the_window_at_once() {
    let mut world = stuck(20_000);
    world.run_for(secs(30));
    assert_eq!(world.messages(Z).len(), 0);
    let began = world.now();
    world.set_reading(Z, Reading::Eager);
    world.run_for(ms(15));
    let update = world.delays(Z, ChunkType::SACK, began);
    assert_eq!(
        update.first(),
        Some(&ms(0)),
        "a window update without waiting"
    );
    world.wait(secs(2), |world| world.messages(Z).len() == 60);
}

// RFC 9260 §6.2: avoid bursts of window updates.
#[test]
fn reading_a_little_brings_no_window_update() {
    let mut world = stuck(20_000);
    world.run_for(secs(30));
    let sacks = world.count(Z, ChunkType::SACK);
    assert!(world.read(Z).is_some());
    world.pump();
    assert_eq!(world.count(Z, ChunkType::SACK), sacks);
}

#[test]
fn window_updates_are_few() {
    let mut world = stuck(40_000);
    world.run_for(secs(30));
    let sacks = world.count(Z, ChunkType::SACK);
    let mut reads = 0;
    while world.read(Z).is_some() {
        world.pump();
        reads += 1;
    }
    assert!(reads >= 15);
    let updates = world.count(Z, ChunkType::SACK) - sacks;
    assert!(
        (1..=5).contains(&updates),
        "{updates} updates for {reads} reads"
    );
}

// Silly window syndrome: the sender does not fragment messages to fit a tiny window.
#[test]
fn a_sender_does_not_fill_crumbs() {
    let (mut world, mut peer) = Peer::serving(quiet());
    peer.send_sack_with(&mut world, 0, 1 << 20, &[]);
    world.send_times(A, 3, &blob(0, 1452));
    peer.listen(&mut world, ms(20));
    peer.send_sack_with(&mut world, 3, 100, &[]);
    world.run_for(ms(20));
    world.send(A, blob(0, 10_000));
    let arrived = peer.listen(&mut world, ms(500));
    assert!(arrived.is_empty(), "{}", arrived[0]);
}

#[test]
fn a_slow_reader_is_not_fed_crumbs() {
    let setup = Setup::quiet(|_| {}).z(|options| options.receive_buffer = 20_000);
    let mut world = setup.established();
    world.set_reading(Z, Reading::Stopped);
    world.send(A, blob(0, 300_000));
    world.send_together(A, (0..200).map(|_| blob(1, 1000)).collect());
    for _ in 0..3000 {
        world.run_for(ms(20));
        if world.is_open(Z) {
            world.read(Z);
        }
    }
    let chunks = world.sent(A).flat_map(Record::data);
    let chunks: Vec<usize> = chunks.map(|data| data.payload.len()).collect();
    let small = chunks.iter().filter(|len| **len < 900).count();
    assert!(
        small * 20 <= chunks.len(),
        "{small} crumbs of {}",
        chunks.len()
    );
}

#[test]
fn a_window_that_the_peer_shrinks_is_kept() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send_times(A, 100, &blob(0, 1452));
    peer.listen(&mut world, ms(20));
    peer.send_sack_with(&mut world, 3, 3000, &[]);
    let arrived = peer.listen(&mut world, ms(200));
    let data = arrived.iter().flat_map(Record::data);
    let bytes: usize = data.map(|data| data.payload.len()).sum();
    assert_eq!(bytes, 2 * 1452);
}

#[test]
fn small_chunks_are_charged_more_than_their_bytes() {
    let (mut world, mut peer) = Peer::serving(quiet_but(|options| options.receive_buffer = 65_536));
    world.set_reading(A, Reading::Stopped);
    for n in 0..2000 {
        peer.send_data(&mut world, 0, n, b"!");
        world.run_for(ms(1));
    }
    let stats = world.stats(A);
    assert!(stats.receive_buffered > 2000 * 8, "{stats:?}");
}

// RFC 9260 §6.2: dropped data is not acknowledged, and a SACK is sent at once.
#[test]
fn data_beyond_the_window_is_dropped_and_not_acknowledged() {
    let (mut world, mut peer) = Peer::serving(quiet_but(|options| options.receive_buffer = 8192));
    world.set_reading(A, Reading::Stopped);
    let payload = [1; 1400];
    for n in 0..40 {
        peer.send_data(&mut world, 0, n, &payload);
    }
    world.run_for(secs(1));
    let stats = world.stats(A);
    assert!(stats.receive_buffered <= 8192 + 2 * 1500, "{stats:?}");
    assert!(stats.dropped_for_memory >= 30, "{stats:?}");
    let first = peer.tsn.0 - 40;
    let sack = peer.take(&world).pop().unwrap();
    let sack = sack.sack().unwrap();
    assert!(sack.cumulative_tsn_ack.0 - first < 8);
    assert_eq!(sack.gap_blocks.len(), 0);
}

#[test]
fn the_oldest_missing_chunk_finds_room_in_a_full_buffer() {
    let (mut world, mut peer) = Peer::serving(quiet_but(|options| options.receive_buffer = 8192));
    world.set_reading(A, Reading::Stopped);
    let payload = [1; 1400];
    let missing = peer.data(0, 0, b"the one that holds up the rest");
    for n in 1..40 {
        peer.send_data(&mut world, 0, n, &payload);
    }
    world.run_for(secs(1));
    peer.send(&mut world, &[Chunk::Data(missing)]);
    world.run_for(secs(1));
    let first = world.read(A).expect("it can be read");
    assert_eq!(&first.message.payload[..], missing.payload);
}

#[test]
fn the_endpoint_limit_bounds_all_associations_together() {
    let mut setup = Setup::quiet(|_| {});
    setup.endpoints.max_memory = 100_000;
    let mut world = setup.world();
    world.set_reading(Z, Reading::Stopped);
    for _ in 0..8 {
        setup.connect(&mut world);
        world.run_for(secs(1));
        for _ in 0..50 {
            let _ = world.offer(A, blob(0, 1400));
        }
        world.run_for(secs(1));
        assert!(world.endpoint(Z).stats().buffered <= 115_000);
        assert!(world.endpoint(A).stats().buffered <= 115_000);
    }
}

#[test]
fn a_sender_is_not_called_back_while_the_endpoint_is_full() {
    let mut setup = Setup::quiet(|_| {});
    setup.endpoints.max_memory = 10_000;
    let mut world = setup.connecting();
    let mut send = || world.offer(A, blob(0, 6000));
    assert_eq!(send(), Ok(()));
    assert!(matches!(send(), Err(SendError::BufferFull(_))));
    assert_eq!(world.endpoint(A).poll_event(), None);
    world.run_for(secs(2));
    assert!(world.saw(A, &Event::Writable), "now there is room");
}

// RFC 9260 §6.1 A: an open window may be smaller than a packet.
#[test]
fn a_message_is_cut_to_what_the_peers_buffer_holds() {
    let (mut world, mut peer) = Peer::awaited(quiet_but(|options| options.initial_pmtu = 9000));
    peer.a_rwnd = 4000;
    peer.accept(&mut world);
    world.send(A, blob(0, 20_000));
    assert_eq!(world.stats(A).bytes_sent, 4000);
}

#[test]
fn a_fragmented_message_does_not_open_the_window_before_it_is_read() {
    let options = quiet_but(|options| options.receive_buffer = 100_000);
    let (mut world, mut peer) = Peer::serving(options);
    let payload = [1; 1400];
    let mut windows = Vec::new();
    for n in 0..10 {
        let begins = [DataFlags::EMPTY, DataFlags::BEGINNING];
        let flags = begins[usize::from(n == 0)];
        let data = peer.fragment(flags, 0, 0, &payload);
        peer.send(&mut world, &[Chunk::Data(data)]);
        world.run_for(secs(1));
        windows.push(peer.take(&world).pop().unwrap().sack().unwrap().a_rwnd);
    }
    let shrinks = windows.windows(2).all(|pair| pair[1] + 1400 <= pair[0]);
    assert!(shrinks, "{windows:?}");
}

#[test]
fn a_message_unsent_when_the_association_dies_is_marked_so() {
    let mut world = stuck(10_000);
    world.run_for(secs(5));
    world.abort(A, "");
    let failures = world.events(A).into_iter().filter_map(|event| match event {
        Event::SendFailed { failure, .. } => Some(failure),
        _ => None,
    });
    assert_eq!(failures.last(), Some(SendFailure::Unsent));
}

#[test]
fn a_message_to_a_reader_who_sleeps_wakes_with_him() {
    let mut world = stuck(20_000);
    for _ in 0..5 {
        world.run_for(secs(100));
        for _ in 0..5 {
            world.read(Z);
        }
    }
    world.set_reading(Z, Reading::Eager);
    world.send(A, text(0, "the end"));
    world.run_for(secs(120));
    assert_eq!(world.texts(Z).last().map(String::as_str), Some("the end"));
}

// RFC 9260 §6.2.1: the probe does not count as outstanding against itself.
#[test]
fn a_window_with_room_for_the_probe_and_no_more_lets_it_go_again_at_once() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send(A, blob(0, 1000));
    for _ in 0..5 {
        peer.expect(&mut world, ChunkType::DATA);
        peer.send_sack_with(&mut world, 0, 0, &[]);
    }
    world.run_for(secs(1));
    for (a_rwnd, again) in [(999, false), (1000, true)] {
        peer.take(&world);
        peer.send_sack_with(&mut world, 0, a_rwnd, &[]);
        let sent = peer.listen(&mut world, ms(100));
        let repeated = sent.iter().any(|record| record.has(ChunkType::DATA));
        assert_eq!(repeated, again, "{a_rwnd}");
    }
}

// RFC 9260 §6.1 A: the first after one RTO, then each time twice as long.
#[test]
fn the_interval_between_probes_doubles_from_the_first_on() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.send(A, blob(0, 100));
    peer.expect(&mut world, ChunkType::DATA);
    peer.send_sack_with(&mut world, 1, 0, &[]);
    world.run_for(ms(100));
    let mut last = world.now();
    world.send(A, blob(0, 1000));
    let mut intervals = Vec::new();
    for _ in 0..5 {
        let probe = peer.expect(&mut world, ChunkType::DATA);
        peer.send_sack_with(&mut world, 1, 0, &[]);
        intervals.push(probe.at.since(last).as_secs_f64().round());
        last = probe.at;
    }
    assert_eq!(intervals, [1.0, 2.0, 4.0, 8.0, 16.0]);
}

// RFC 9260 §6.2.1: a chunk marked and then abandoned leaves the window as advertised.
#[test]
fn a_message_given_up_leaves_no_room_in_a_closed_window() {
    let mut setup = Setup::quiet(set("partial_reliability=on"));
    setup.link.mtu = 65_535;
    let (mut world, mut peer) = Peer::before(&setup);
    peer.connect_announcing(&mut world, &[&[0xC0, 0, 0, 4]]);
    let once = SendOptions::default().with_max_retransmissions(0);
    for _ in 0..2 {
        world.send_with(A, blob(0, 1000), once);
    }
    peer.expect(&mut world, ChunkType::DATA);
    peer.send_sack_with(&mut world, 0, 0, &[]);
    world.run_for(ms(500));
    world.send(A, blob(1, 1000));
    let arrived = peer.listen(&mut world, secs(2));
    assert!(any_has(&arrived, ChunkType::FORWARD_TSN));
    let fresh = arrived.iter().flat_map(Record::data);
    let fresh = fresh.filter(|data| data.stream.0 == 1).count();
    assert_eq!(fresh, 0, "the window is closed");
}
