//! Explicit congestion notification, from the queue that marks to the window that shrinks.

use sheave_engine::{CongestionAlgorithm, ExplicitCongestion, Options, Profile};
use sheave_sim::{
    Bitrate, Bulk, Codel, Discipline, Errors, LinkSpec, Probability, Red, Signal, Stats,
};

use crate::town::{Client, ms, secs, town};

fn with_ecn() -> Options {
    Options {
        ecn: ExplicitCongestion::On,
        ..Profile::Rfc9260.options()
    }
}

/// A greedy association over 10 Mbit/s and 20 ms each way with that queue. Its share of the link
/// in a minute, what it says of itself, and what the link does.
fn run(options: &Options, queue: Discipline, loss: Errors) -> (f64, Stats, sheave_sim::LinkStats) {
    let spec = LinkSpec {
        queue,
        ..LinkSpec::new(Bitrate::mbit(10), ms(20))
    };
    let lossy = LinkSpec { loss, ..spec };
    let mut town = town(1, &[lossy]);
    let (client, server) = town.greedy(options);
    town.world.run_until(secs(60));
    let bytes = town.server(server).workload().bytes() as f64;
    let client: &Client<Bulk> = town.world.agent(client).expect("a client");
    let stats = client.transport().stats().expect("an association");
    // 1452 of each 1500 bytes are the user's.
    let share = bytes * 8.0 / (60.0 * 10e6 * 1452.0 / 1500.0);
    (share, stats, town.world.link_stats(town.links[0].0))
}

fn marking() -> [Discipline; 2] {
    let red = Red {
        weight: 0.02,
        ..Red::for_limit(100, Signal::Mark)
    };
    let codel = Codel {
        signal: Signal::Mark,
        ..Codel::default()
    };
    [Discipline::Red(red), Discipline::Codel(codel)]
}

#[test]
fn a_queue_that_marks_keeps_a_flow_in_check_without_a_retransmission() {
    for queue in marking() {
        let (share, stats, link) = run(&with_ecn(), queue.clone(), Errors::None);
        assert!(share > 0.85, "{share} with {queue:?}");
        // Slow start may overrun the queue; after that nothing is dropped.
        assert!(link.marked > 10, "{link:?}");
        assert!(link.dropped < 20, "{link:?}");
        assert!(stats.assoc.mark_cuts > 5, "{:?}", stats.assoc);
        assert!(stats.assoc.mark_cuts <= link.marked);
    }
}

#[test]
fn to_a_flow_without_ecn_the_same_queue_drops() {
    for queue in marking() {
        let (_, stats, link) = run(&Profile::Rfc9260.options(), queue, Errors::None);
        assert_eq!(link.marked, 0);
        assert!(link.dropped > 5 && stats.assoc.retransmissions > 5);
    }
}

#[test]
fn ecn_discrimination_rides_out_what_radio_loses_where_routers_mark() {
    let rival = Options {
        congestion: CongestionAlgorithm::EcnDiscrimination,
        ..with_ecn()
    };
    let loss = || Errors::Uniform(Probability::new(0.01));
    for queue in marking() {
        let (plain, ..) = run(&with_ecn(), queue.clone(), loss());
        let (share, stats, _) = run(&rival, queue, loss());
        assert!(share > 1.5 * plain, "{share} and {plain}");
        assert!(stats.assoc.mark_cuts > 5, "marks still count");
    }
}

/// A greedy association over 100 Mbit/s and 1 ms each way, where a packet that finds `threshold`
/// others or more in the queue is marked. Its share of the link in 5 s, and the packets that waited
/// at the end, by the smoothed round trip.
fn at_a_threshold(options: &Options, threshold: f64) -> (f64, f64) {
    let red = Red {
        lower: threshold,
        upper: threshold + 0.001,
        most: Probability::new(1.0),
        weight: 1.0,
        ..Red::for_limit(1000, Signal::Mark)
    };
    let spec = LinkSpec {
        queue: Discipline::Red(red),
        ..LinkSpec::new(Bitrate::mbit(100), ms(1))
    };
    let mut town = town(1, &[spec]);
    let (client, server) = town.greedy(options);
    let mut waiting = Vec::new();
    for step in 0..100 {
        town.world.run_until(secs(2) + ms(30 * step));
        let client: &Client<Bulk> = town.world.agent(client).expect("a client");
        let stats = client.transport().stats().expect("an association");
        let srtt = stats.paths[0].srtt.expect("measured").as_secs_f64();
        waiting.push((srtt - 0.002) * 100e6 / (1500.0 * 8.0));
    }
    let bytes = town.server(server).workload().bytes() as f64;
    let share = bytes * 8.0 / (town.world.now().as_secs_f64() * 100e6 * 1452.0 / 1500.0);
    (share, waiting.iter().sum::<f64>() / waiting.len() as f64)
}

/// RFC 8257 §1: queues stay about as long as the threshold, and the link is full all the same.
/// Halving at each mark needs a queue of a bandwidth-delay product for that (17 packets here).
#[test]
fn dctcp_keeps_the_queue_at_the_marking_threshold_and_the_link_full() {
    let with = |congestion| Options {
        congestion,
        max_burst: None,
        ..with_ecn()
    };
    for threshold in [5.0, 20.0] {
        let (share, waiting) = at_a_threshold(&with(CongestionAlgorithm::Dctcp), threshold);
        let (reno, of_reno) = at_a_threshold(&with(CongestionAlgorithm::NewReno), threshold);
        println!(
            "threshold {threshold}: dctcp {share:.3} of the link, {waiting:.1} packets wait; new \
             reno {reno:.3}, {of_reno:.1}"
        );
        assert!(share > 0.93, "{share}");
        assert!(waiting < threshold + 8.0, "{waiting} at {threshold}");
        assert!(share + 0.005 > reno, "{share}, new reno {reno}");
    }
}
