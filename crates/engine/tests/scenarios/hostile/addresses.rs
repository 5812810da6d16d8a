//! Addresses that the peer does not own, and changing ports.

use crate::prelude::*;

use super::quiet;

/// An address of Z's host that plays the victim.
fn victim() -> IpAddr {
    address(Z, 2)
}

fn at_victim(peer: &Peer) -> Peer {
    peer.at(victim()).towards(address(A, 2))
}

/// Packets that the victim gets from `began` on.
fn hits(world: &World, began: Time) -> Vec<&Record> {
    let to_victim = |record: &&Record| record.to == victim() && record.at >= began;
    world.sent(A).filter(to_victim).collect()
}

// A1
#[test]
fn a_listed_address_stays_unconfirmed_and_gets_few_small_heartbeats() {
    let (mut world, _) = peer_listing(Profile::Rfc9260.options());
    let began = world.now();
    world.run_for(secs(60));
    assert_ne!(world.path(A, victim()).state, PathState::Active);
    let sent = hits(&world, began);
    assert!(sent.len() <= 12, "{} packets in a minute", sent.len());
    for record in sent {
        assert_eq!(record.types(), [ChunkType::HEARTBEAT]);
        assert!(record.bytes.len() <= 100, "small ones");
    }
}

// A1
#[test]
fn a_victim_whose_address_was_listed_is_not_locked_out() {
    let (mut world, attacker) = peer_listing(quiet());
    let mut honest = at_victim(&attacker).with_tag(0x600d);
    let cookie = honest.ask_cookie(&mut world, &[]);
    honest.echo_cookie(&mut world, &cookie);
    let answer = honest.expect(&mut world, ChunkType::COOKIE_ACK);
    assert_eq!((answer.to, answer.vtag()), (honest.address, honest.tag));
    honest.send_data(&mut world, 0, 0, b"the real one");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["the real one"]);
}

fn peer_listing(options: Options) -> (World, Peer) {
    let (mut world, mut peer) = Peer::before(&Setup::with(options).paths(2));
    peer.connect(&mut world, &[ip_parameter(victim())]);
    (world, peer)
}

/// A peer that lists the victim's address, and the victim.
fn peer_and_victim() -> (World, Peer, Peer) {
    let (mut world, mut peer) = peer_listing(quiet());
    peer.expect_alive(&mut world);
    let there = at_victim(&peer);
    (world, peer, there)
}

/// An ABORT as sent in answer to packets out of the blue.
fn reflected_abort(peer: &Peer) -> Vec<u8> {
    peer.packet_with(peer.tag, &[abort(TagReflection::Reflected)])
}

// A1: a listed address may belong to another host, for example if the peer is behind a NAT.
#[test]
fn an_abort_from_where_the_peer_was_never_heard_ends_nothing() {
    let (mut world, mut peer, there) = peer_and_victim();
    there.inject(&mut world, reflected_abort(&there));
    world.run_for(ms(50));
    peer.expect_alive(&mut world);
    peer.inject(&mut world, reflected_abort(&peer));
    world.run_for(ms(50));
    assert!(!world.is_open(A), "the peer itself knows us no more");
}

// A1
#[test]
fn an_abort_from_where_the_peer_was_heard_once_counts() {
    let (mut world, _, mut there) = peer_and_victim();
    there.expect_alive(&mut world);
    there.inject(&mut world, reflected_abort(&there));
    world.run_for(ms(50));
    assert!(!world.is_open(A));
}

// A1, A35
#[test]
fn a_listed_address_without_sctp_ends_nothing() {
    let (mut world, mut peer, there) = peer_and_victim();
    let quoted = quotation(&world);
    complain_about(
        &mut world,
        there.address,
        IcmpError::NoSuchProtocol,
        &quoted,
    );
    peer.expect_alive(&mut world);
}

// A1, A5: nothing is sent to multicast, broadcast or unspecified addresses.
#[test]
fn listed_addresses_that_nobody_can_have_get_nothing() {
    let (mut world, mut peer) = Peer::before_listener(Profile::Rfc9260.options());
    let listed = ["224.0.0.1", "255.255.255.255", "0.0.0.0"]
        .map(|ip| Parameter::Ipv4Address(ip.parse().unwrap()));
    peer.connect(&mut world, &listed);
    world.run_for(secs(60));
    assert!(world.sent(A).all(|record| record.to == peer.address));
    assert_eq!(world.assoc(A).path_stats().len(), 1);
}

// A4
#[test]
fn a_silent_peer_brings_no_data_upon_the_addresses_that_it_listed() {
    let (mut world, _) = peer_listing(Profile::Rfc9260.options());
    world.send_times(A, 50, &blob(0, 1400));
    // The attacker acknowledges nothing, so that the engine looks for another path.
    world.run_for(secs(600));
    let hits = hits(&world, Time::ZERO);
    assert!(!hits.iter().any(|record| record.has(ChunkType::DATA)));
}

// A5
#[test]
fn a_replayed_cookie_brings_no_burst_upon_the_addresses_in_it() {
    let (mut world, mut peer) = Peer::before(&Setup::tuned(|_| {}).paths(2));
    let cookie = peer.ask_cookie(&mut world, &[ip_parameter(victim())]);
    let before = world.now();
    for _ in 0..500 {
        peer.echo_cookie(&mut world, &cookie);
        world.run_for(ms(2));
    }
    world.run_for(ms(100));
    let hit = hits(&world, before).len();
    assert!(hit <= 3, "{hit} packets for 500 replays");
    assert_eq!(world.endpoint(A).stats().associations, 1);
}

// A5
#[test]
fn a_cookie_cannot_be_replayed_after_its_life() {
    let options = quiet_but(|options| options.valid_cookie_life = secs(2));
    let (mut world, mut peer) = Peer::before_listener(options);
    let cookie = peer.ask_cookie(&mut world, &[]);
    peer.echo_cookie(&mut world, &cookie);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    world.abort(A, "");
    world.run_for(secs(3));
    peer.take(&world);
    peer.echo_cookie(&mut world, &cookie);
    world.run_for(secs(1));
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

// A1, A7: however many addresses are listed, the association takes a bounded number.
#[test]
fn a_thousand_listed_addresses_are_bounded() {
    let (mut world, mut peer) = Peer::before_listener(Profile::Rfc9260.options());
    let ip = |n: u16| Ipv4Addr::new(172, 16, (n >> 8) as u8, n as u8);
    let listed: Vec<_> = (0..1000).map(|n| Parameter::Ipv4Address(ip(n))).collect();
    peer.send_init(&mut world, &listed);
    let arrived = peer.listen(&mut world, secs(1));
    assert!(arrived.len() <= 1);
    if let Some(answer) = arrived.iter().find(|it| it.has(ChunkType::INIT_ACK)) {
        peer.learn(answer);
        peer.echo_cookie(&mut world, &cookie_of(answer));
        world.run_for(secs(10));
        assert!(world.assoc(A).path_stats().len() <= 64);
        let sent = world.sent(A).count();
        assert!(sent <= 60, "{sent} packets in ten seconds");
    }
}

/// A peer whose packets are encapsulated.
fn encapsulated() -> (World, Peer) {
    Peer::encapsulated(&Setup::with(quiet()), 9899, &[])
}

// A31
#[test]
fn only_a_packet_with_a_valid_tag_and_checksum_moves_the_encapsulation_port() {
    let (mut world, peer) = encapsulated();
    let port = |world: &mut World| world.first_path(A).encapsulation;
    assert_eq!(port(&mut world), Some(9899));
    let heartbeat = heartbeat(b"hello");

    let moved = peer.behind(4444);
    let wrong_tag = Vtag(peer.engine_tag.0 ^ 4);
    moved.send_tagged(&mut world, wrong_tag, &[heartbeat]);
    let mut bad_sum = moved.packet(&[heartbeat]);
    bad_sum[8] ^= 1;
    moved.inject(&mut world, bad_sum);
    moved.with_tag(0x77).send_init(&mut world, &[]);
    world.run_for(secs(1));
    assert_eq!(port(&mut world), Some(9899), "none of these moves it");

    moved.send(&mut world, &[heartbeat]);
    world.run_for(secs(1));
    assert_eq!(port(&mut world), Some(4444), "this one does");
}

// A31
#[test]
fn a_port_learnt_anew_is_where_answers_go() {
    let (mut world, mut peer) = encapsulated();
    // A NAT gives the peer another port.
    world.set_udp(Z, Some(6000));
    peer.udp = Some((6000, 9899));
    peer.expect_alive(&mut world);
    world.send(A, blob(0, 100));
    let data = peer.expect(&mut world, ChunkType::DATA);
    assert_eq!(data.udp, Some((9899, 6000)));
}

// A35: a path that carries less than its MTU ends in a report, not in a hang.
#[test]
fn a_black_hole_ends_with_a_report() {
    let setup = Setup::quiet(|options| options.association_max_retrans = 4);
    let mut world = setup.linked(|link| link.mtu = 1000).established();
    world.send(A, blob(0, 50_000));
    world.run_for(secs(600));
    let delivered = world.messages(Z).len() == 1;
    assert!(delivered || world.close_reason(A) == Some(CloseReason::TimedOut));
}

/// The beginning of the last packet that A sent, as a router would quote it.
fn quotation(world: &World) -> Vec<u8> {
    world.sent(A).last().unwrap().bytes[..8].to_vec()
}

fn complain(world: &mut World, error: IcmpError, quoted: &[u8]) {
    complain_about(world, address(Z, 1), error, quoted);
}

fn complain_about(world: &mut World, remote: IpAddr, error: IcmpError, quoted: &[u8]) {
    world.complain(remote, error, quoted);
    world.run_for(ms(50));
}

// A4, A35: RFC 9260 §10, ICMP6
#[test]
fn an_icmp_message_that_does_not_quote_our_tag_is_ignored() {
    let (mut world, mut peer) = Peer::connected(quiet());
    peer.expect_alive(&mut world);
    let right = quotation(&world);
    let mut forged: Vec<Vec<u8>> = (0..8).map(|len| right[..len].to_vec()).collect();
    for at in 0..8 {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        forged.push(wrong);
    }
    // A zero tag is only valid for an INIT in flight, and there is none.
    let mut zero = right.clone();
    zero[4..8].fill(0);
    zero.extend_from_slice(&[0, 0, 0, 0, 1, 0, 0, 20, 0, 0, 0, 0]);
    forged.push(zero);
    for quoted in &forged {
        complain(&mut world, IcmpError::NoSuchProtocol, quoted);
        complain(&mut world, IcmpError::PacketTooBig { mtu: 600 }, quoted);
    }
    peer.expect_alive(&mut world);
    assert_eq!(world.first_path(A).pmtu, 1500);
    complain(&mut world, IcmpError::NoSuchPort, &right);
    assert!(world.is_open(A), "the peer may bind its port again");
    complain(&mut world, IcmpError::NoSuchProtocol, &right);
    assert!(!world.is_open(A), "the true quotation is believed");
}

// A9, A35
#[test]
fn no_icmp_message_makes_packets_absurdly_small_or_larger() {
    let (mut world, mut peer) = Peer::connected(quiet());
    peer.expect_alive(&mut world);
    let quoted = quotation(&world);
    for mtu in [0, 1, 20, 68, 575, 1501, 65_535] {
        complain(&mut world, IcmpError::PacketTooBig { mtu }, &quoted);
        assert_eq!(world.first_path(A).pmtu, 1500, "{mtu}");
    }
    complain(&mut world, IcmpError::PacketTooBig { mtu: 576 }, &quoted);
    assert_eq!(world.first_path(A).pmtu, 576);
    complain(&mut world, IcmpError::PacketTooBig { mtu: 1500 }, &quoted);
    assert_eq!(world.first_path(A).pmtu, 576);
}

// A35: chunks created before the path MTU shrank still arrive, and later chunks fit.
#[test]
fn a_flow_goes_on_through_a_path_that_shrinks() {
    let mut world = Setup::quiet(|_| {}).established();
    world.send(A, blob(0, 100_000));
    world.run_for(ms(30));
    let quoted = quotation(&world);
    complain(&mut world, IcmpError::PacketTooBig { mtu: 1000 }, &quoted);
    let after = world.now();
    world.send(A, blob(0, 100_000));
    world.run_for(secs(20));
    assert_eq!(world.messages(Z).len(), 2);
    let sent = world.sent(A).filter(|record| record.at > after + secs(1));
    assert!(sent.into_iter().all(|record| record.ip_len() <= 1000));
}
