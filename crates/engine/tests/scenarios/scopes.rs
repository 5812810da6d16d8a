//! Hosts with loopback and interface addresses.

use crate::prelude::*;

const fn loopback(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, last))
}

/// Two hosts that each bind a loopback address first, and two of interfaces.
fn setup() -> Setup {
    let mut setup = Setup::tuned(|options| options.path_max_retrans = 1).paths(2);
    setup.a_addresses.insert(0, loopback(1));
    setup.z_addresses.insert(0, loopback(2));
    setup
}

fn connected(to: IpAddr) -> World {
    connected_by(&setup(), to)
}

fn connected_by(setup: &Setup, to: IpAddr) -> World {
    let mut world = setup.world();
    connect_to(&mut world, A, to, setup.a.clone());
    world.wait(secs(60), |world| world.is_open(A) && world.is_open(Z));
    world.run_for(secs(10));
    world
}

fn remotes(world: &mut World, host: HostId) -> Vec<IpAddr> {
    world.remotes(host)
}

#[test]
fn a_path_that_fails_never_takes_a_loopback_address_for_its_source() {
    let mut world = connected(address(Z, 1));
    assert_eq!(remotes(&mut world, A), [address(Z, 1), address(Z, 2)]);
    assert_eq!(remotes(&mut world, Z), [address(A, 1), address(A, 2)]);
    world.cut_path(1);
    world.send_times(A, 20, &blob(0, 1000));
    world.run_for(secs(600));
    assert_eq!(world.messages(Z).len(), 20);
    for host in [A, Z] {
        let mut sent = world.sent(host);
        let stray = sent.find(|record| record.from.is_loopback());
        assert!(stray.is_none(), "{stray:?}");
    }
}

#[test]
fn a_loopback_peer_is_told_of_loopback_addresses_alone() {
    let mut world = connected(loopback(2));
    assert_eq!(remotes(&mut world, A), [loopback(2)]);
    assert_eq!(remotes(&mut world, Z), [loopback(1)]);
    world.send(A, blob(0, 1000));
    world.run_for(ms(500));
    assert_eq!(world.messages(Z).len(), 1);
}

#[test]
fn a_loopback_peer_is_told_of_all_addresses_where_that_is_asked_for() {
    let mut setup = setup();
    setup.endpoints.with_loopback = WithLoopback::AllAddresses;
    let mut world = connected_by(&setup, loopback(2));
    let of = |host, own| [own, address(host, 1), address(host, 2)];
    assert_eq!(remotes(&mut world, A), of(Z, loopback(2)));
    assert_eq!(remotes(&mut world, Z), of(A, loopback(1)));
    // With other peers, loopback addresses are not used.
    let mut world = connected(address(Z, 1));
    assert_eq!(remotes(&mut world, A), [address(Z, 1), address(Z, 2)]);
}
