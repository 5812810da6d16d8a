//! FORWARD TSN from and to a peer that a test plays, broken and hostile ones among them (A17).

use crate::prelude::*;

use super::{ONCE, options as with};

/// Forward-TSN-Supported.
const SUPPORTED: [u8; 4] = [0xC0, 0, 0, 4];
/// Supported Extensions with FORWARD TSN.
const LISTED: [u8; 5] = [0x80, 0x08, 0, 5, 192];

fn options() -> Options {
    quiet_but(|options| options.partial_reliability = PartialReliability::On)
}

/// An association initiated by a peer that announces support with this parameter.
fn connected_saying(parameter: &[u8]) -> (World, Peer) {
    let setup = Setup::with(options()).linked(|link| link.mtu = 65_535);
    Peer::announcing(&setup, &[parameter])
}

fn connected() -> (World, Peer) {
    connected_saying(&SUPPORTED)
}

fn forward(tsn: Tsn, streams: &[(u16, u16)]) -> Vec<u8> {
    let named = streams.iter().map(|&(stream, ssn)| SkippedStream {
        stream: StreamId(stream),
        ssn: Ssn(ssn),
    });
    let named: Vec<SkippedStream> = named.collect();
    written(&Chunk::ForwardTsn(ForwardTsn {
        new_cumulative_tsn: tsn,
        skipped: List::from(&named[..]),
    }))
}

fn send(world: &mut World, peer: &Peer, chunk: &[u8]) {
    peer.send_raw(world, chunk);
}

/// Skips the peer's next TSN and these streams.
fn skip(world: &mut World, peer: &mut Peer, streams: &[(u16, u16)]) {
    let tsn = peer.tsn;
    peer.tsn = tsn.next();
    send(world, peer, &forward(tsn, streams));
}

/// The Cumulative TSN Ack of the last SACK that the peer got.
fn acknowledged(world: &World, peer: &mut Peer) -> Option<Tsn> {
    let records = peer.take(world);
    let mut sacks = records.iter().filter_map(Record::sack);
    sacks.next_back().map(|sack| sack.cumulative_tsn_ack)
}

#[test]
fn either_way_of_saying_it_agrees() {
    for parameter in [&SUPPORTED[..], &LISTED[..]] {
        let (mut world, _) = connected_saying(parameter);
        let agreed = world.assoc(A).partial_reliability();
        assert_eq!(agreed, PartialReliability::On);
    }
}

#[test]
fn our_init_says_it_in_both_ways_and_only_where_it_is_on() {
    for chosen in [PartialReliability::On, PartialReliability::Off] {
        let mut options = options();
        options.partial_reliability = chosen;
        let (world, _) = Peer::awaited(options);
        let expected = chosen == PartialReliability::On;
        let packet = world.sent(A).next().expect("an INIT");
        let has = |wanted: &[u8]| packet.bytes.windows(wanted.len()).any(|at| at == wanted);
        assert_eq!(has(&SUPPORTED), expected, "{chosen:?}");
        assert_eq!(has(&LISTED), expected, "{chosen:?}");
    }
}

#[test]
fn a_skip_is_acknowledged_and_what_follows_is_read() {
    let (mut world, mut peer) = connected();
    let skipped = peer.data(1, 0, b"never sent").tsn;
    peer.send_data(&mut world, 1, 1, b"next");
    world.run_for(secs(1));
    assert!(world.texts(A).is_empty());
    send(&mut world, &peer, &forward(skipped, &[(1, 0)]));
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["next"]);
    assert_eq!(acknowledged(&world, &mut peer), Some(peer.tsn.prev()));
}

#[test]
fn a_skip_far_ahead_is_one_step() {
    let (mut world, mut peer) = connected();
    let far = peer.tsn.plus(i32::MAX as u32 - 1);
    send(&mut world, &peer, &forward(far, &[(1, 0)]));
    world.run_for(secs(1));
    assert_eq!(acknowledged(&world, &mut peer), Some(far));
    peer.tsn = far.next();
    peer.send_data(&mut world, 1, 1, b"after");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["after"]);
    assert_eq!(world.stats(A).receive_buffered, 0);
}

#[test]
fn a_skip_backwards_moves_nothing_and_is_answered() {
    let (mut world, mut peer) = connected();
    peer.send_data(&mut world, 1, 0, b"first");
    world.run_for(secs(1));
    for behind in [1, 2, 1000, 1 << 31] {
        peer.take(&world);
        let tsn = Tsn(peer.tsn.0.wrapping_sub(behind));
        send(&mut world, &peer, &forward(tsn, &[(1, 7), (2, 9)]));
        world.run_for(secs(1));
        assert_eq!(acknowledged(&world, &mut peer), Some(peer.tsn.prev()));
    }
    peer.send_data(&mut world, 1, 1, b"second");
    peer.send_data(&mut world, 2, 0, b"other");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["first", "second", "other"]);
    assert_eq!(world.stats(A).skips_received, 0);
}

#[test]
fn a_skip_that_names_as_many_streams_as_fit_costs_their_number_at_most() {
    let (mut world, mut peer) = connected();
    let before = world.assoc(A).footprint();
    let streams: Vec<(u16, u16)> = (0..16_000).map(|n| (n * 4, n)).collect();
    for _ in 0..20 {
        skip(&mut world, &mut peer, &streams);
        world.run_for(ms(100));
    }
    assert!(world.assoc(A).footprint() < before + 1000);
    peer.send_data(&mut world, 8, 3, b"goes on");
    peer.send_data(&mut world, 9, 0, b"untouched");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["goes on", "untouched"]);
}

#[test]
fn a_skip_of_streams_that_do_not_exist_is_only_a_skip() {
    let (mut world, mut peer) = connected();
    skip(&mut world, &mut peer, &[(10, 0), (u16::MAX, 65_535)]);
    peer.send_data(&mut world, 9, 0, b"exists");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["exists"]);
    peer.expect_alive(&mut world);
}

#[test]
fn a_stream_that_is_named_often_goes_on_after_the_last_ssn() {
    let (mut world, mut peer) = connected();
    let streams = [(1, 4), (1, 2), (1, 9), (1, 0), (1, 9)];
    skip(&mut world, &mut peer, &streams);
    peer.send_data(&mut world, 1, 10, b"tenth");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["tenth"]);
}

#[test]
fn broken_chunks_of_the_extension_skip_nothing() {
    let (mut world, mut peer) = connected();
    for chunk in [
        vec![192, 0, 0, 4],
        vec![192, 0, 0, 7, 0, 0, 9, 0],
        vec![192, 0, 0, 10, 0, 0, 9, 0, 0, 1, 0, 0],
    ] {
        peer.send_bytes(&mut world, &chunk);
    }
    peer.send_data(&mut world, 0, 0, b"in order");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["in order"]);
    assert_eq!(acknowledged(&world, &mut peer), Some(peer.tsn.prev()));
}

#[test]
fn memory_of_skipped_messages_is_given_back() {
    let (mut world, mut peer) = connected();
    for round in 0..50 {
        // The start of the message never arrives; the rest is beyond a gap.
        peer.tsn = peer.tsn.next();
        for _ in 0..20 {
            let data = peer.fragment(DataFlags::EMPTY, 1, round, &[7; 1000]);
            peer.send(&mut world, &[Chunk::Data(data)]);
        }
        world.run_for(ms(50));
        assert!(world.stats(A).receive_buffered > 0);
        send(&mut world, &peer, &forward(peer.tsn.prev(), &[(1, round)]));
        world.run_for(ms(50));
        assert_eq!(world.stats(A).receive_buffered, 0);
    }
    peer.send_data(&mut world, 1, 50, b"next");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["next"]);
}

#[test]
fn a_flood_of_skips_brings_one_packet_for_one_at_most() {
    let (mut world, mut peer) = connected();
    let one = forward(peer.tsn.prev(), &[]);
    let many = one.repeat(5000);
    peer.take(&world);
    peer.send_bytes(&mut world, &many);
    world.run_for(secs(1));
    assert_eq!(peer.take(&world).len(), 1);
}

#[test]
fn a_skip_in_a_shutdown_is_answered_with_a_shutdown() {
    let (mut world, mut peer) = connected();
    world.shutdown(A);
    peer.expect(&mut world, ChunkType::SHUTDOWN);
    let tsn = peer.tsn;
    send(&mut world, &peer, &forward(tsn, &[(0, 0)]));
    let answer = peer.expect(&mut world, ChunkType::SHUTDOWN);
    let told = answer.chunks().into_iter().find_map(|chunk| match chunk {
        Chunk::Shutdown(shutdown) => Some(shutdown.cumulative_tsn_ack),
        _ => None,
    });
    assert_eq!(told, Some(tsn));
}

/// The peer acknowledges no FORWARD TSN.
#[test]
fn a_peer_that_ignores_every_skip_gets_one_in_a_round_trip_at_most() {
    let (mut world, mut peer) = connected();
    world.send_with(A, text(0, "lost"), with(ONCE));
    world.run_for(secs(2));
    peer.take(&world);
    for _ in 0..300 {
        peer.send_sack(&mut world, 0);
        world.run_for(ms(1));
    }
    let told = peer.take(&world);
    let skips = told.iter().filter(|it| it.has(ChunkType::FORWARD_TSN));
    // No round trip was measured, so the RTO is used.
    assert!(skips.count() <= 1);
    world.send_with(A, text(0, "more"), SendOptions::default());
    peer.send_sack(&mut world, 2);
    peer.expect_alive(&mut world);
}
