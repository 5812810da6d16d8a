use core::net::SocketAddr;
use core::time::Duration;

use sheave_engine::Ecn;
use sheave_sim::{
    BitErrorRate, Bitrate, Corruption, Gateway, LinkSpec, Probability, Red, Signal, Time,
};

use crate::town::{address, ms, town};

/// Two gateways with that link between them.
fn gateways(spec: LinkSpec) -> (crate::town::Town, [sheave_sim::AgentId; 2]) {
    let mut town = town(1, &[spec]);
    let ends = [1, 2].map(|host| SocketAddr::new(address(0, host), 9899));
    let one = Gateway::new(ends[0], ends[1]);
    let other = Gateway::new(ends[1], ends[0]);
    let one = town.world.add_agent(town.hosts[0], Box::new(one));
    let other = town.world.add_agent(town.hosts[1], Box::new(other));
    (town, [one, other])
}

#[test]
fn what_is_put_in_at_one_gateway_comes_out_at_the_other_when_it_is_due() {
    let (mut town, [one, other]) = gateways(LinkSpec::new(Bitrate::mbit(8), ms(10)));
    let world = &mut town.world;
    world.run_until(Time::from_millis(5));
    let gateway: &mut Gateway = world.agent_mut(one).expect("a gateway");
    // 972 bytes and the headers of UDP and IP take a millisecond.
    gateway.put(Ecn::Ect0, vec![7; 972]);
    world.run_until(Time::from_millis(5));
    assert_eq!(world.poll_timeout(), Some(Time::from_millis(16)));
    world.run_until(Time::from_millis(16) - Duration::from_nanos(1));
    assert_eq!(
        world.agent_mut::<Gateway>(other).and_then(Gateway::take),
        None
    );
    world.run_until(Time::from_millis(16));
    let out = world.agent_mut::<Gateway>(other).and_then(Gateway::take);
    assert_eq!(out, Some((Ecn::Ect0, vec![7; 972])));
}

#[test]
fn a_payload_comes_out_with_its_bits_flipped() {
    let spec = LinkSpec {
        corruption: Corruption::BitErrors(BitErrorRate(Probability::new(1e-3))),
        ..LinkSpec::default()
    };
    let (mut town, [one, other]) = gateways(spec);
    for _ in 0..1000 {
        let gateway: &mut Gateway = town.world.agent_mut(one).expect("a gateway");
        gateway.put(Ecn::NotEct, vec![0; 125]);
        town.world.run_for(ms(1));
    }
    let gateway: &mut Gateway = town.world.agent_mut(other).expect("a gateway");
    let out: Vec<Vec<u8>> =
        core::iter::from_fn(|| gateway.take().map(|(_, bytes)| bytes)).collect();
    // 28 bytes of headers, of which 20 of IP: an error in these loses the packet.
    let survive = 0.999_f64.powi(160) * 1000.0;
    assert!(
        (out.len() as f64 - survive).abs() < 40.0,
        "{} of {survive}",
        out.len()
    );
    let flipped: u32 = out.iter().flatten().map(|byte| byte.count_ones()).sum();
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
    let (mut town, [one, other]) = gateways(spec);
    let gateway: &mut Gateway = town.world.agent_mut(one).expect("a gateway");
    (0..30).for_each(|_| gateway.put(Ecn::Ect0, vec![0; 1000]));
    town.world.run_for(Duration::from_secs(1));
    let gateway: &mut Gateway = town.world.agent_mut(other).expect("a gateway");
    let out: Vec<Ecn> = core::iter::from_fn(|| gateway.take().map(|(ecn, _)| ecn)).collect();
    let marked = out.iter().filter(|ecn| **ecn == Ecn::Ce).count() as u64;
    let stats = town.world.link_stats(town.links[0].0);
    assert!(marked > 0 && marked == stats.marked, "{stats:?}");
    assert_eq!((out.len(), stats.dropped), (30, 0));
}
