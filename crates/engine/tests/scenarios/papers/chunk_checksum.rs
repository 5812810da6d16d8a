//! Chunk checksum: damaged chunks are distinguished from lost ones.

mod detour;

use crate::prelude::*;

const PMDCS: u64 = 1468;

fn checked(options: &mut Options) {
    options.chunk_checksum = ChunkChecksum::On;
}

/// Flips a bit of the packets whose places among A's CHECKED DATA are in `places`, `at` bytes from
/// their end.
fn damage(world: &mut World, places: &[usize], at: usize) {
    let places = places.to_vec();
    let mut packets = 0;
    world.add_rule(move |record| {
        let counts = record.has(ChunkType::CHECKED_DATA) && record.from == address(A, 1);
        packets += usize::from(counts);
        if !counts || !places.contains(&(packets - 1)) {
            return Verdict::Deliver;
        }
        let mut bytes = record.bytes.clone();
        let end = bytes.len();
        bytes[end - at] ^= 4;
        Verdict::Replace(bytes)
    });
}

/// Over 20 Mbit/s.
fn fast(setup: &Setup) -> World {
    let setup = setup.clone().linked(|link| link.rate = Some(20_000_000));
    setup.established()
}

fn flow(setup: &Setup, damaged: &[usize]) -> World {
    let mut world = fast(setup);
    damage(&mut world, damaged, 100);
    world.send_times(A, 200, &blob(0, 1448));
    world
}

fn tsns(record: &Record) -> Vec<u32> {
    let chunks = record.chunks();
    let raw = chunks.iter().filter_map(|chunk| match chunk {
        Chunk::CheckedData(checked) => Some(checked),
        _ => None,
    });
    raw.map(|checked| checked.data.tsn.0).collect()
}

#[test]
fn a_damaged_chunk_is_sent_again_without_a_cut_of_the_window() {
    let mut world = flow(&Setup::quiet(checked), &[60]);
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    assert_eq!(world.count(A, ChunkType::DATA), 0, "all data is checked");
    let path = world.first_path(A);
    assert!(path.ssthresh >= 1 << 20, "no loss was seen");
    assert_eq!((path.timeouts, path.fast_retransmissions), (0, 0));
    assert_eq!(path.retransmissions, 1);
    assert_eq!(world.stats(A).damage_retransmissions, 1);
    assert_eq!(world.stats(Z).damaged_received, 1);
}

#[test]
fn a_damaged_chunk_leaves_again_the_moment_its_report_arrives() {
    let mut world = flow(&Setup::quiet(checked), &[60]);
    world.run_for(secs(5));
    let reported = world.times(Z, ChunkType::CORRUPTION)[0];
    let mut seen = Vec::new();
    let again = world.sent_with(A, ChunkType::CHECKED_DATA).find(|record| {
        let numbers = tsns(record);
        let again = numbers.iter().any(|number| seen.contains(number));
        seen.extend(numbers);
        again
    });
    let sent = again.expect("a retransmission").at;
    // One-way delay plus serialisation time.
    let flight = world.first_path(A).srtt.expect("measured") / 2;
    assert!(
        sent.since(reported) <= flight + ms(1),
        "{sent:?} after {reported:?}"
    );
}

#[test]
fn a_chunk_that_is_damaged_again_and_again_needs_no_timeout() {
    let mut world = fast(&Setup::quiet(checked));
    let mut chosen = None;
    let mut hits = 0;
    world.add_rule(move |record| {
        let numbers = tsns(record);
        let Some(first) = numbers.first() else {
            return Verdict::Deliver;
        };
        let chosen = *chosen.get_or_insert(first.wrapping_add(40));
        if !numbers.contains(&chosen) || hits == 5 {
            return Verdict::Deliver;
        }
        hits += 1;
        let mut bytes = record.bytes.clone();
        bytes[200] ^= 1;
        Verdict::Replace(bytes)
    });
    world.send_times(A, 200, &blob(0, 1448));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 200);
    let stats = world.stats(A);
    assert_eq!((stats.damage_retransmissions, stats.timeouts), (5, 0));
    assert!(world.first_path(A).ssthresh >= 1 << 20);
}

#[test]
fn a_damaged_first_header_makes_a_packet_count_as_lost() {
    let mut world = fast(&Setup::quiet(checked));
    // 1448 bytes of payload, and 16 of the header before the last.
    damage(&mut world, &[60], 1448 + 10);
    world.send_times(A, 200, &blob(0, 1448));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 200);
    assert_eq!(world.stats(Z).damaged_received, 0);
    assert_eq!(world.first_path(A).fast_retransmissions, 1);
}

#[test]
fn bundled_chunks_are_told_apart_header_by_header() {
    let mut world = Setup::quiet(checked).established();
    // Three chunks of 120 bytes; the flipped bit is in the header of the second.
    damage(&mut world, &[0], 120 + 105);
    world.send_together(A, (0..3).map(|_| blob(0, 100)).collect());
    world.run_for(ms(15));
    assert_eq!(world.stats(Z).damaged_received, 2);
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 3);
}

#[test]
fn fragments_are_repaired_too() {
    let mut world = fast(&Setup::quiet(checked));
    damage(&mut world, &[5, 6, 17, 40], 50);
    world.send(A, blob(0, 100_000));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z), [blob(0, 100_000)]);
    let stats = world.stats(A);
    assert_eq!((stats.damage_retransmissions, stats.timeouts), (4, 0));
}

#[test]
fn a_lost_report_is_repeated_with_the_next_sack() {
    let mut world = flow(&Setup::quiet(checked), &[60]);
    world.drop_next(Z, ChunkType::CORRUPTION, 2);
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    let stats = world.stats(A);
    assert_eq!((stats.damage_retransmissions, stats.timeouts), (1, 0));
}

#[test]
fn a_peer_that_does_not_want_it_sees_plain_sctp() {
    let setup = Setup::quiet(checked).z(|options| options.chunk_checksum = ChunkChecksum::Off);
    for (without, setup) in setup.both_ways() {
        let mut world = flow(&setup, &[]);
        world.run_for(secs(5));
        assert_eq!(world.messages(Z).len(), 200, "{without}");
        assert_eq!(world.count(A, ChunkType::CHECKED_DATA), 0, "{without}");
    }
}

#[test]
fn a_link_of_bit_errors_is_ridden_out() {
    for seed in 0..4 {
        let mut setup = Setup::quiet(checked);
        setup.seed = seed;
        let mut world = fast(&setup);
        let mut nth: u64 = seed;
        world.add_rule(move |record| {
            nth = nth
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let draw = nth >> 33;
            if !draw.is_multiple_of(10) {
                return Verdict::Deliver;
            }
            let mut bytes = record.bytes.clone();
            let bit = (draw / 10) as usize % (bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            Verdict::Replace(bytes)
        });
        for n in 0..200 {
            world.send(A, blob(n % 10, 100 + usize::from(n) * 30));
            world.send(Z, blob(n % 10, 100 + usize::from(n) * 30));
        }
        world.run_for(secs(200));
        assert_eq!(world.messages(Z).len(), 200);
        assert_eq!(world.messages(A).len(), 200);
    }
}

// ---- a peer that plays by its own rules ----

const PARAMETER: [u8; 4] = [0x9E, 0x02, 0, 4];

/// A sender with `packets` full messages to a peer that agreed, 10 ms away.
fn abused(packets: usize) -> (World, Peer) {
    let setup = Setup::quiet(checked);
    let (mut world, peer) = Peer::announcing(&setup, &[&PARAMETER]);
    world.send_times(A, packets, &blob(0, 1448));
    world.run_for(ms(30));
    (world, peer)
}

fn report(world: &mut World, peer: &Peer, numbers: &[u32], found_at: u32) {
    let events = numbers.iter().map(|number| CorruptionEvent {
        tsn: Tsn(peer.engine_tsn.0.wrapping_add(*number)),
        found_at,
    });
    let events: Vec<_> = events.collect();
    let events = List::from(&events[..]);
    peer.send(world, &[Chunk::Corruption(Corruption { events })]);
}

#[test]
fn a_report_acknowledges_nothing_and_changes_no_window() {
    let (mut world, peer) = abused(3);
    let before = world.first_path(A);
    report(&mut world, &peer, &[0, 1, 2], 1);
    world.run_for(ms(15));
    let after = world.first_path(A);
    assert_eq!((after.cwnd, after.flight), (before.cwnd, before.flight));
    assert_eq!(after.retransmissions, 3);
    assert!(world.stats(A).send_buffered > 3 * 1448);
}

#[test]
fn a_report_of_a_whole_window_brings_out_no_more_than_the_window() {
    let (mut world, peer) = abused(40);
    let before = world.first_path(A);
    assert!(before.flight >= before.cwnd, "the window is full");
    let all: Vec<u32> = (0..40).collect();
    report(&mut world, &peer, &all, 1);
    world.run_for(ms(15));
    let after = world.first_path(A);
    assert_eq!(after.cwnd, before.cwnd);
    assert!(after.flight < after.cwnd + PMDCS, "{after:?}");
    assert_eq!(after.chunks_sent, 2 * before.chunks_sent);
}

#[test]
fn unknown_and_acknowledged_tsns_are_ignored() {
    let (mut world, peer) = abused(3);
    peer.send_sack(&mut world, 2);
    world.run_for(ms(15));
    report(&mut world, &peer, &[0, 1, 3, 500, 1 << 31, u32::MAX], 1);
    world.run_for(ms(15));
    assert_eq!(world.first_path(A).retransmissions, 0);
    assert!(world.is_open(A));
}

#[test]
fn the_same_report_again_causes_nothing() {
    let (mut world, peer) = abused(3);
    for _ in 0..20 {
        report(&mut world, &peer, &[0], 1);
        world.run_for(ms(20));
    }
    assert_eq!(world.first_path(A).retransmissions, 1);
}

#[test]
fn a_storm_of_fresh_reports_causes_at_most_two_retransmissions_per_round_trip() {
    let (mut world, peer) = abused(3);
    for n in 0..200 {
        report(&mut world, &peer, &[0, 1, 2], n);
        world.run_for(ms(1));
    }
    let path = world.first_path(A);
    let rounds = 200 / path.srtt.unwrap_or(path.rto).as_millis() as u64 + 1;
    assert!(path.retransmissions <= 3 * 2 * rounds, "{path:?}");
    assert!(path.flight <= path.cwnd + PMDCS);
}

/// A packet with a whole CHECKED DATA header and a damaged payload.
fn damaged(peer: &Peer, number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let header = peer.header(peer.engine_tag);
    let mut writer = PacketWriter::new(&mut bytes, header, 1400);
    writer.push_checked_data(&Data {
        flags: WHOLE,
        tsn: peer.tsn.plus(number),
        stream: StreamId(0),
        ssn: Ssn(0),
        ppid: Ppid(0),
        payload: &[7; 8],
    });
    writer.finish();
    if let Some(last) = bytes.last_mut() {
        *last ^= 1;
    }
    bytes
}

#[test]
fn a_storm_of_damaged_packets_is_answered_packet_by_packet_and_kept_in_part() {
    let (mut world, mut peer) = abused(0);
    peer.take(&world);
    // From the next TSN to those too far ahead to be reported.
    for number in (0..1000).chain(65_000..66_000) {
        peer.inject(&mut world, damaged(&peer, number));
    }
    let back = peer.listen(&mut world, secs(1));
    assert!(back.len() <= 2000, "{} packets", back.len());
    assert!(back.iter().all(|record| record.bytes.len() < 600), "short");
    assert!(world.stats(A).damaged_received < 1600);
    assert_eq!(world.stats(A).receive_buffered, 0);
    peer.expect_alive(&mut world);
}

#[test]
fn a_damaged_packet_with_a_guessed_tag_tells_nothing() {
    let (mut world, mut peer) = abused(0);
    peer.take(&world);
    let right = peer.engine_tag;
    for guess in [1, 77, u32::MAX] {
        peer.engine_tag = Vtag(right.0 ^ guess);
        peer.inject(&mut world, damaged(&peer, 0));
    }
    peer.engine_tag = right;
    assert!(peer.listen(&mut world, secs(1)).is_empty());
    assert_eq!(world.stats(A).damaged_received, 0);
    peer.expect_alive(&mut world);
}

#[test]
fn chunks_of_the_extension_mean_nothing_without_agreement() {
    let (mut world, mut peer) = Peer::serving(quiet_but(checked));
    world.send(A, blob(0, 1000));
    world.run_for(ms(30));
    report(&mut world, &peer, &[0], 1);
    world.run_for(ms(20));
    assert_eq!(world.first_path(A).retransmissions, 0);
    peer.expect_alive(&mut world);
}
