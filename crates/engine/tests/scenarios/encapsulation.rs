//! UDP encapsulation (RFC 6951): the port belongs to the path, and only valid packets teach it.

use sheave_engine::wire::{Chunk, ChunkType, Heartbeat, Parameter};
use sheave_engine::{Heartbeats, Options};

use crate::world::{A, Peer, Setup, World, Z, address, secs};

fn quiet() -> Options {
    Options {
        heartbeats: Heartbeats::Off,
        ..Options::default()
    }
}

/// A peer whose first address is behind UDP port 4000 and whose second one is not.
fn half_encapsulated() -> (World, Peer, Peer) {
    let setup = Setup::with(quiet()).paths(2);
    let (mut world, mut peer) = Peer::before(&setup);
    world.set_udp(A, Some(9899));
    world.set_udp(Z, Some(4000));
    peer.udp = Some((4000, 9899));
    let std::net::IpAddr::V4(second) = address(Z, 2) else {
        unreachable!()
    };
    peer.connect(&mut world, &[Parameter::Ipv4Address(second)]);
    let native = Peer {
        address: address(Z, 2),
        udp: None,
        ..peer.clone()
    };
    let heartbeat = Chunk::Heartbeat(Heartbeat { info: b"native" });
    native.send(&mut world, &[heartbeat]);
    world.run_for(secs(1));
    (world, peer, native)
}

#[test]
fn each_path_keeps_an_encapsulation_of_its_own() {
    let (mut world, mut peer, _) = half_encapsulated();
    assert_eq!(world.path(A, address(Z, 1)).encapsulation, Some(4000));
    assert_eq!(world.path(A, address(Z, 2)).encapsulation, None);
    peer.expect_alive(&mut world);
    assert_eq!(world.path(A, address(Z, 2)).encapsulation, None);
}

#[test]
fn a_port_learnt_on_one_path_moves_no_other() {
    let (mut world, peer, native) = half_encapsulated();
    let moved = Peer {
        udp: Some((4001, 9899)),
        ..native
    };
    let heartbeat = Chunk::Heartbeat(Heartbeat { info: b"moved" });
    moved.send(&mut world, &[heartbeat]);
    world.run_for(secs(1));
    assert_eq!(world.path(A, address(Z, 2)).encapsulation, Some(4001));
    assert_eq!(world.path(A, peer.address).encapsulation, Some(4000));
}

#[test]
fn an_init_from_another_port_moves_no_association() {
    let (mut world, mut peer, _) = half_encapsulated();
    let other = Peer {
        udp: Some((5555, 9899)),
        tag: sheave_engine::wire::Vtag(0x7777),
        ..peer.clone()
    };
    other.send_init(&mut world, &[]);
    world.run_for(secs(1));
    // The answer goes to who asked, and the association stays where it is.
    let answer = world.sent_with(A, ChunkType::INIT_ACK).last().unwrap();
    assert_eq!(answer.udp.map(|(_, to)| to), Some(5555));
    assert_eq!(world.path(A, peer.address).encapsulation, Some(4000));
    peer.expect_alive(&mut world);
}
