//! Quick failover (RFC 7829).

use crate::prelude::*;

/// Two confirmed paths; a path is potentially failed at its first unanswered send.
fn two_paths(edit: impl FnOnce(&mut Options)) -> World {
    let setup = Setup::tuned(|options| {
        options.potentially_failed_max_retrans = Some(0);
        edit(options);
    });
    setup.paths(2).confirmed()
}

#[test]
fn the_first_timeout_sends_new_data_elsewhere() {
    let mut world = two_paths(|_| {});
    world.cut_path(1);
    world.send(A, blob(0, 100));
    world.wait_for(A, &path_event(Z, 1, PathChange::PotentiallyFailed), secs(3));
    assert_eq!(world.first_path(A).state, PathState::PotentiallyFailed);
    let began = world.now();
    world.send_every(A, ms(100), 10, &blob(0, 1000));
    let went = world.destinations(A, ChunkType::DATA, began);
    assert!(!went.is_empty() && went.iter().all(|to| *to == address(Z, 2)));
    assert_eq!(world.messages(Z).len(), 11);
}

#[test]
fn it_is_off_unless_chosen() {
    let mut world = two_paths(|options| options.potentially_failed_max_retrans = None);
    world.cut_path(1);
    world.send(A, blob(0, 100));
    world.run_for(secs(300));
    assert!(!world.saw(A, &path_event(Z, 1, PathChange::PotentiallyFailed)));
}

#[test]
fn a_potentially_failed_path_is_probed_once_an_rto_until_it_is_down() {
    let mut world = two_paths(set("heartbeats=off, path_max_retrans=3"));
    world.cut_path(1);
    let began = world.now();
    world.send(A, blob(0, 100));
    world.wait_for(A, &path_event(Z, 1, PathChange::Down), secs(60));
    let beats = world.sent_with(A, ChunkType::HEARTBEAT);
    let there = beats.filter(|record| record.at >= began && record.to == address(Z, 1));
    let probes: Vec<_> = there
        .map(|record| record.at.since(began).as_secs())
        .collect();
    // T3-rtx at 1 s, then a probe per RTO, which doubles: 2 s, 4 s, 8 s.
    assert_eq!(probes, [1, 3, 7]);
    assert_eq!(world.first_path(A).state, PathState::Inactive);
}

#[test]
fn a_path_that_answers_again_is_active_and_takes_the_data_back() {
    let mut world = two_paths(|options| options.heartbeats = Heartbeats::Off);
    let now = world.now();
    world.cut_path_during(1, now..now + secs(2));
    world.send(A, blob(0, 100));
    world.wait_for(A, &path_event(Z, 1, PathChange::PotentiallyFailed), secs(3));
    world.wait_for(A, &path_event(Z, 1, PathChange::Up), secs(10));
    assert_eq!(world.ways_of_a_message(), [address(Z, 1)]);
    assert!(!world.saw(A, &path_event(Z, 1, PathChange::Down)));
}

#[test]
fn with_all_paths_potentially_failed_the_one_with_fewest_errors_is_tried() {
    let mut world = two_paths(|_| {});
    world.cut_path(1);
    world.cut_path(2);
    let began = world.now();
    world.send(A, blob(0, 100));
    world.run_for(secs(20));
    let went = world.destinations(A, ChunkType::DATA, began);
    assert!(went.contains(&address(Z, 1)) && went.contains(&address(Z, 2)));
    world.mend();
    world.run_for(secs(60));
    assert_eq!(world.messages(Z).len(), 1);
    assert!(world.is_open(A));
}

#[test]
fn the_primary_path_is_replaced_for_good_past_its_limit() {
    let mut world = two_paths(|options| options.primary_switchover_max_retrans = Some(1));
    let now = world.now();
    world.cut_path_during(1, now..now + secs(10));
    world.send(A, blob(0, 100));
    world.wait_for(A, &path_event(Z, 2, PathChange::Primary), secs(10));
    assert!(world.path(A, address(Z, 2)).primary);
    world.wait_for(A, &path_event(Z, 1, PathChange::Up), secs(60));
    assert_eq!(world.ways_of_a_message(), [address(Z, 2)]);
}

#[test]
fn one_path_alone_is_never_potentially_failed() {
    let mut world = Setup::quiet(set("potentially_failed_max_retrans=0")).established();
    world.cut_path(1);
    world.send(A, blob(0, 100));
    world.run_for(secs(10));
    assert_eq!(world.first_path(A).state, PathState::Active);
}
