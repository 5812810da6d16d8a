//! Listeners at given addresses, and options changed during an association's life.

use crate::prelude::*;

use bytes::Bytes;
use sheave_wire::ChunkType;

/// Options that identify a listener by the number of streams it grants.
fn granting(streams: u16) -> Options {
    Options {
        max_inbound_streams: streams,
        ..Options::default()
    }
}

/// Two hosts with two addresses each; Z has a listener at each address.
fn divided() -> World {
    let mut world = Setup::with(Options::default()).paths(2).world();
    let engine = world.endpoint(Z);
    engine.stop_listening(PORT);
    for n in [1, 2] {
        let local = [address(Z, n)];
        engine.listen_on(PORT, &local, granting(n.into())).unwrap();
    }
    world
}

#[test]
fn listeners_of_different_addresses_share_a_port_and_tell_the_peer_of_their_own_alone() {
    for n in [1_u8, 2] {
        let mut world = divided();
        connect_to(&mut world, A, address(Z, n), Options::default());
        world.run_for(secs(5));
        assert_eq!(world.stats(A).outbound_streams, u16::from(n));
        assert_eq!(world.remotes(A), [address(Z, n)]);
        assert_eq!(world.assoc(Z).local_addresses(), [address(Z, n)]);
    }
}

#[test]
fn two_listeners_cannot_have_one_address_of_a_port() {
    let mut world = divided();
    let engine = world.endpoint(Z);
    let again = engine.listen_on(PORT, &[address(Z, 2)], granting(1));
    assert_eq!(again, Err(ListenError::InUse));
    assert_eq!(engine.listen(PORT, granting(1)), Err(ListenError::InUse));
    engine.stop_listening_on(PORT, &[address(Z, 2)]);
    let again = engine.listen_on(PORT, &[address(Z, 2)], granting(1));
    assert_eq!(again, Ok(()));
}

#[test]
fn an_init_to_an_address_without_a_listener_is_refused() {
    let mut world = divided();
    let engine = world.endpoint(Z);
    engine.stop_listening_on(PORT, &[address(Z, 2)]);
    connect_to(&mut world, A, address(Z, 2), Options::default());
    world.run_for(secs(5));
    assert_eq!(world.count(Z, ChunkType::ABORT), 1);
    assert!(world.close_reason(A).is_some());
}

/// Connects from one port of A, from one of its addresses to one of Z's.
fn connect_from(world: &mut World, from: u8, to: u8) -> Result<AssocId, ConnectError> {
    let to = Connect {
        local_port: Some(4000),
        local: vec![address(A, from)],
        remote_port: PORT,
        remote: vec![PeerAddress::native(address(Z, to))],
        options: Options::default(),
    };
    let now = world.now();
    world.endpoint(A).connect(now, to)
}

#[test]
fn endpoints_of_other_addresses_are_others_though_all_ports_are_the_same() {
    let mut world = divided();
    let ends = [(1, 1), (1, 2), (2, 1), (2, 2)];
    let ids = ends.map(|(from, to)| {
        let id = connect_from(&mut world, from, to).unwrap();
        world.run_for(secs(2));
        id
    });
    let again = connect_from(&mut world, 2, 1);
    assert_eq!(again, Err(ConnectError::PortInUse));
    let now = world.now();
    for (id, (from, to)) in ids.into_iter().zip(ends) {
        let mut assoc = world.endpoint(A).assoc(id).unwrap();
        let message = text(0, &format!("{from} to {to}"));
        let sent = assoc.send(now, message, SendOptions::default());
        assert_eq!(sent, Ok(()));
    }
    world.pump();
    world.run_for(secs(2));
    // Each message arrives at its own association; none was mistaken for a restart.
    let mut received: Vec<_> = (world.received(Z).iter())
        .map(|(_, id, received)| (*id, received.message.payload.clone()))
        .collect();
    assert_eq!(received.len(), 4);
    for (id, payload) in &received {
        let assoc = world.endpoint(Z).assoc(*id).unwrap();
        let (ours, theirs) = (assoc.local_addresses(), assoc.path_stats());
        let number = |ip: &IpAddr, host| (1..=2).find(|n| *ip == address(host, *n)).unwrap();
        let (from, to) = (number(&theirs[0].remote, A), number(&ours[0], Z));
        let said = format!("{from} to {to}");
        assert_eq!(*payload, said);
    }
    received.dedup_by_key(|(id, _)| *id);
    assert_eq!(received.len(), 4);
    // An ended association frees its addresses and port; the others keep theirs.
    let ended = world.endpoint(A).assoc(ids[2]).unwrap();
    ended.abort(now, Bytes::new());
    world.pump();
    world.run_for(secs(2));
    assert_eq!(world.endpoint(Z).associations().count(), 3);
    let restarted = connect_from(&mut world, 2, 1).unwrap();
    world.run_for(secs(2));
    assert_eq!(world.endpoint(Z).associations().count(), 4);
    assert!(world.endpoint(A).assoc(restarted).is_some());
}

#[test]
fn an_init_to_an_address_that_an_association_lacks_is_no_restart_of_it() {
    let mut world = divided();
    connect_from(&mut world, 1, 1).unwrap();
    world.run_for(secs(2));
    world.endpoint(Z).stop_listening_on(PORT, &[address(Z, 2)]);
    connect_from(&mut world, 1, 2).unwrap();
    world.run_for(secs(2));
    assert_eq!(world.count(Z, ChunkType::ABORT), 1);
    assert_eq!(world.endpoint(Z).associations().count(), 1);
}

#[test]
fn heartbeats_begin_and_end_while_the_association_lives() {
    let setup = Setup::quiet(|_| ());
    let mut world = setup.established();
    world.run_for(secs(100));
    let before = world.count(A, ChunkType::HEARTBEAT);
    let mut options = setup.a.clone();
    options.heartbeats = Heartbeats::Every(secs(5));
    world.call(A, |it, now| it.retune(now, &options)).unwrap();
    world.run_for(secs(100));
    let beats = world.count(A, ChunkType::HEARTBEAT) - before;
    assert!((10..=20).contains(&beats), "{beats}");
    world.call(A, |it, now| it.retune(now, &setup.a)).unwrap();
    world.run_for(secs(10));
    let ended = world.count(A, ChunkType::HEARTBEAT);
    world.run_for(secs(100));
    assert_eq!(world.count(A, ChunkType::HEARTBEAT), ended);
}

#[test]
fn a_shorter_delay_of_sacks_holds_from_the_next_packet_on() {
    let setup = Setup::quiet(|options| options.sack_delay = ms(400));
    let mut world = setup.established();
    let mut options = setup.z.clone();
    options.sack_delay = ms(20);
    world.call(Z, |it, now| it.retune(now, &options)).unwrap();
    // The first packet is acknowledged at once, the second one waits for a third.
    world.send_every(A, ms(300), 2, &blob(0, 100));
    assert_eq!(world.count(Z, ChunkType::SACK), 2);
}

#[test]
fn a_path_is_down_by_the_threshold_that_holds_now() {
    let setup = Setup::quiet(|options| options.path_max_retrans = 5);
    let mut world = setup.established();
    let mut options = setup.a.clone();
    options.association_max_retrans = 1;
    options.path_max_retrans = 1;
    world.call(A, |it, now| it.retune(now, &options)).unwrap();
    world.cut_path(1);
    world.send(A, blob(0, 100));
    // Timeouts after 1 s and 2 s: one more than the threshold.
    world.run_for(secs(10));
    assert!(world.close_reason(A).is_some());
}

#[test]
fn a_check_says_what_send_would_and_takes_nothing() {
    let mut world = Setup::quiet(|options| options.send_buffer = 4000).established();
    world.cut_path(1);
    let now = world.now();
    let (message, terms) = (blob(0, 3000), SendOptions::default());
    let mut assoc = world.assoc(A);
    assert_eq!(assoc.check_send(now, &message, &terms), Ok(()));
    assert_eq!(assoc.stats().send_buffered, 0);
    assert_eq!(assoc.send(now, message.clone(), terms), Ok(()));
    assert_eq!(assoc.waiting(), 1);
    let full = SendError::BufferFull(message.clone());
    assert_eq!(assoc.check_send(now, &message, &terms), Err(full.clone()));
    assert_eq!(assoc.send(now, message, terms), Err(full));
    world.run_for(ms(10));
    let assoc = world.assoc(A);
    assert_eq!((assoc.waiting(), assoc.unacknowledged() > 0), (0, true));
}
