//! Invalid INIT and INIT ACK chunks.

use crate::prelude::*;

use super::quiet;

// A12
#[test]
fn an_init_with_company_is_discarded() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let init = Chunk::Init(peer.init(&[]));
    let heartbeat = heartbeat(b"x");
    for chunks in [
        vec![init, heartbeat],
        vec![heartbeat, init],
        vec![init, init],
    ] {
        peer.send_tagged(&mut world, Vtag(0), &chunks);
    }
    let arrived = peer.listen(&mut world, secs(1));
    assert!(!any_has(&arrived, ChunkType::INIT_ACK));
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

// A12
#[test]
fn an_init_ack_with_company_sets_nothing_up() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    let parameters = [Parameter::StateCookie(b"cookie")];
    let init_ack = Chunk::InitAck(peer.init(&parameters));
    let heartbeat = heartbeat(b"x");
    peer.send(&mut world, &[heartbeat, init_ack]);
    peer.send(&mut world, &[init_ack, heartbeat]);
    let arrived = peer.listen(&mut world, ms(500));
    assert!(!any_has(&arrived, ChunkType::COOKIE_ECHO));
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
}

// A12
#[test]
fn an_init_with_a_zero_tag_is_discarded_in_silence() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    peer.tag = Vtag(0);
    peer.send_init(&mut world, &[]);
    peer.expect_silence(&mut world, secs(1));
}

type Edit = fn(&mut Init<'_>);
const UNFIT: [Edit; 3] = [
    |init| init.outbound_streams = 0,
    |init| init.inbound_streams = 0,
    |init| init.a_rwnd = 1499,
];

// A12, RFC 9260 §3.3.2
#[test]
fn an_init_without_streams_or_window_is_aborted_with_its_own_tag() {
    for edit in UNFIT {
        let (mut world, mut peer) = Peer::before_listener(quiet());
        let mut init = peer.init(&[]);
        edit(&mut init);
        peer.send_tagged(&mut world, Vtag(0), &[Chunk::Init(init)]);
        let arrived = peer.listen(&mut world, secs(1));
        assert_eq!(arrived.len(), 1);
        assert_eq!(arrived[0].vtag(), peer.tag);
        let reflected = arrived[0].abort().map(|abort| abort.reflected);
        assert_eq!(reflected, Some(TagReflection::Own));
    }
}

// A12: such an INIT leaves an association alone.
#[test]
fn an_unfit_init_changes_no_association() {
    for edit in UNFIT {
        let (mut world, mut peer) = Peer::connected(quiet());
        for tag in [peer.tag, Vtag(0x99)] {
            let mut init = peer.init(&[]);
            init.initiate_tag = tag;
            edit(&mut init);
            peer.send_tagged(&mut world, Vtag(0), &[Chunk::Init(init)]);
        }
        world.run_for(secs(1));
        peer.expect_alive(&mut world);
    }
}

// A12, RFC 9260 §3.3.3
#[test]
fn an_init_ack_without_tag_or_streams_ends_the_attempt() {
    let edits: [Edit; 3] = [
        |init| init.initiate_tag = Vtag(0),
        |init| init.outbound_streams = 0,
        |init| init.inbound_streams = 0,
    ];
    for edit in edits {
        let (mut world, peer) = Peer::awaited(quiet());
        let parameters = [Parameter::StateCookie(b"cookie")];
        let mut init = peer.init(&parameters);
        edit(&mut init);
        peer.send(&mut world, &[Chunk::InitAck(init)]);
        world.run_for(secs(1));
        assert!(world.peer_fault(A).is_some());
        assert_eq!(world.endpoint(A).stats().associations, 0);
        assert_eq!(world.count(A, ChunkType::COOKIE_ECHO), 0);
    }
}

// A12, RFC 9260 §3.3.3: too small a window is discarded.
#[test]
fn an_init_ack_with_too_small_a_window_sets_nothing_up() {
    let (mut world, peer) = Peer::awaited(quiet());
    let parameters = [Parameter::StateCookie(b"cookie")];
    let mut init = peer.init(&parameters);
    init.a_rwnd = 1499;
    peer.send(&mut world, &[Chunk::InitAck(init)]);
    world.run_for(ms(500));
    assert_eq!(world.count(A, ChunkType::COOKIE_ECHO), 0);
}

// A12
#[test]
fn a_peer_may_choose_our_own_tag() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    peer.tag = peer.engine_tag;
    peer.accept(&mut world);
    peer.expect_alive(&mut world);
    peer.send_data(&mut world, 0, 0, b"same tag both ways");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["same tag both ways"]);
}

/// An association in each phase, with the peer that holds it there.
fn in_every_phase() -> Vec<(Phase, World, Peer)> {
    let mut all = Vec::new();
    let (world, peer) = Peer::awaited(quiet());
    all.push((Phase::CookieWait, world, peer));
    let (world, peer) = Peer::echoed(quiet());
    all.push((Phase::CookieEchoed, world, peer));
    for connected in [true, false] {
        let new = || match connected {
            true => Peer::connected(quiet()),
            false => Peer::serving(quiet()),
        };
        let (world, peer) = new();
        all.push((Phase::Established, world, peer));
        let (mut world, mut peer) = new();
        world.send(A, text(0, "not acknowledged"));
        world.shutdown(A);
        peer.listen(&mut world, ms(20));
        all.push((Phase::ShutdownPending, world, peer));
        let (mut world, mut peer) = new();
        world.shutdown(A);
        peer.expect(&mut world, ChunkType::SHUTDOWN);
        all.push((Phase::ShutdownSent, world, peer));
        let (mut world, mut peer) = new();
        world.send(A, text(0, "not acknowledged"));
        peer.send_shutdown(&mut world, 0);
        peer.listen(&mut world, ms(20));
        all.push((Phase::ShutdownReceived, world, peer));
        let (mut world, mut peer) = new();
        peer.send_shutdown(&mut world, 0);
        peer.expect(&mut world, ChunkType::SHUTDOWN_ACK);
        all.push((Phase::ShutdownAckSent, world, peer));
    }
    all
}

// A13
#[test]
fn an_init_in_any_phase_changes_no_phase() {
    for (phase, mut world, peer) in in_every_phase() {
        assert_eq!(world.assoc(A).phase(), phase);
        for tag in [peer.tag, Vtag(0x1234), peer.engine_tag] {
            let mut other = peer.clone();
            other.tag = tag;
            other.send_init(&mut world, &[]);
            world.run_for(ms(30));
            assert_eq!(world.assoc(A).phase(), phase, "after an INIT");
        }
        assert!(!world.saw(A, &Event::Restarted));
    }
}

// A13: INIT and cookie in every phase, twice: a phase of the table results, and no panic.
#[test]
fn a_restart_in_any_phase_is_complete_or_refused() {
    for (phase, mut world, peer) in in_every_phase() {
        let mut again = peer.with_tag(0x1234);
        again.send_init(&mut world, &[]);
        world.run_for(ms(30));
        let arrived = again.take(&world);
        let Some(answer) = arrived.iter().find(|it| it.has(ChunkType::INIT_ACK)) else {
            assert_eq!(phase, Phase::ShutdownAckSent, "no INIT ACK in {phase:?}");
            continue;
        };
        again.learn(answer);
        let cookie = cookie_of(answer);
        again.echo_cookie(&mut world, &cookie);
        again.echo_cookie(&mut world, &cookie);
        world.run_for(ms(50));
        // The user's own wish to close outlives the restart; the peer's does not.
        let expected = match phase {
            Phase::ShutdownPending | Phase::ShutdownSent => Phase::ShutdownSent,
            _ => Phase::Established,
        };
        assert_eq!(world.assoc(A).phase(), expected, "from {phase:?}");
        assert_eq!(world.endpoint(A).stats().associations, 1);
        again.take(&world);
        again.expect_alive(&mut world);
    }
}

// A26
#[test]
fn an_init_of_four_bytes_is_no_init() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    for chunk in [[1, 0, 0, 4], [2, 0, 0, 4], [10, 0, 0, 4], [3, 0, 0, 4]] {
        peer.engine_tag = Vtag(0);
        peer.send_bytes(&mut world, &chunk);
    }
    world.run_for(secs(1));
    assert_eq!(world.endpoint(A).stats().associations, 0);
    peer.connect(&mut world, &[]);
    peer.expect_alive(&mut world);
}

// A26
#[test]
fn an_init_to_an_endpoint_that_only_connects_is_aborted() {
    let (mut world, mut peer) = Peer::serving(quiet());
    world.endpoint(A).stop_listening(PORT);
    // From another of our ports, to the port that it connected from.
    peer.port = 777;
    peer.tag = Vtag(0x777);
    peer.send_init(&mut world, &[]);
    let abort = peer.expect(&mut world, ChunkType::ABORT);
    assert_eq!(abort.vtag(), peer.tag);
    assert_eq!(world.endpoint(A).stats().associations, 1);
}

// A26
#[test]
fn retransmitted_inits_and_cookies_make_one_association() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let mut cookies = Vec::new();
    for _ in 0..20 {
        cookies.push((peer.ask_cookie(&mut world, &[]), peer.engine_tag));
    }
    for (cookie, tag) in &cookies {
        peer.send_tagged(&mut world, *tag, &[cookie_echo(cookie)]);
        world.run_for(ms(5));
    }
    world.run_for(secs(1));
    assert_eq!(world.endpoint(A).stats().associations, 1);
}
