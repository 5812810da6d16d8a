use core::time::Duration;

use sheave_sim::{
    Arrivals, Bitrate, Corruption, Delay, Discipline, Errors, Flips, Limit, LinkSpec, Outage,
    Placement, Probability, Reordering, Time,
};

use crate::town::{Town, ms, secs, town};

#[test]
fn a_packet_takes_its_serialisation_and_propagation_to_the_nanosecond() {
    let spec = LinkSpec::new(Bitrate::mbit(11), Duration::from_nanos(1_234_567));
    let mut town = town(1, &[spec]);
    let interval = ms(10);
    let id = town.traffic(1500, Arrivals::Constant { interval }, secs(1));
    town.world.run_until(secs(2));
    let counter = town.counter(id);
    // 12,000 bits at 11 Mbit/s, rounded up: 1,090,910 ns.
    let expected = Duration::from_nanos(1_090_910 + 1_234_567);
    assert_eq!(counter.packets(), 99);
    assert_eq!(
        (counter.mean_delay(), counter.longest_delay()),
        (expected, expected)
    );
}

#[test]
fn packets_that_come_together_are_sent_one_after_the_other() {
    let spec = LinkSpec::new(Bitrate::mbit(12), ms(1));
    let mut town = town(1, &[spec]);
    // 1500 bytes take 1 ms, and one comes each half a millisecond: the nth waits n / 2 ms.
    let interval = Duration::from_micros(500);
    let id = town.traffic(1500, Arrivals::Constant { interval }, Time::from_millis(11));
    town.world.run_until(secs(1));
    let counter = town.counter(id);
    assert_eq!(counter.packets(), 21);
    assert_eq!(counter.longest_delay(), ms(2) + 20 * interval);
    assert_eq!(town.world.link_stats(town.links[0].0).longest_queue, 10);
}

/// Poisson arrivals at a server of constant speed.
fn mean_wait(load: f64) -> (f64, f64) {
    let service = 1e-4;
    // 125 bytes at 10 Mbit/s: 100 us.
    let mut town = town(3, &[LinkSpec::new(Bitrate::mbit(10), Duration::ZERO)]);
    let mean = Duration::from_secs_f64(service / load);
    let id = town.traffic(125, Arrivals::Poisson { mean }, secs(40));
    town.world.run_until(secs(41));
    let found = town.counter(id).mean_delay().as_secs_f64() - service;
    let expected = load * service / (2.0 * (1.0 - load));
    (found, expected)
}

#[test]
fn the_queue_delay_is_that_of_an_m_d_1_queue() {
    for load in [0.3, 0.6, 0.8] {
        let (found, expected) = mean_wait(load);
        assert!(
            (found - expected).abs() < 0.05 * expected,
            "{found} of {expected} at {load}"
        );
    }
}

fn send(spec: LinkSpec, count: u64) -> Town {
    let mut town = town(9, &[spec]);
    let interval = Duration::from_micros(10);
    let stop = Time::from_nanos((count + 1) * 10_000);
    town.traffic(1000, Arrivals::Constant { interval }, stop);
    town.world.run_until(stop + Duration::from_secs(1));
    town
}

#[test]
fn each_packet_is_accounted_for_once() {
    let probability = Probability::new(0.1);
    let spec = LinkSpec {
        loss: Errors::Uniform(probability),
        queue: Discipline::DropTail(Limit::Packets(5)),
        duplication: Probability::new(0.05),
        corruption: Corruption::Packets {
            errors: Errors::Uniform(probability),
            flips: Flips {
                least: 1,
                most: 16,
                placement: Placement::Scattered,
            },
        },
        outages: vec![Outage {
            from: Time::from_millis(100),
            until: Time::from_millis(200),
        }],
        ..LinkSpec::new(Bitrate::mbit(700), ms(5))
    };
    let town = send(spec, 100_000);
    let stats = town.world.link_stats(town.links[0].0);
    assert_eq!(stats.offered, 100_000);
    assert_eq!(
        stats.sent + stats.duplicated,
        stats.delivered + stats.bad_header + in_cut(&stats)
    );
    assert!((9_800..=10_600).contains(&stats.cut), "{stats:?}");
    assert!(stats.lost > 8_000 && stats.dropped > 0 && stats.duplicated > 3_000);
    assert!(stats.corrupted > 6_000 && stats.bad_header > 0);
    assert_eq!(town.world.packets_in_flight(), 0);
}

/// Number of packets that were cut off at the far end.
fn in_cut(stats: &sheave_sim::LinkStats) -> u64 {
    let entered = stats.sent + stats.lost + stats.dropped + stats.too_long;
    stats.cut - (stats.offered - entered)
}

#[test]
fn losses_are_binomial() {
    let p = 0.03;
    let spec = LinkSpec {
        loss: Errors::Uniform(Probability::new(p)),
        ..LinkSpec::default()
    };
    let town = send(spec, 200_000);
    let lost = town.world.link_stats(town.links[0].0).lost as f64;
    let deviation = (200_000.0 * p * (1.0 - p)).sqrt();
    assert!((lost - 200_000.0 * p).abs() < 4.0 * deviation, "{lost}");
}

#[test]
fn held_packets_are_overtaken() {
    let spec = LinkSpec {
        delay: Delay::constant(ms(5)),
        reordering: Some(Reordering {
            probability: Probability::new(0.01),
            extra: ms(1),
        }),
        ..LinkSpec::default()
    };
    let mut town = town(9, &[spec]);
    let interval = Duration::from_micros(10);
    let id = town.traffic(100, Arrivals::Constant { interval }, secs(1));
    town.world.run_until(secs(2));
    let stats = town.world.link_stats(town.links[0].0);
    assert!((800..1200).contains(&stats.held_back));
    assert_eq!(town.counter(id).longest_delay(), ms(6));
    assert_eq!(stats.delivered, stats.offered);
}
