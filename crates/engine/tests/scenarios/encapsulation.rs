//! UDP encapsulation (RFC 6951): ports belong to paths, and only valid packets update them.

use crate::prelude::*;

/// A peer with its first address behind UDP port 4000 and its second one without UDP.
fn half_encapsulated() -> (World, Peer, Peer) {
    let setup = Setup::with(quiet()).paths(2);
    let second = ip_parameter(address(Z, 2));
    let (mut world, peer) = Peer::encapsulated(&setup, 4000, &[second]);
    let mut native = peer.at(address(Z, 2));
    native.udp = None;
    beat(&mut world, &native);
    (world, peer, native)
}

/// Sends a heartbeat.
fn beat(world: &mut World, peer: &Peer) {
    peer.send(world, &[heartbeat(b"beat")]);
    world.run_for(secs(1));
}

#[test]
fn each_path_keeps_an_encapsulation_of_its_own() {
    let (mut world, mut peer, _) = half_encapsulated();
    assert_eq!(world.first_path(A).encapsulation, Some(4000));
    assert_eq!(world.path(A, address(Z, 2)).encapsulation, None);
    peer.expect_alive(&mut world);
    assert_eq!(world.path(A, address(Z, 2)).encapsulation, None);
}

#[test]
fn a_port_learnt_on_one_path_moves_no_other() {
    let (mut world, peer, native) = half_encapsulated();
    let moved = native.behind(4001).towards(address(A, 2));
    beat(&mut world, &moved);
    assert_eq!(world.path(A, address(Z, 2)).encapsulation, Some(4001));
    assert_eq!(world.path(A, peer.address).encapsulation, Some(4000));
}

/// A NAT may use a different port for each destination address.
#[test]
fn a_port_seen_at_another_address_of_ours_moves_no_path_that_answers() {
    let (mut world, peer, _) = half_encapsulated();
    let elsewhere = peer.behind(4001).towards(address(A, 2));
    beat(&mut world, &elsewhere);
    assert_eq!(world.path(A, peer.address).encapsulation, Some(4000));
}

#[test]
fn the_init_that_began_an_association_ends_it_not_when_it_comes_late() {
    let (mut world, mut peer, _) = half_encapsulated();
    let before = world.log().len();
    beat(&mut world, &peer.behind(4001));
    // The NAT has given the peer another port by now.
    peer.send_init(&mut world, &[]);
    world.run_for(secs(1));
    let since = &world.log()[before..];
    assert!(!any_has(since, ChunkType::ABORT));
    peer.expect_alive(&mut world);
}

/// Cause in the refusal of an INIT from `address` through UDP port `udp`.
fn refusal(address: IpAddr, udp: Option<u16>) -> Option<(u16, u16)> {
    let (mut world, mut peer, _) = half_encapsulated();
    let kept = world.path(A, address).encapsulation;
    let mut again = peer.at(address).with_tag(0x7777);
    again.udp = udp.map(|port| (port, 9899));
    again.send_init(&mut world, &[]);
    world.run_for(secs(1));
    // The answer goes to the sender, and the association keeps its port.
    let refusal = world.sent_with(A, ChunkType::ABORT).last().map(|answer| {
        assert_eq!(answer.udp.map(|(_, to)| to), udp);
        assert_eq!(answer.vtag(), again.tag);
        let abort = answer.abort().unwrap();
        let Some(Ok(Cause::RestartWithNewEncapsulationPort { current, new })) =
            abort.causes.iter().next()
        else {
            panic!("{:?}", answer.causes());
        };
        (current, new)
    });
    let answered = world.count(A, ChunkType::INIT_ACK) > 1;
    assert_ne!(refusal.is_some(), answered, "either or");
    assert_eq!(world.path(A, address).encapsulation, kept);
    peer.expect_alive(&mut world);
    assert!(!world.saw(A, &Event::Restarted));
    refusal
}

// draft-tuexen-tsvwg-sctp-udp-encaps-cons-03 §4
#[test]
fn an_init_for_an_association_must_come_through_its_port() {
    let (first, second) = (address(Z, 1), address(Z, 2));
    assert_eq!(refusal(first, Some(4000)), None);
    assert_eq!(refusal(first, Some(5555)), Some((4000, 5555)));
    assert_eq!(refusal(first, None), Some((4000, 0)));
    assert_eq!(refusal(second, None), None);
    assert_eq!(refusal(second, Some(4000)), Some((0, 4000)));
}

#[test]
fn a_peer_may_restart_from_another_udp_port() {
    let setup = Setup::quiet(|options| options.restart_ports = RestartPorts::Any);
    let (mut world, peer) = Peer::encapsulated(&setup, 4000, &[]);
    let mut again = peer.behind(4001).with_tag(0x7777);
    world.set_udp(Z, Some(4001));
    again.connect(&mut world, &[]);
    assert!(world.saw(A, &Event::Restarted));
    let port = world.path(A, again.address).encapsulation;
    assert_eq!(port, Some(4001));
    again.expect_alive(&mut world);
}
