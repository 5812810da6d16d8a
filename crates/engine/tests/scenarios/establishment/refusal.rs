//! Packets that do not belong to a handshake, and invalid handshake contents.

use crate::prelude::*;

use super::quiet;

// RFC 9260 §5.2.3, §5.2.5
#[test]
fn an_unexpected_init_ack_and_a_duplicate_cookie_ack_are_discarded() {
    let (mut world, mut peer) = Peer::serving(quiet());
    peer.send_init_ack(&mut world, b"again", &[]);
    peer.expect_silence(&mut world, secs(1));
    peer.send(&mut world, &[Chunk::CookieAck]);
    peer.expect_silence(&mut world, secs(1));
    peer.expect_alive(&mut world);
}

/// A connects to the first `count` addresses of Z, none of which answers.
fn connect_in_vain(count: u8) -> World {
    let mut world = Setup::with(quiet()).paths(3).world();
    for n in 1..=3 {
        world.cut_path(n);
    }
    let remote: Vec<_> = (1..=count).map(|n| address(Z, n)).collect();
    world.connect(A, calling(&remote, quiet()));
    world.run_for(ms(50));
    world
}

/// Delivers an ICMP error for A's last packet, an INIT to Z's address `n`.
#[track_caller]
fn refuse_init(world: &mut World, n: u8, error: IcmpError) {
    let init = world.sent(A).last().unwrap();
    assert_eq!(init.to, address(Z, n));
    assert_eq!(init.types(), [ChunkType::INIT]);
    let quoted = init.bytes[..20].to_vec();
    refuse(world, n, error, &quoted);
}

fn refuse(world: &mut World, n: u8, error: IcmpError, quoted: &[u8]) {
    world.complain(address(Z, n), error, quoted);
    world.run_for(ms(50));
}

#[test]
fn where_there_is_no_sctp_the_next_address_is_asked_at_once() {
    for error in [IcmpError::NoSuchProtocol, IcmpError::NoSuchPort] {
        let mut world = connect_in_vain(3);
        refuse_init(&mut world, 1, error);
        refuse_init(&mut world, 2, error);
        world.mend();
        world.run_for(secs(5));
        assert!(world.is_open(A) && world.is_open(Z));
    }
}

#[test]
fn an_attempt_ends_where_no_address_has_sctp() {
    for (error, reason) in [
        (IcmpError::NoSuchPort, CloseReason::NoSuchPort),
        (IcmpError::NoSuchProtocol, CloseReason::NoSuchProtocol),
    ] {
        let mut world = connect_in_vain(2);
        refuse_init(&mut world, 1, IcmpError::NoSuchPort);
        refuse_init(&mut world, 2, error);
        assert_eq!(world.close_reason(A), Some(reason));
    }
}

#[test]
fn a_late_refusal_does_not_disturb_the_address_that_is_asked_now() {
    let mut world = connect_in_vain(2);
    let first = world.sent(A).last().unwrap().bytes[..20].to_vec();
    world.run_for(secs(1));
    for _ in 0..2 {
        refuse(&mut world, 1, IcmpError::NoSuchPort, &first);
    }
    assert_eq!(world.count(A, ChunkType::INIT), 2);
    refuse_init(&mut world, 2, IcmpError::NoSuchPort);
    assert!(!world.is_open(A), "that was the last");
}

// RFC 9260 §5.2, §6: chunks of another phase are discarded.
#[test]
fn chunks_that_do_not_fit_a_handshake_are_discarded() {
    for echoed in [false, true] {
        let (mut world, mut peer) = Peer::awaited(quiet());
        if echoed {
            peer.send_init_ack(&mut world, b"cookie", &[]);
            peer.expect(&mut world, ChunkType::COOKIE_ECHO);
        }
        let phase = world.assoc(A).phase();
        let data = peer.data(0, 0, b"too early");
        let mut chunks = vec![
            Chunk::Data(data),
            Chunk::Sack(sack(peer.nth(0), 5000, &[])),
            Chunk::HeartbeatAck(Heartbeat { info: b"unasked" }),
            shutdown(peer.nth(0)),
        ];
        if !echoed {
            chunks.push(Chunk::CookieAck);
            chunks.push(heartbeat(b"too early"));
        }
        for chunk in chunks {
            peer.send(&mut world, &[chunk]);
            peer.expect_silence(&mut world, ms(50));
            assert_eq!(world.assoc(A).phase(), phase, "{chunk}");
        }
        assert!(world.received(A).is_empty());
    }
}

#[test]
fn an_init_ack_without_a_cookie_is_aborted_by_name() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    let init = peer.init(&[]);
    peer.send(&mut world, &[Chunk::InitAck(init)]);
    let answer = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(answer.causes(), [2], "Missing Mandatory Parameter");
    let abort = answer.abort().unwrap();
    let Some(Ok(Cause::MissingMandatoryParameter(missing))) = abort.causes.iter().next() else {
        panic!("{answer}");
    };
    // The State Cookie.
    assert_eq!(missing.iter().collect::<Vec<u16>>(), [7]);
    assert_eq!(world.peer_fault(A), Some(2));
}

#[test]
fn a_host_name_address_is_aborted() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    peer.send_init(&mut world, &[Parameter::HostNameAddress(b"example.org\0")]);
    let answer = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(answer.vtag(), peer.tag);
    let causes = answer.causes();
    assert!(causes.is_empty() || causes == [5], "Unresolvable Address");
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn an_init_ack_lists_no_address_of_a_family_that_the_peer_does_not_support() {
    let mut setup = Setup::with(quiet());
    setup.a_addresses.push(address6(A, 2));
    let (mut world, mut peer) = Peer::before(&setup);
    let ipv4_only = Parameter::SupportedAddressTypes(List::from(&[5]));
    peer.send_init(&mut world, &[ipv4_only]);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    let mut listed = answer.init().unwrap().parameters.iter().flatten();
    assert!(!listed.any(|it| matches!(it, Parameter::Ipv6Address(_))));
}
