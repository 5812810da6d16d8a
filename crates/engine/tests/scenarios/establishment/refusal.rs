//! Packets that do not belong to a handshake, and contents that a handshake may not have.

use sheave_engine::CloseReason;
use sheave_engine::wire::{Cause, Chunk, ChunkType, Heartbeat, List, Parameter, Sack, Shutdown};

use super::quiet;
use crate::world::{A, Peer, Setup, address6, ms, secs};

// RFC 9260 §5.2.3
#[test]
fn an_unexpected_init_ack_is_discarded() {
    let (mut world, mut peer) = Peer::serving(quiet());
    peer.send_init_ack(&mut world, b"again", &[]);
    peer.expect_silence(&mut world, secs(1));
    peer.expect_alive(&mut world);
}

// RFC 9260 §5.2.5
#[test]
fn a_duplicate_cookie_ack_is_discarded() {
    let (mut world, mut peer) = Peer::serving(quiet());
    peer.send(&mut world, &[Chunk::CookieAck]);
    peer.expect_silence(&mut world, secs(1));
    peer.expect_alive(&mut world);
}

// RFC 9260 §5.2, §6: what belongs to another phase is discarded.
#[test]
fn chunks_that_do_not_fit_a_handshake_are_discarded() {
    for echoed in [false, true] {
        let (mut world, mut peer) = Peer::awaited(quiet());
        if echoed {
            peer.send_init_ack(&mut world, b"cookie", &[]);
            peer.expect(&mut world, ChunkType::COOKIE_ECHO);
        }
        let phase = world.assoc(A).phase();
        let cumulative_tsn_ack = peer.engine_tsn.prev();
        let sack = Sack {
            cumulative_tsn_ack,
            a_rwnd: 5000,
            gap_blocks: List::EMPTY,
            duplicates: List::EMPTY,
            packets: 0,
        };
        let data = peer.data(0, 0, b"too early");
        let mut chunks = vec![
            Chunk::Data(data),
            Chunk::Sack(sack),
            Chunk::HeartbeatAck(Heartbeat { info: b"unasked" }),
            Chunk::Shutdown(Shutdown { cumulative_tsn_ack }),
        ];
        if !echoed {
            chunks.push(Chunk::CookieAck);
            chunks.push(Chunk::Heartbeat(Heartbeat { info: b"too early" }));
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
    assert_eq!(
        missing.iter().collect::<Vec<u16>>(),
        [7],
        "the State Cookie"
    );
    assert!(matches!(
        world.close_reason(A),
        Some(CloseReason::PeerFault { cause: 2, .. })
    ));
}

#[test]
fn a_host_name_address_is_aborted() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    peer.send_init(&mut world, &[Parameter::HostNameAddress(b"example.org\0")]);
    let answer = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(answer.vtag(), peer.tag);
    assert!(
        answer.causes().is_empty() || answer.causes() == [5],
        "Unresolvable Address"
    );
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn an_init_ack_lists_no_address_of_a_family_that_the_peer_does_not_support() {
    let mut setup = Setup::with(quiet());
    setup.a_addresses.push(address6(A, 2));
    let (mut world, mut peer) = Peer::before(&setup);
    let ipv4_only = [5_u16];
    peer.send_init(
        &mut world,
        &[Parameter::SupportedAddressTypes(List::from(&ipv4_only[..]))],
    );
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    let init = answer.init().unwrap();
    let listed = init.parameters.iter().filter_map(Result::ok);
    assert!(
        listed
            .into_iter()
            .all(|parameter| !matches!(parameter, Parameter::Ipv6Address(_)))
    );
}
