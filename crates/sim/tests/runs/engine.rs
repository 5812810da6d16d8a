use core::time::Duration;

use sheave_engine::{Checksum, EndpointOptions, Event, Options, PathChange, Profile};
use sheave_sim::{
    Arrivals, Bitrate, Bulk, Corruption, Delay, Discipline, Errors, Expected, Flips, Limit,
    LinkSpec, Messages, Order, Outage, Outcome, Outgoing, Placement, Probability, Sink, Time,
    Variation,
};

use crate::town::{Client, address, ms, secs, town};

#[test]
fn a_greedy_sender_fills_a_lossless_pipe() {
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(100), ms(5))]);
    let (_, server) = town.greedy(&Profile::Rfc9260.options());
    town.world.run_until(secs(10));
    let bytes = town.server(server).workload().bytes() as f64;
    // 1452 of each 1500 bytes are the user's.
    let share = bytes * 8.0 / (10.0 * 100e6 * 1452.0 / 1500.0);
    assert!((0.95..=1.0).contains(&share), "{share}");
}

#[test]
fn an_association_goes_on_when_one_of_two_paths_dies() {
    let fine = LinkSpec::new(Bitrate::mbit(10), ms(10));
    let dying = LinkSpec {
        outages: vec![Outage {
            from: secs(5),
            until: Time::MAX,
        }],
        ..fine.clone()
    };
    let mut town = town(1, &[dying, fine]);
    let options = Options {
        path_max_retrans: 1,
        ..Profile::Rfc9260.options()
    };
    let (client, server) = town.greedy(&options);
    town.world.run_until(secs(5));
    let before = town.server(server).workload().bytes();
    town.world.run_until(secs(20));
    let after = town.server(server).workload().bytes();
    assert!(after > 2 * before, "{after} after {before}");
    let client: &Client<Bulk> = town.world.agent(client).expect("a client");
    let down = Event::Path {
        remote: address(0, 2),
        change: PathChange::Down,
    };
    assert!(
        client
            .transport()
            .log()
            .iter()
            .any(|(_, event)| *event == down)
    );
}

#[test]
fn messages_arrive_whole_in_order_and_late_by_what_the_network_takes() {
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(10), ms(20))]);
    let outgoing = Outgoing {
        len: 1000,
        count: 100,
        streams: 3,
        arrivals: Some(Arrivals::Poisson { mean: ms(50) }),
    };
    let messages = Messages::new(outgoing, town.world.random("messages"));
    let sink = Sink::with_receipts(Expected::Messages(100));
    let (_, server) = town.associate(&Profile::Rfc9260.options(), messages, sink);
    assert_eq!(town.world.run_to_completion(secs(60)), Outcome::Finished);
    let receipts = town.server(server).workload().receipts();
    let numbers: Vec<u64> = receipts.iter().map(|receipt| receipt.number).collect();
    assert_eq!(numbers, (0..100).collect::<Vec<u64>>());
    let least = receipts.iter().map(sheave_sim::Receipt::delay).min();
    // 1000 bytes of user data make an IP packet of 1048 bytes: 838.4 us.
    assert_eq!(least, Some(ms(20) + Duration::from_nanos(838_400)));
}

/// A link with every impairment at once.
fn hostile() -> LinkSpec {
    LinkSpec {
        loss: Errors::Uniform(Probability::new(0.02)),
        queue: Discipline::DropTail(Limit::Packets(20)),
        delay: Delay {
            base: ms(10),
            variation: Variation::Normal { deviation: ms(3) },
            order: Order::Free,
        },
        duplication: Probability::new(0.02),
        corruption: Corruption::Packets {
            errors: Errors::Uniform(Probability::new(0.02)),
            flips: Flips {
                least: 1,
                most: 16,
                placement: Placement::Scattered,
            },
        },
        ..LinkSpec::new(Bitrate::mbit(10), ms(10))
    }
}

#[test]
fn everything_arrives_over_a_hostile_link() {
    let mut town = town(4, &[hostile()]);
    let outgoing = Outgoing {
        len: 3000,
        count: 1000,
        streams: 4,
        arrivals: None,
    };
    let messages = Messages::new(outgoing, town.world.random("messages"));
    let sink = Sink::with_receipts(Expected::Messages(1000));
    let (_, server) = town.associate(&Profile::Rfc9260.options(), messages, sink);
    assert_eq!(town.world.run_to_completion(secs(1000)), Outcome::Finished);
    let receipts = town.server(server).workload().receipts();
    let mut numbers: Vec<u64> = receipts.iter().map(|receipt| receipt.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..1000).collect::<Vec<u64>>());
    let found = town
        .server(server)
        .transport()
        .endpoint()
        .stats()
        .bad_checksum;
    let corrupted = town.world.link_stats(town.links[0].0).corrupted;
    assert!(found > 0 && found <= corrupted, "{found} of {corrupted}");
}

#[test]
fn a_run_without_checksums_is_the_same_run() {
    let run = |checksum| {
        let lossy = LinkSpec {
            loss: Errors::Uniform(Probability::new(0.01)),
            ..LinkSpec::new(Bitrate::mbit(10), ms(10))
        };
        let mut town = town(6, &[lossy]);
        let endpoint = EndpointOptions {
            checksum,
            ..EndpointOptions::default()
        };
        let bulk = Bulk::counted(1000, 2, 2000);
        let sink = Sink::counting(Expected::Messages(2000));
        let (client, _) = town.associate_with(&Profile::Rfc9260.options(), &endpoint, bulk, sink);
        assert_eq!(town.world.run_to_completion(secs(600)), Outcome::Finished);
        let client: &Client<Bulk> = town.world.agent(client).expect("a client");
        (town.world.now(), client.transport().samples().to_vec())
    };
    assert_eq!(run(Checksum::Computed), run(Checksum::Offloaded));
}
