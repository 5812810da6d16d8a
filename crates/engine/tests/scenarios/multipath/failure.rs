//! Paths that fail while they carry data.

use crate::prelude::*;

use super::{FULL, Road, concurrent, feed, goodput, sent_to, world};

#[test]
fn a_path_that_fails_costs_no_message_and_the_other_goes_on() {
    for failing in [1, 2] {
        for detection in [LossDetection::MissingReports, LossDetection::Rack] {
            let mut world = world(&[Road::new(10, 20); 2], |options| {
                concurrent(options);
                options.loss_detection = detection;
                // CMT-PF: the first timeout takes the path out.
                options.potentially_failed_max_retrans = Some(0);
            });
            goodput(&mut world, secs(5));
            world.cut_path(failing);
            world.run_for(secs(3));
            let after = goodput(&mut world, secs(10));
            assert!(after > 8_500_000.0, "{failing}, {detection:?}: {after}");
            let state = world.path(A, address(Z, failing)).state;
            assert_ne!(state, PathState::Active);
            world.mend();
            world.wait(secs(120), |world| {
                feed(world);
                world.run_for(ms(100));
                world.path(A, address(Z, failing)).state == PathState::Active
            });
            let again = goodput(&mut world, secs(20));
            assert!(again > 15_000_000.0, "{failing}, {detection:?}: {again}");
        }
    }
}

#[test]
fn data_waits_on_one_path_while_none_is_active() {
    let mut world = world(&[Road::new(10, 20); 2], |options| {
        concurrent(options);
        options.path_max_retrans = 0;
        options.association_max_retrans = 50;
    });
    let until = world.now() + secs(20);
    for n in [1, 2] {
        world.cut_path_during(n, world.now()..until);
    }
    world.send_by_turns(A, 100, 10, FULL);
    world.run_for(secs(10));
    let paths = world.assoc(A).path_stats();
    assert!(paths.iter().all(|path| path.state == PathState::Inactive));
    world.wait(secs(300), |world| world.stats(A).send_buffered == 0);
    assert_eq!(world.messages(Z).len(), 100);
    assert!(sent_to(&world, 1) > 0 && sent_to(&world, 2) > 0);
}

/// Makes heartbeats more frequent than T3-rtx expiries.
fn often_asked(options: &mut Options) {
    concurrent(options);
    options.heartbeats = Heartbeats::Every(ms(100));
    options.rto_max = secs(2);
}

/// Two paths, of which the first loses all packets longer than 600 bytes from now on.
fn lossy_for_long_packets(edit: impl FnOnce(&mut Options)) -> World {
    let mut world = world(&[Road::new(2, 20); 2], |options| {
        often_asked(options);
        edit(options);
    });
    let first = [address(A, 1), address(Z, 1)];
    world.when(Verdict::Drop, move |record| {
        first.contains(&record.to) && record.ip_len() > 600
    });
    world
}

/// Maximum transmissions of a chunk to Z's first address.
fn most_by_the_first(world: &World) -> usize {
    let by_the_first = world.sent(A).filter(|record| record.to == address(Z, 1));
    let data = by_the_first.flat_map(Record::data);
    let mut tsns: Vec<Tsn> = data.map(|data| data.tsn).collect();
    tsns.sort_by_key(|tsn| tsn.0);
    let equal = tsns.chunk_by(|one, other| one == other);
    equal.map(<[Tsn]>::len).max().unwrap_or(0)
}

// RFC 9260 §6.4.1: timed-out chunks use another path.
#[test]
fn a_path_that_answers_heartbeats_and_loses_data_is_left() {
    for policy in [
        RetransmissionPath::LargestWindow,
        RetransmissionPath::LargestThreshold,
        RetransmissionPath::Same,
    ] {
        for detection in [LossDetection::MissingReports, LossDetection::Rack] {
            let mut world = lossy_for_long_packets(|options| {
                options.loss_detection = detection;
                options.path_mtu_discovery = PathMtuDiscovery::Off;
                options.multipath = Multipath::Concurrent(ConcurrentTransfer {
                    retransmissions: policy,
                    ..ConcurrentTransfer::default()
                });
            });
            world.send_by_turns(A, 500, 10, FULL);
            world.run_for(secs(60));
            let told = format!("{policy:?}, {detection:?}");
            assert_eq!(world.messages(Z).len(), 500, "{told}");
            assert!(most_by_the_first(&world) < 5, "{told}");
            let state = world.first_path(A).state;
            assert_eq!(state, PathState::Inactive, "{told}");
            let again = goodput(&mut world, secs(20));
            assert!(again > 1_700_000.0, "{told}: {again}");
        }
    }
}

// RFC 8899 §4.3
#[test]
fn a_path_that_answers_heartbeats_and_loses_data_is_used_with_shorter_packets() {
    for potentially_failed_max_retrans in [None, Some(0)] {
        for detection in [LossDetection::MissingReports, LossDetection::Rack] {
            let mut world = lossy_for_long_packets(|options| {
                options.loss_detection = detection;
                options.potentially_failed_max_retrans = potentially_failed_max_retrans;
                options.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max: 1500 };
            });
            goodput(&mut world, secs(60));
            let path = world.first_path(A);
            assert_eq!(path.state, PathState::Active, "{detection:?}");
            assert!((576..=600).contains(&path.pmtu), "{detection:?}: {path:?}");
            let again = goodput(&mut world, secs(20));
            assert!(again > 3_000_000.0, "{detection:?}: {again}");
        }
    }
}

#[test]
fn a_path_that_carries_data_again_is_used_again() {
    let mut world = world(&[Road::new(2, 20); 2], |options| {
        often_asked(options);
        options.path_mtu_discovery = PathMtuDiscovery::Off;
    });
    let first = [address(A, 1), address(Z, 1)];
    let until = world.now() + secs(40);
    world.when(Verdict::Drop, move |record| {
        first.contains(&record.to) && record.ip_len() > 600 && record.at < until
    });
    goodput(&mut world, secs(35));
    assert_eq!(world.first_path(A).state, PathState::Inactive);
    goodput(&mut world, secs(20));
    assert_eq!(world.first_path(A).state, PathState::Active);
}
