use core::time::Duration;

use sheave_engine::{Ecn, Fragmentation};
use sheave_sim::{
    Arrivals, BitErrorRate, Bitrate, Corruption, LinkSpec, Packet, Probability, Protocol, Red,
    Signal, Time, Visitor,
};

use crate::town::{Town, address, ms, secs, town};

/// A packet to the second host.
fn visitor(town: &Town, tag: u32, payload: Vec<u8>) -> Visitor {
    let packet = Packet {
        source: "192.0.2.1".parse().expect("an address"),
        destination: "192.0.2.2".parse().expect("an address"),
        protocol: Protocol::Udp,
        ecn: Ecn::Ect0,
        fragmentation: Fragmentation::Allowed,
        payload,
    };
    let to = town.world.interface(address(0, 2)).expect("an interface");
    Visitor { to, tag, packet }
}

fn admit(town: &mut Town, visitor: &Visitor) {
    let from = town.world.interface(address(0, 1)).expect("an interface");
    town.world.admit(from, visitor.clone());
}

fn departures(town: &mut Town) -> Vec<Visitor> {
    core::iter::from_fn(|| town.world.poll_departure()).collect()
}

#[test]
fn a_visitor_comes_out_unchanged_when_it_is_due() {
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(8), ms(10))]);
    town.world.run_until(Time::from_millis(5));
    // 980 bytes and the header of IP take a millisecond.
    let visitor = visitor(&town, 7, vec![7; 980]);
    admit(&mut town, &visitor);
    assert_eq!(town.world.poll_timeout(), Some(Time::from_millis(16)));
    town.world
        .run_until(Time::from_millis(16) - Duration::from_nanos(1));
    assert!(departures(&mut town).is_empty());
    town.world.run_until(Time::from_millis(16));
    assert_eq!(departures(&mut town), [visitor]);
}

#[test]
fn a_visitor_comes_out_with_its_bits_flipped_and_its_tag_whole() {
    let spec = LinkSpec {
        corruption: Corruption::BitErrors(BitErrorRate(Probability::new(1e-3))),
        ..LinkSpec::default()
    };
    let mut town = town(1, &[spec]);
    for _ in 0..1000 {
        let visitor = visitor(&town, 3, vec![0; 125]);
        admit(&mut town, &visitor);
        town.world.run_for(ms(1));
    }
    let out = departures(&mut town);
    assert!(out.iter().all(|visitor| visitor.tag == 3));
    // An error in the 20 bytes of the IP header loses the packet.
    let survive = 0.999_f64.powi(160) * 1000.0;
    assert!(
        (out.len() as f64 - survive).abs() < 40.0,
        "{} of {survive}",
        out.len()
    );
    let bytes = out.iter().flat_map(|visitor| &visitor.packet.payload);
    let flipped: u32 = bytes.map(|byte| byte.count_ones()).sum();
    let expected = out.len() as f64;
    assert!(
        (f64::from(flipped) - expected).abs() < 0.15 * expected,
        "{flipped} of {expected}"
    );
}

#[test]
fn a_congested_queue_marks_what_is_ecn_capable() {
    let spec = LinkSpec {
        queue: sheave_sim::Discipline::Red(Red {
            weight: 0.5,
            ..Red::for_limit(40, Signal::Mark)
        }),
        ..LinkSpec::new(Bitrate::mbit(1), ms(1))
    };
    let mut town = town(1, &[spec]);
    for _ in 0..30 {
        let visitor = visitor(&town, 0, vec![0; 1000]);
        admit(&mut town, &visitor);
    }
    assert_eq!(town.world.queue_len(town.links[0].0), 29);
    town.world.run_for(Duration::from_secs(1));
    let out = departures(&mut town);
    let marked = out.iter().filter(|visitor| visitor.packet.ecn == Ecn::Ce);
    let marked = marked.count() as u64;
    let stats = town.world.link_stats(town.links[0].0);
    assert!(marked > 0 && marked == stats.marked, "{stats:?}");
    assert_eq!((out.len(), stats.dropped), (30, 0));
}

#[test]
fn visitors_share_the_links_with_simulated_traffic() {
    let mut town = town(1, &[LinkSpec::new(Bitrate::mbit(8), ms(0))]);
    // Packets of a millisecond, one after the other.
    let interval = ms(1);
    town.traffic(1000, Arrivals::Constant { interval }, secs(1));
    town.world
        .run_until(Time::from_millis(500) + Duration::from_micros(500));
    let visitor = visitor(&town, 0, vec![0; 980]);
    admit(&mut town, &visitor);
    town.world
        .run_until(Time::from_millis(502) - Duration::from_nanos(1));
    assert!(departures(&mut town).is_empty());
    town.world.run_until(Time::from_millis(502));
    assert_eq!(departures(&mut town), [visitor]);
}
