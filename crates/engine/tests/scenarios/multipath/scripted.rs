//! SACKs written by hand, for a sender to two addresses.

use crate::prelude::*;

use super::{FULL, concurrent};

/// Full chunks on both paths, none acknowledged. Returns the indices, from 1, of those on the first
/// chunk's path and on the other. Two missing reports make a loss.
fn sender() -> (World, Peer, [Vec<u16>; 2]) {
    sender_with(None)
}

fn sender_with(potentially_failed_max_retrans: Option<u32>) -> (World, Peer, [Vec<u16>; 2]) {
    let options = quiet_but(|options| {
        options.missing_reports = 2;
        options.potentially_failed_max_retrans = potentially_failed_max_retrans;
        concurrent(options);
    });
    let (mut world, mut peer) = Peer::with_two_addresses(options);
    world.send_times(A, 40, &blob(0, FULL));
    let mut places = [Vec::new(), Vec::new()];
    let mut first = None;
    for record in peer.listen(&mut world, ms(20)) {
        for data in record.data() {
            let path = usize::from(*first.get_or_insert(record.to) != record.to);
            places[path].push(data.tsn.distance_from(peer.engine_tsn) as u16 + 1);
        }
    }
    assert!(places.iter().all(|path| path.len() >= 3), "{places:?}");
    assert_eq!(places[0][0], 1);
    (world, peer, places)
}

fn report(world: &mut World, peer: &Peer, packets: u8, places: &[u16]) {
    let blocks = places.iter().map(|&at| GapBlock { start: at, end: at });
    let blocks: Vec<GapBlock> = blocks.collect();
    let sack = Sack {
        packets,
        ..sack(peer.nth(0), 1 << 20, &blocks)
    };
    peer.send(world, &[Chunk::Sack(sack)]);
    world.run_for(ms(15));
}

fn flight(world: &mut World) -> u64 {
    let flights = [1, 2].map(|n| world.path(A, address(Z, n)).flight);
    flights.iter().sum()
}

#[test]
fn a_sack_for_two_packets_of_a_path_counts_as_two_missing_reports() {
    for (packets, again) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        let (mut world, peer, [own, _]) = sender();
        report(&mut world, &peer, packets, &own[1..3]);
        assert_eq!(world.stats(A).retransmissions, again, "{packets}");
    }
}

#[test]
fn a_sack_for_packets_of_two_paths_counts_as_one_missing_report_for_each() {
    let (mut world, peer, [own, other]) = sender();
    let mut both = [own[1], other[1]];
    both.sort_unstable();
    report(&mut world, &peer, 2, &both);
    assert_eq!(world.stats(A).retransmissions, 0);
}

#[test]
fn chunks_acknowledged_on_one_path_show_no_loss_on_the_other() {
    let (mut world, peer, [_, other]) = sender();
    for count in 1..=3 {
        report(&mut world, &peer, 1, &other[..count]);
    }
    assert_eq!(world.stats(A).retransmissions, 0);
}

#[test]
fn a_sack_that_was_overtaken_takes_nothing_back() {
    let (mut world, peer, [_, other]) = sender();
    report(&mut world, &peer, 1, &other[..2]);
    let before = flight(&mut world);
    report(&mut world, &peer, 1, &other[..1]);
    assert_eq!(flight(&mut world), before);
}

#[test]
fn a_chunk_that_the_receiver_dropped_is_in_flight_again_after_a_round_trip() {
    let (mut world, peer, [_, other]) = sender();
    report(&mut world, &peer, 1, &other[..2]);
    let before = flight(&mut world);
    world.run_for(ms(300));
    report(&mut world, &peer, 1, &other[..1]);
    assert!(flight(&mut world) > before);
}

// RFC 9260 §6.1 A: timed-out chunks have priority for the window.
#[test]
fn a_timeout_lets_no_new_data_into_a_closed_window() {
    let (mut world, peer, _) = sender();
    let highest = |world: &World| {
        let tsns = world.sent(A).flat_map(Record::data).map(|data| data.tsn);
        tsns.map(|tsn| tsn.distance_from(peer.engine_tsn)).max()
    };
    let before = highest(&world);
    peer.send_sack_with(&mut world, 0, 0, &[]);
    world.run_for(secs(4));
    assert!(world.stats(A).timeouts > 1);
    assert_eq!(highest(&world), before);
}

// RFC 9260 §6.1 A, §8.2: a peer with a full buffer is alive, but a silent path may be dead.
#[test]
fn a_peer_without_room_excuses_the_silence_of_no_other_path_than_it_answers_by() {
    for answering in [1, 2] {
        let (mut world, mut peer, [_, other]) = sender_with(Some(0));
        let data = |record: &&Record| !record.data().is_empty();
        let silent = world.sent(A).find(data).map(|record| record.to);
        let silent = silent.expect("data");
        peer.address = address(Z, answering);
        let answers_by_it = peer.address == silent;
        let mut gaps: Vec<(u16, u16)> = other.iter().map(|&at| (at, at)).collect();
        gaps.sort_unstable();
        for _ in 0..3 {
            peer.send_sack_with(&mut world, 0, 100, &gaps);
            world.run_for(ms(50));
        }
        world.wait(secs(2), |world| world.stats(A).timeouts == 1);
        let expected = match answers_by_it {
            true => PathState::Active,
            false => PathState::PotentiallyFailed,
        };
        assert_eq!(world.path(A, silent).state, expected, "{answering}");
        // The path is probed at once, since the next timeout would take twice as long.
        world.run_for(ms(1200));
        let state = world.path(A, silent).state;
        assert_eq!(state, PathState::PotentiallyFailed, "{answering}");
    }
}
