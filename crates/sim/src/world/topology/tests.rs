use core::net::{IpAddr, Ipv4Addr};

use super::{InterfaceId, Port, RouterId, Topology, TopologyError};

const fn ip(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))
}

/// A, three routers, and B, with a short path over one router and a long one over the others.
fn network() -> (Topology, InterfaceId, [RouterId; 3]) {
    let mut topology = Topology::default();
    topology.add_host("A", &[ip(1)]).expect("a fresh address");
    topology.add_host("B", &[ip(2)]).expect("a fresh address");
    let [a, b] = [1, 2].map(|last| topology.find(ip(last)).expect("an interface"));
    let routers = ["R", "S", "T"].map(|label| topology.add_router(label));
    let [r, s, t] = routers.map(Port::from);
    for (from, to) in [(a.into(), r), (r, s), (s, t), (t, b.into()), (r, b.into())] {
        topology.add_link(from, to).expect("a free interface");
    }
    (topology, b, routers)
}

#[test]
fn packets_take_the_way_with_the_fewest_links() {
    let (mut topology, b, [r, s, t]) = network();
    topology.complete();
    let routes = [r, s, t].map(|router| topology.route(router, b).map(|link| link.0));
    assert_eq!(routes, [Some(4), Some(2), Some(3)]);
    // No links lead back.
    let a = topology.find(ip(1)).expect("an interface");
    assert_eq!(topology.route(r, a), None);
}

#[test]
fn a_route_that_is_set_goes_before_the_shortest() {
    let (mut topology, b, [r, ..]) = network();
    topology.complete();
    let detour = super::LinkId(1);
    topology.set_route(r, b, detour);
    topology.complete();
    assert_eq!(topology.route(r, b), Some(detour));
}

#[test]
fn addresses_and_interfaces_are_taken_once() {
    let (mut topology, b, [r, ..]) = network();
    assert_eq!(
        topology.add_host("C", &[ip(3), ip(2)]),
        Err(TopologyError::AddressTaken(ip(2)))
    );
    assert_eq!(
        topology.add_host("C", &[ip(3), ip(3)]),
        Err(TopologyError::AddressTaken(ip(3)))
    );
    assert!(topology.add_host("C", &[ip(3)]).is_ok());
    assert!(topology.add_link(b.into(), r.into()).is_ok());
    assert_eq!(
        topology.add_link(b.into(), r.into()),
        Err(TopologyError::InterfaceTaken(ip(2)))
    );
}

#[test]
fn addresses_that_no_interface_has_are_elsewhere() {
    let (mut topology, b, _) = network();
    let hosts = [0, 1].map(super::HostId);
    let a = topology.find(ip(1)).expect("an interface");
    let ways = |topology: &Topology| {
        let from_b = topology.way(hosts[1], ip(9), ip(2));
        let from_a = topology.way(hosts[0], ip(9), ip(2));
        let to = topology.way(hosts[0], ip(1), ip(9));
        [from_b, from_a, to].map(|way| way.map(|(_, to)| to))
    };
    assert_eq!(ways(&topology), [None; 3]);
    topology.set_elsewhere(a);
    assert_eq!(ways(&topology), [None, Some(b), Some(a)]);
}
