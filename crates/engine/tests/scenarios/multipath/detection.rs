//! Distinguishing lost chunks from chunks delayed on another path.

use std::collections::BTreeMap;

use crate::prelude::*;

use super::{FULL, Road, concurrent, sent_to, world};

const DETECTIONS: [LossDetection; 2] = [LossDetection::MissingReports, LossDetection::Rack];

fn send(world: &mut World, packets: usize) {
    world.send_together(A, vec![blob(0, FULL); packets]);
}

fn finish(world: &mut World) {
    world.wait(secs(120), |world| {
        world.waiting(A) == 0 && world.stats(A).send_buffered == 0
    });
}

/// Queues that never overflow.
fn deep(world: &mut World, paths: u8) {
    for n in 1..=paths {
        for (from, to) in [(A, Z), (Z, A)] {
            let (from, to) = (address(from, n), address(to, n));
            world.edit_link(from, to, |link| link.queue = 1 << 30);
        }
    }
}

#[test]
fn reordering_between_paths_is_never_taken_for_loss() {
    for detection in DETECTIONS {
        for scheduler in [
            PathScheduler::LowestRtt,
            PathScheduler::LargestWindow,
            PathScheduler::RoundRobin,
        ] {
            let roads = [Road::new(10, 5), Road::new(2, 50), Road::new(5, 20)];
            let mut world = world(&roads, |options| {
                options.multipath = Multipath::Concurrent(ConcurrentTransfer {
                    scheduler,
                    splitting: BufferSplitting::Off,
                    ..ConcurrentTransfer::default()
                });
                options.loss_detection = detection;
                // Avoid timeouts in this test.
                options.rto_min = secs(20);
                options.rto_initial = secs(20);
            });
            deep(&mut world, 3);
            send(&mut world, 3000);
            finish(&mut world);
            for n in 1..=3 {
                assert!(sent_to(&world, n) > 50, "{scheduler:?}: {n}");
            }
            let probes = world.stats(A).tail_probes;
            let sent = world.stats(A).retransmissions;
            let case = format!("{detection:?}, {scheduler:?}: {probes} probes");
            assert!(sent <= probes, "{case}, {sent} retransmissions");
        }
    }
}

/// Loses the `nth` packets with DATA to that address.
fn lose(world: &mut World, to: IpAddr, nth: &[usize]) {
    let nth = nth.to_vec();
    let mut seen = 0;
    world.when(Verdict::Drop, move |record| {
        let counts = record.to == to && record.has(ChunkType::DATA);
        seen += usize::from(counts);
        counts && nth.contains(&(seen - 1))
    });
}

#[test]
fn a_loss_on_one_path_is_repaired_fast_and_cuts_that_path_alone() {
    for detection in DETECTIONS {
        let mut world = world(&[Road::new(10, 20); 2], |options| {
            concurrent(options);
            options.loss_detection = detection;
        });
        deep(&mut world, 2);
        lose(&mut world, address(Z, 2), &[60]);
        send(&mut world, 400);
        finish(&mut world);
        let stats = world.stats(A);
        assert_eq!(stats.retransmissions, 1, "{detection:?}");
        assert_eq!(stats.timeouts, 0, "{detection:?}");
        let [one, two] = [1, 2].map(|n| world.path(A, address(Z, n)).ssthresh);
        assert!(one > 1 << 30 && two < 1 << 20, "{one} {two}");
    }
}

// RFC 9260 §7.2.4, rule 3: the one packet beyond a window is for the path on which the loss was found.
#[test]
fn repairs_wait_for_the_window_of_the_path_that_they_leave_on() {
    for detection in DETECTIONS {
        let mut world = world(&[Road::new(100, 500), Road::new(100, 5)], |options| {
            options.multipath = Multipath::Concurrent(ConcurrentTransfer {
                retransmissions: RetransmissionPath::LargestThreshold,
                ..ConcurrentTransfer::default()
            });
            options.loss_detection = detection;
        });
        deep(&mut world, 2);
        world.run_for(secs(5));
        let lossy: Vec<usize> = (0..2000).step_by(20).collect();
        lose(&mut world, address(Z, 2), &lossy);
        send(&mut world, 2000);
        // Too early for an answer from the slow path.
        world.run_for(ms(450));
        let slow = world.first_path(A);
        assert!(slow.flight >= slow.cwnd, "{detection:?}: {slow:?}");
        let most = slow.cwnd + FULL as u64;
        assert!(slow.flight <= most, "{detection:?}: {slow:?}");
    }
}

/// Path of the lost chunk's retransmission.
fn repeated_on(policy: RetransmissionPath, lost_on: u8) -> u8 {
    // The second path's window is the larger one by then.
    let mut world = world(&[Road::new(2, 20), Road::new(20, 20)], |options| {
        options.multipath = Multipath::Concurrent(ConcurrentTransfer {
            retransmissions: policy,
            ..ConcurrentTransfer::default()
        });
    });
    deep(&mut world, 2);
    send(&mut world, 300);
    finish(&mut world);
    lose(&mut world, address(Z, lost_on), &[5]);
    send(&mut world, 100);
    finish(&mut world);
    assert_eq!(world.stats(A).retransmissions, 1);
    let mut sent: BTreeMap<u32, Vec<IpAddr>> = BTreeMap::new();
    for record in world.sent_with(A, ChunkType::DATA) {
        for data in record.data() {
            sent.entry(data.tsn.0).or_default().push(record.to);
        }
    }
    let again = sent.values().find(|to| to.len() > 1).expect("one");
    assert_eq!(again[0], address(Z, lost_on));
    if again[1] == address(Z, 1) { 1 } else { 2 }
}

#[test]
fn lost_chunks_go_where_the_policy_says() {
    assert_eq!(repeated_on(RetransmissionPath::Same, 1), 1);
    assert_eq!(repeated_on(RetransmissionPath::Same, 2), 2);
    let [one, two] = [1, 2].map(|n| repeated_on(RetransmissionPath::LargestWindow, n));
    assert_eq!(one, two, "it is the larger window, whoever lost");
    // Only the path that lost has a threshold.
    assert_eq!(repeated_on(RetransmissionPath::LargestThreshold, 1), 2);
    assert_eq!(repeated_on(RetransmissionPath::LargestThreshold, 2), 1);
}

/// Sends that many packets over paths with unequal delays.
fn unequal(packets: usize) -> World {
    let mut world = world(&[Road::new(10, 5), Road::new(10, 40)], concurrent);
    deep(&mut world, 2);
    send(&mut world, packets);
    finish(&mut world);
    world
}

#[test]
fn sacks_are_delayed_in_spite_of_reordering_between_paths() {
    let world = unequal(1500);
    let sacks = world.count(Z, ChunkType::SACK);
    let packets = world.count(A, ChunkType::DATA);
    assert!(sacks * 10 < packets * 7, "{sacks} for {packets}");
}

#[test]
fn a_sack_tells_how_many_packets_it_answers() {
    let world = unequal(500);
    let mut told = [0; 4];
    for sack in world.sent(Z).filter_map(Record::sack) {
        told[usize::from(sack.packets)] += 1;
    }
    assert_eq!(told[0], 0, "{told:?}");
    assert!(told[2] > 100, "{told:?}");
}

#[test]
fn on_one_path_a_gap_is_reported_at_once_all_the_same() {
    let mut world = world(&[Road::new(10, 20); 2], |options| {
        concurrent(options);
        options.path_max_retrans = 0;
    });
    world.cut_path(2);
    world.run_for(secs(120));
    assert_eq!(world.path(A, address(Z, 2)).state, PathState::Inactive);
    let before = world.stats(A).timeouts;
    lose(&mut world, address(Z, 1), &[20]);
    send(&mut world, 60);
    let began = world.now();
    finish(&mut world);
    assert_eq!(world.stats(A).timeouts, before);
    assert!(world.now().since(began) < ms(500));
}

#[test]
fn no_sack_releases_more_than_a_burst_on_a_path() {
    let mut world = world(&[Road::new(10, 20); 2], |options| {
        concurrent(options);
        options.max_burst = Some(2);
    });
    deep(&mut world, 2);
    send(&mut world, 400);
    finish(&mut world);
    let mut most = 0;
    for n in [1, 2] {
        let mut at: BTreeMap<_, usize> = BTreeMap::new();
        for record in world.sent_with(A, ChunkType::DATA) {
            if record.to == address(Z, n) {
                *at.entry(record.at).or_default() += 1;
            }
        }
        most = most.max(at.values().copied().max().unwrap_or(0));
    }
    // A packet's worth beyond, since the last one may be cut.
    assert!(most <= 3, "{most}");
}
