//! Two ends that connect to each other at once (RFC 9260 §5.2.1, table 12).

use crate::prelude::*;

use super::{assert_works, each_has_one_association, quiet};

pub(super) fn connect_both(setup: &Setup, world: &mut World, after: Duration) {
    world.connect(A, calling_from_port(setup.z_addresses[0], &setup.a));
    world.run_for(after);
    let now = world.now();
    let to_a = calling_from_port(setup.a_addresses[0], &setup.z);
    match world.endpoint(Z).connect(now, to_a) {
        Ok(z) => world.set_current(Z, z),
        // A's COOKIE ECHO was faster: the association is there already.
        Err(error) => assert!(world.endpoint(Z).stats().associations == 1, "{error}"),
    }
}

#[test]
fn two_ends_that_connect_at_once_get_one_association() {
    for after in (0..80).step_by(5) {
        let setup = Setup::quiet(|_| {});
        let mut world = setup.world();
        connect_both(&setup, &mut world, ms(after));
        world.run_for(secs(10));
        assert!(each_has_one_association(&mut world), "{after} ms apart");
        assert!(!world.saw(A, &Event::Restarted) && !world.saw(Z, &Event::Restarted));
        assert_works(&mut world);
    }
}

#[test]
fn two_ends_that_connect_at_once_need_no_listener() {
    for after in [0, 3, 10, 15] {
        let setup = Setup::quiet(|_| {});
        let mut world = setup.world();
        world.endpoint(Z).stop_listening(PORT);
        connect_both(&setup, &mut world, ms(after));
        world.run_for(secs(10));
        if after < 10 {
            assert!(each_has_one_association(&mut world), "{after} ms apart");
            assert_works(&mut world);
        }
    }
}

#[test]
fn a_collision_keeps_the_tag_of_the_first_init() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    let first = peer.engine_tag;
    peer.port = PORT;
    peer.send_init(&mut world, &[]);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    assert_eq!(answer.init().unwrap().initiate_tag, first);
    assert_eq!(answer.init().unwrap().initial_tsn, peer.engine_tsn);
    assert_eq!(world.assoc(A).phase(), Phase::CookieWait);
    assert_eq!(world.endpoint(A).stats().associations, 1);
}

// Table 12, action B: our tag matches, the peer's is new.
#[test]
fn a_cookie_of_a_collision_brings_the_peers_newer_tag() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    peer.send_init(&mut world, &[]);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    let cookie = cookie_of(&answer);
    // The engine gets an INIT ACK with another tag of ours, then the cookie made for the first.
    let other = peer.with_tag(0x77);
    other.send_init_ack(&mut world, b"theirs", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    peer.echo_cookie(&mut world, &cookie);
    let answer = peer.expect(&mut world, ChunkType::COOKIE_ACK);
    assert_eq!(answer.vtag(), peer.tag);
    peer.expect_alive(&mut world);
    assert_eq!(world.endpoint(A).stats().associations, 1);
    assert!(!world.saw(A, &Event::Restarted));
}

// Table 12, action C: our tag does not match, the peer's does, no tie-tags.
#[test]
fn a_cookie_that_comes_late_is_discarded_in_silence() {
    let setup = Setup::with(quiet());
    let (mut world, mut peer) = Peer::before(&setup);
    peer.port = PORT;
    // A cookie from before the engine's own INIT, with another tag of the engine in it.
    let cookie = peer.ask_cookie(&mut world, &[]);
    let late = peer.packet(&[cookie_echo(&cookie)]);
    world.connect(A, calling_from_port(peer.address, &quiet()));
    peer.read_init(&mut world);
    peer.send_init_ack(&mut world, b"theirs", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    peer.inject(&mut world, late);
    peer.expect_silence(&mut world, ms(100));
    assert_eq!(world.assoc(A).phase(), Phase::CookieEchoed);
    peer.send(&mut world, &[Chunk::CookieAck]);
    world.run_for(ms(100));
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}

// Table 12, action D: both tags match.
#[test]
fn a_cookie_echo_with_both_tags_ends_the_wait_for_the_cookie_ack() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    peer.send_init(&mut world, &[]);
    let answer = peer.expect(&mut world, ChunkType::INIT_ACK);
    let cookie = cookie_of(&answer);
    peer.send_init_ack(&mut world, b"theirs", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    peer.echo_cookie(&mut world, &cookie);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    assert_eq!(world.assoc(A).phase(), Phase::Established);
    peer.expect_silence(&mut world, secs(10));
}

#[test]
fn a_collision_with_new_addresses_is_refused_once_the_cookie_is_echoed() {
    let (mut world, mut peer) = Peer::echoed(quiet());
    let again = peer.with_tag(0x99);
    again.send_init(&mut world, &[ip_parameter(address(Z, 9))]);
    let arrived = peer.listen(&mut world, ms(500));
    assert!(!any_has(&arrived, ChunkType::INIT_ACK));
    assert_eq!(world.assoc(A).phase(), Phase::CookieEchoed);
    peer.send(&mut world, &[Chunk::CookieAck]);
    world.run_for(ms(100));
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}
