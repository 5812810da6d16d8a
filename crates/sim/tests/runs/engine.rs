use core::time::Duration;

use sheave_engine::{Checksum, EndpointOptions, Profile};
use sheave_sim::{
    Arrivals, Bitrate, Bulk, Errors, Expected, LinkSpec, Messages, Outcome, Outgoing, Probability,
    Sink,
};

use crate::town::{Client, ms, secs, town};

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
