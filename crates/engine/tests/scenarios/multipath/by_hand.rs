//! SACKs written by hand, for a sender to two addresses.

use sheave_engine::wire::{Chunk, GapBlock, List, Sack, Tsn};
use sheave_engine::{Heartbeats, Options};

use super::{FULL, concurrent};
use crate::world::{A, Peer, World, Z, address, blob, ms};

/// Full chunks on both paths, none acknowledged, and how many lead the first path. Two missing
/// reports make a loss.
fn sender() -> (World, Peer, u16) {
    let mut options = Options {
        heartbeats: Heartbeats::Off,
        missing_reports: 2,
        ..Options::default()
    };
    concurrent(&mut options);
    let (mut world, mut peer) = Peer::with_two_addresses(options);
    for _ in 0..40 {
        world.send(A, blob(0, FULL));
    }
    let arrived = peer.listen(&mut world, ms(20));
    let data = arrived.iter().filter(|record| !record.data().is_empty());
    let first = data.take_while(|record| record.to == address(Z, 1)).count();
    assert!(
        (3..arrived.len()).contains(&first),
        "{first} of {}",
        arrived.len()
    );
    (world, peer, first as u16)
}

fn sack(world: &mut World, peer: &Peer, packets: u8, (start, end): (u16, u16)) {
    let blocks = [GapBlock { start, end }];
    let sack = Sack {
        cumulative_tsn_ack: Tsn(peer.engine_tsn.0.wrapping_sub(1)),
        a_rwnd: 1 << 20,
        gap_blocks: List::from(&blocks[..]),
        duplicates: List::EMPTY,
        packets,
    };
    peer.send(world, &[Chunk::Sack(sack)]);
    world.run_for(ms(15));
}

#[test]
fn a_sack_for_two_packets_of_a_path_counts_as_two_missing_reports() {
    for (packets, again) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        let (mut world, peer, _) = sender();
        sack(&mut world, &peer, packets, (2, 3));
        assert_eq!(world.stats(A).retransmissions, again, "{packets}");
    }
}

#[test]
fn a_sack_for_packets_of_two_paths_counts_as_one_missing_report_for_each() {
    let (mut world, peer, first) = sender();
    // The last of the first path and the first of the second.
    sack(&mut world, &peer, 2, (first, first + 1));
    assert_eq!(world.stats(A).retransmissions, 0);
}

#[test]
fn what_arrived_by_one_path_shows_no_loss_on_the_other() {
    let (mut world, peer, first) = sender();
    for at in first + 1..first + 3 {
        sack(&mut world, &peer, 1, (first + 1, at));
    }
    assert_eq!(world.stats(A).retransmissions, 0);
}

#[test]
fn a_sack_that_was_overtaken_takes_nothing_back() {
    let (mut world, peer, first) = sender();
    sack(&mut world, &peer, 1, (first + 1, first + 2));
    let flight = world.path(A, address(Z, 2)).flight;
    sack(&mut world, &peer, 1, (first + 1, first + 1));
    assert_eq!(world.path(A, address(Z, 2)).flight, flight);
}

#[test]
fn what_a_receiver_really_dropped_is_in_flight_again_after_a_round_trip() {
    let (mut world, peer, first) = sender();
    sack(&mut world, &peer, 1, (first + 1, first + 2));
    let flight = world.path(A, address(Z, 2)).flight;
    world.run_for(ms(300));
    sack(&mut world, &peer, 1, (first + 1, first + 1));
    assert!(world.path(A, address(Z, 2)).flight > flight);
}
