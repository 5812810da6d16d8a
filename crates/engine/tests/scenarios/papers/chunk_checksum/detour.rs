//! Path selection for retransmitting a damaged chunk.

use crate::prelude::*;

use super::{checked, damage};

fn two_paths() -> Setup {
    let setup = Setup::tuned(checked).paths(2);
    setup.linked(|link| link.rate = Some(20_000_000))
}

#[test]
fn retransmissions_take_the_second_path_where_there_is_one() {
    let mut world = two_paths().confirmed();
    damage(&mut world, &[30, 50], 100);
    world.send_times(A, 100, &blob(0, 1448));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 100);
    assert_eq!(world.path(A, address(Z, 2)).retransmissions, 2);
}

#[test]
fn a_retransmission_without_room_on_the_second_path_stays_on_its_own() {
    let mut world = two_paths().confirmed();
    // 4404 bytes of window there: four chunks.
    let many: Vec<usize> = (60..80).collect();
    damage(&mut world, &many, 100);
    world.send_times(A, 200, &blob(0, 1448));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    let own = world.first_path(A).retransmissions;
    let other = world.path(A, address(Z, 2)).retransmissions;
    assert!(own > 0 && other >= 4, "{own} and {other}");
    assert_eq!(world.stats(A).timeouts, 0);
}

/// A world in which the user named both of Z's addresses: both are confirmed, and the round trip to
/// the second is unknown.
fn unmeasured() -> World {
    let setup = two_paths();
    let mut world = setup.world();
    world.connect(A, calling(&[1, 2].map(|n| address(Z, n)), setup.a));
    world.wait(secs(5), |world| world.is_open(Z));
    world.run_for(secs(1));
    assert_eq!(world.path(A, address(Z, 2)).srtt, None);
    world
}

#[test]
fn a_path_of_unknown_round_trip_is_measured_before_it_takes_any() {
    let mut world = unmeasured();
    damage(&mut world, &[10, 60], 100);
    world.send_times(A, 200, &blob(0, 1448));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    let other = world.path(A, address(Z, 2));
    assert_eq!((other.heartbeats_sent, other.retransmissions), (1, 1));
    assert_eq!(world.first_path(A).retransmissions, 1);
}

#[test]
fn a_path_on_which_one_was_lost_is_avoided_until_it_answers() {
    let mut world = two_paths().confirmed();
    damage(&mut world, &[10, 250], 100);
    let mut lost = 0;
    world.when(Verdict::Drop, move |record| {
        let there = record.from == address(A, 2) && record.has(ChunkType::CHECKED_DATA);
        lost += usize::from(there);
        there && lost == 1
    });
    for _ in 0..2 {
        world.send_times(A, 200, &blob(0, 1448));
        world.run_for(secs(5));
    }
    assert_eq!(world.messages(Z).len(), 400);
    // Its backed-off timeout is measured anew, long before the next heartbeat would be due.
    let other = world.path(A, address(Z, 2));
    assert_eq!((other.timeouts, other.errors), (1, 0));
    assert_eq!(other.rto, Duration::from_secs(1));
}

/// RFC 9260 §8.3: retransmissions measure no round trip, so the path counts as idle.
#[test]
fn a_path_that_carries_retransmissions_alone_is_still_probed() {
    let mut world = two_paths().confirmed();
    let before = world.path(A, address(Z, 2)).heartbeats_sent;
    let mut nth = 0_u32;
    world.damage(move |record| {
        let counts = record.from == address(A, 1) && record.has(ChunkType::CHECKED_DATA);
        nth += u32::from(counts);
        counts && nth.is_multiple_of(10)
    });
    world.send_every(A, ms(100), 700, &blob(0, 1000));
    let other = world.path(A, address(Z, 2));
    assert!(other.retransmissions > 50);
    assert!(other.heartbeats_sent >= before + 2);
}
