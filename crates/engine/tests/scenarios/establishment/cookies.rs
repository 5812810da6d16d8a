//! Cookies that are altered, stale or repeated (RFC 9260 §5.2.4, §5.2.6).

use crate::prelude::*;

use super::{each_has_one_association, quiet};

/// A listener whose cookies live for half a second.
fn short_lived() -> (World, Peer) {
    Peer::before_listener(quiet_but(|options| options.valid_cookie_life = ms(500)))
}

#[test]
fn a_stale_cookie_is_answered_with_how_stale_it_is() {
    let (mut world, mut peer) = short_lived();
    let cookie = peer.ask_cookie(&mut world, &[]);
    world.run_for(ms(900));
    peer.echo_cookie(&mut world, &cookie);
    let answer = peer.expect(&mut world, ChunkType::ERROR);
    assert_eq!(answer.vtag(), peer.tag);
    let error = answer.error().unwrap();
    let Some(Ok(Cause::StaleCookie { staleness })) = error.causes.iter().next() else {
        panic!("{answer}");
    };
    // Made on the INIT's arrival, 10 ms before we had it; echoed 900 ms later, 10 ms on the way.
    assert_eq!(staleness, 420_000);
    assert_eq!(world.endpoint(A).stats().stale_cookie, 1);
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn a_cookie_lives_through_one_change_of_the_secret() {
    let mut setup = Setup::with(quiet());
    setup.endpoints.secret_life = secs(20);
    let (mut world, mut peer) = Peer::before(&setup);
    world.run_for(secs(15));
    let cookie = peer.ask_cookie(&mut world, &[]);
    world.run_for(secs(10));
    peer.echo_cookie(&mut world, &cookie);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
}

// RFC 9260 §5.2.6 (3)
#[test]
fn a_stale_cookie_error_brings_an_init_that_asks_for_more_time() {
    let (mut world, mut peer) = Peer::echoed(quiet());
    peer.report_stale(&mut world, 250_000);
    let again = peer.read_init(&mut world);
    let init = again.init().unwrap();
    let parameters = init.parameters.iter();
    let mut asked = parameters.filter_map(|parameter| match parameter {
        Ok(Parameter::CookiePreservative { increment }) => Some(increment),
        _ => None,
    });
    let increment = asked.next().expect("a cookie preservative");
    // The staleness or more, at most a second more.
    assert!((250..=1270).contains(&increment), "{increment}");
    peer.accept(&mut world);
    assert!(matches!(world.events(A)[0], Event::Established { .. }));
}

#[test]
fn a_peer_whose_cookies_are_always_stale_is_given_up() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    for n in 0..40 {
        peer.send_init_ack(&mut world, b"a cookie", &[]);
        world.run_for(ms(50));
        peer.report_stale(&mut world, n);
        world.run_for(ms(50));
        let arrived = peer.take(&world);
        if let Some(init) = arrived.iter().find(|it| it.has(ChunkType::INIT)) {
            peer.learn(init);
        }
    }
    assert_eq!(world.close_reason(A), Some(CloseReason::StaleCookie));
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

/// Until T1 has expired it may be a report that the network has repeated.
#[test]
fn a_report_that_equals_the_last_one_is_believed_when_it_comes_again() {
    let (mut world, mut peer) = Peer::echoed(quiet());
    peer.report_stale(&mut world, 1000);
    peer.read_init(&mut world);
    peer.send_init_ack(&mut world, b"the next", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    world.run_for(ms(100));
    peer.report_stale(&mut world, 1000);
    peer.expect_silence(&mut world, ms(500));
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    peer.report_stale(&mut world, 1000);
    peer.read_init(&mut world);
}

#[test]
fn a_handshake_slower_than_the_cookies_life_still_succeeds() {
    let setup = Setup::quiet(|_| {}).z(|options| options.valid_cookie_life = ms(200));
    let mut world = setup.linked(|link| link.delay = ms(150)).connecting();
    world.run_for(secs(20));
    assert!(each_has_one_association(&mut world));
}

#[test]
fn a_stale_cookie_error_after_the_set_up_changes_nothing() {
    let (mut world, mut peer) = Peer::serving(quiet());
    peer.report_stale(&mut world, 250_000);
    peer.expect_silence(&mut world, secs(5));
    peer.expect_alive(&mut world);
}

// RFC 9260 §5.2.4 (3): matching tags make up for age.
#[test]
fn a_duplicate_cookie_echo_is_acknowledged_however_old() {
    let (mut world, mut peer) = short_lived();
    let cookie = peer.ask_cookie(&mut world, &[]);
    for wait in [0, 30] {
        world.run_for(secs(wait));
        peer.echo_cookie(&mut world, &cookie);
        peer.expect(&mut world, ChunkType::COOKIE_ACK);
    }
    assert_eq!(world.endpoint(A).stats().associations, 1);
    assert!(!world.saw(A, &Event::Restarted));
}
