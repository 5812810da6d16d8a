//! Local addresses of paths (RFC 9260 §6.4, §8.3).

use crate::prelude::*;
use std::sync::Arc;

const HOSTS: [HostId; 2] = [A, Z];

/// Routes: each interface reaches only its own network.
#[derive(Debug)]
struct OneNetwork;

fn network(ip: IpAddr) -> u8 {
    match ip {
        IpAddr::V4(ip) => ip.octets()[1],
        IpAddr::V6(ip) => ip.segments()[1] as u8,
    }
}

impl Routes for OneNetwork {
    fn lead(&self, local: IpAddr, remote: IpAddr) -> bool {
        network(local) == network(remote)
    }
}

/// A second address of Z in its first network.
const ALIAS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 1, 0, 12));

/// Two networks, in the first of which Z has two addresses; both ends know their routes. A connects
/// to the second one.
fn aliased(profile: Profile) -> World {
    let mut setup = Setup::with(profile.options()).paths(2);
    setup.z_addresses.insert(1, ALIAS);
    let mut world = setup.world();
    for host in HOSTS {
        world.endpoint(host).set_routes(Arc::new(OneNetwork));
    }
    connect_to(&mut world, A, ALIAS, setup.a.clone());
    world
}

/// Makes networks drop packets with foreign source addresses.
fn check_sources(world: &mut World) {
    world.when(Verdict::Drop, |record| {
        network(record.from) != network(record.to)
    });
}

fn assert_all_active(world: &mut World, host: HostId, paths: usize) {
    let stats = world.assoc(host).path_stats();
    assert_eq!(stats.len(), paths, "{stats:?}");
    let idle = stats.iter().find(|path| path.state != PathState::Active);
    assert!(idle.is_none(), "{host:?}: {idle:?}");
}

#[test]
fn all_paths_come_up_where_networks_check_sources() {
    let mut world = aliased(Profile::Modern);
    check_sources(&mut world);
    world.run_for(secs(60));
    assert_all_active(&mut world, A, 3);
    assert_all_active(&mut world, Z, 2);
    for record in world.log() {
        assert_eq!(network(record.from), network(record.to), "{record}");
    }
}

#[test]
fn a_cut_of_another_link_than_that_of_a_path_delays_none_of_its_data() {
    for profile in [Profile::Modern, Profile::Telecom, Profile::Rfc9260] {
        let mut world = aliased(profile);
        world.run_for(secs(10));
        world.when(Verdict::Drop, |record| network(record.to) == 2);
        for n in 1..200 {
            world.send(A, blob(0, 100));
            world.run_for(ms(50));
            let arrived = world.messages(Z).len();
            assert!(arrived + 4 >= n, "{profile:?}: {arrived} of {n}");
        }
    }
}

/// Counts a host's heartbeats in ten intervals, and its path changes.
fn at_rest(world: &mut World, host: HostId, heartbeats: Heartbeats) -> (usize, usize) {
    let Heartbeats::Every(interval) = heartbeats else {
        panic!("no heartbeats");
    };
    let changes = |world: &World| {
        let events = world.events(host).into_iter();
        let of_paths = events.filter(|event| matches!(event, Event::Path { .. }));
        of_paths.count()
    };
    let before = (world.count(host, ChunkType::HEARTBEAT), changes(world));
    world.run_for(interval * 10);
    let after = (world.count(host, ChunkType::HEARTBEAT), changes(world));
    (after.0 - before.0, after.1 - before.1)
}

// RFC 9260 §8.3
#[test]
fn an_idle_path_gets_one_heartbeat_an_interval_whichever_address_was_called() {
    for profile in [Profile::Modern, Profile::Telecom, Profile::Linux] {
        let heartbeats = profile.options().heartbeats;
        let setup = Setup::with(profile.options()).paths(2);
        let mut world = setup.world();
        connect_to(&mut world, A, address(Z, 2), setup.a.clone());
        world.run_for(secs(60));
        for host in HOSTS {
            let (sent, changes) = at_rest(&mut world, host, heartbeats);
            assert!(sent <= 20, "{profile:?}, {host:?}: {sent} heartbeats");
            assert_eq!(changes, 0, "{profile:?}, {host:?}");
        }
    }
}

/// A has a third address, which no path needs; its second network is down for two minutes.
fn displaced() -> World {
    let mut setup = Setup::with(Profile::Telecom.options()).paths(3);
    setup.z_addresses.pop();
    let mut world = setup.established();
    let when = world.now()..world.now() + secs(120);
    for n in [1, 2] {
        world.cut(address(A, 2), address(Z, n), when.clone());
    }
    world.run_for(secs(60));
    let second = world.path(A, address(Z, 2));
    assert_eq!(second.local, address(A, 3));
    assert_eq!(second.state, PathState::Active);
    world
}

#[test]
fn a_displaced_path_asks_no_more_often_than_another() {
    let mut world = displaced();
    let heartbeats = Profile::Telecom.options().heartbeats;
    let (sent, changes) = at_rest(&mut world, A, heartbeats);
    assert!(sent <= 20, "{sent} heartbeats");
    assert_eq!(changes, 0);
}

#[test]
fn a_path_goes_home_when_its_home_answers_again() {
    let mut world = displaced();
    world.run_for(secs(90));
    assert_eq!(world.path(A, address(Z, 2)).local, address(A, 2));
}

/// An engine with two addresses, a one-address peer connected to the first, and the same peer
/// writing to the second.
fn called() -> (World, Peer, Peer) {
    let (mut world, mut peer) = Peer::before(&Setup::quiet(|_| {}).paths(2));
    peer.connect(&mut world, &[]);
    peer.send_data(&mut world, 0, 0, b"hello");
    world.run_for(secs(1));
    peer.take(&world);
    let stray = peer.towards(address(A, 2));
    (world, peer, stray)
}

fn ask(peer: &Peer, world: &mut World) {
    peer.send(world, &[heartbeat(b"asks")]);
    world.run_for(ms(100));
}

#[test]
fn a_heartbeat_is_answered_from_where_it_came_to_and_moves_nothing() {
    let (mut world, mut peer, stray) = called();
    ask(&stray, &mut world);
    let answer = peer.expect(&mut world, ChunkType::HEARTBEAT_ACK);
    assert_eq!(answer.from, address(A, 2));
    world.send(A, blob(0, 100));
    let data = peer.expect(&mut world, ChunkType::DATA);
    assert_eq!(data.from, address(A, 1));
}

#[test]
fn data_is_acknowledged_from_where_it_came_to_and_moves_nothing() {
    let (mut world, mut peer, mut stray) = called();
    stray.send_data(&mut world, 0, 1, b"elsewhere");
    let sack = peer.expect(&mut world, ChunkType::SACK);
    assert_eq!(sack.from, address(A, 2));
    peer.tsn = stray.tsn;
    world.send(A, blob(0, 100));
    let data = peer.expect(&mut world, ChunkType::DATA);
    assert_eq!(data.from, address(A, 1));
    peer.send_data(&mut world, 0, 2, b"as ever");
    let sack = peer.expect(&mut world, ChunkType::SACK);
    assert_eq!(sack.from, address(A, 1));
}

#[test]
fn a_silent_pairing_is_left_for_the_one_that_the_peer_uses() {
    let (mut world, mut peer, stray) = called();
    world.send(A, blob(0, 100));
    peer.expect(&mut world, ChunkType::DATA);
    // The chunk's timeout is the first sign of silence.
    peer.expect(&mut world, ChunkType::DATA);
    ask(&stray, &mut world);
    let again = peer.expect(&mut world, ChunkType::DATA);
    assert_eq!(again.from, address(A, 2));
}

#[test]
fn a_handshake_ends_at_the_address_that_still_answers() {
    let (mut world, mut peer) = Peer::before(&Setup::quiet(|_| {}).paths(2));
    let cookie = peer.ask_cookie(&mut world, &[]);
    peer.engine = address(A, 2);
    peer.echo_cookie(&mut world, &cookie);
    let ack = peer.expect(&mut world, ChunkType::COOKIE_ACK);
    assert_eq!((ack.from, ack.to), (address(A, 2), peer.address));
    assert_eq!(peer.engine_port, PORT);
}

#[test]
fn an_error_leaves_from_where_its_cause_came_to() {
    let (mut world, mut peer, mut stray) = called();
    stray.send_data(&mut world, 9999, 0, b"no such stream");
    let error = peer.expect(&mut world, ChunkType::ERROR);
    assert_eq!(error.from, address(A, 2));
}
