//! Altered, replayed and foreign cookies.

use crate::prelude::*;

use super::quiet;

// A3
#[test]
fn a_takeover_by_restart_is_never_silent() {
    let (mut world, mut peer) = Peer::connected(quiet());
    let mut thief = peer.with_tag(0xbad);
    let cookie = thief.ask_cookie(&mut world, &[]);
    thief.echo_cookie(&mut world, &cookie);
    thief.send_data(&mut world, 0, 0, b"trust me");
    world.run_for(secs(1));
    let events = world.events(A);
    let told = events.iter().position(|event| *event == Event::Restarted);
    let read = events.iter().position(|event| *event == Event::Readable);
    assert!(told.is_some() && told < read, "before anything can be read");
    peer.take(&world);
}

// A6
#[test]
fn a_cookie_is_bound_to_its_ports() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let cookie = peer.ask_cookie(&mut world, &[]);
    world.endpoint(A).listen(6000, quiet()).unwrap();
    for (port, engine_port) in [(peer.port + 1, peer.engine_port), (peer.port, 6000)] {
        let other = Peer {
            port,
            engine_port,
            ..peer.clone()
        };
        other.echo_cookie(&mut world, &cookie);
    }
    peer.expect_silence(&mut world, secs(1));
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

// A24: cookies are authenticated before they are parsed, so a foreign cookie is rejected whatever
// its contents.
#[test]
fn a_cookie_cut_stretched_or_edited_is_discarded_in_silence() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let cookie = peer.ask_cookie(&mut world, &[]);
    let edited = |at: usize| {
        let mut edited = cookie.clone();
        edited[at] ^= 1;
        edited
    };
    let cut = (1..cookie.len()).map(|len| cookie[..len].to_vec());
    let long = [1, 2, 3, 4, 100, 1000].map(|extra| [&cookie[..], &vec![0; extra]].concat());
    let forged: Vec<Vec<u8>> = cut
        .chain(long)
        .chain((0..cookie.len()).map(edited))
        .collect();
    for bytes in &forged {
        peer.echo_cookie(&mut world, bytes);
    }
    peer.expect_silence(&mut world, secs(1));
    assert_eq!(world.endpoint(A).stats().bad_cookie, forged.len() as u64);
    peer.echo_cookie(&mut world, &cookie);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
}

// A24
#[test]
fn another_endpoints_cookie_is_discarded() {
    let mut elsewhere = Setup::with(quiet());
    elsewhere.seed = 99;
    let (mut other_world, mut other) = Peer::before(&elsewhere);
    let cookie = other.ask_cookie(&mut other_world, &[]);
    let (mut world, mut peer) = Peer::before_listener(quiet());
    peer.engine_tag = other.engine_tag;
    peer.echo_cookie(&mut world, &cookie);
    peer.expect_silence(&mut world, secs(1));
}

// A24: CVE-2013-2206
#[test]
fn a_duplicate_cookie_echo_with_data_is_harmless() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let cookie = peer.ask_cookie(&mut world, &[]);
    let data = peer.data(0, 0, b"once");
    let echo = cookie_echo(&cookie);
    for _ in 0..5 {
        peer.send(&mut world, &[echo, Chunk::Data(data)]);
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["once"]);
    assert_eq!(world.endpoint(A).stats().associations, 1);
    assert!(!world.saw(A, &Event::Restarted));
}

// A24: CVE-2026-52924
#[test]
fn data_beside_a_stale_cookie_is_not_taken_in() {
    let options = quiet_but(|options| options.valid_cookie_life = ms(100));
    let (mut world, mut peer) = Peer::before_listener(options);
    let cookie = peer.ask_cookie(&mut world, &[]);
    world.run_for(secs(1));
    let data = peer.data(0, 0, b"too late");
    let echo = cookie_echo(&cookie);
    peer.send(&mut world, &[echo, Chunk::Data(data)]);
    let answer = peer.expect(&mut world, ChunkType::ERROR);
    assert_eq!(answer.causes(), [3], "Stale Cookie");
    world.run_for(secs(1));
    assert!(world.received(A).is_empty());
    let stats = world.endpoint(A).stats();
    assert_eq!((stats.associations, stats.buffered), (0, 0));
}

// A24: the sender's side of a stale cookie: what went with the COOKIE ECHO is not lost or doubled.
#[test]
fn a_stale_cookie_leaves_the_senders_queue_whole() {
    for early_data in [EarlyData::Off, EarlyData::WithCookie] {
        stale_cookies_leave_the_senders_queue_whole(early_data);
    }
}

fn stale_cookies_leave_the_senders_queue_whole(early_data: EarlyData) {
    let (mut world, mut peer) = Peer::awaited(quiet_but(|o| o.early_data = early_data));
    for n in 0..5 {
        world.send(A, text(0, &n.to_string()));
    }
    world.send(A, blob(1, 3000));
    for staleness in [1000, 2000] {
        peer.send_init_ack(&mut world, b"a cookie", &[]);
        peer.expect(&mut world, ChunkType::COOKIE_ECHO);
        world.run_for(ms(100));
        peer.report_stale(&mut world, staleness);
        peer.read_init(&mut world);
    }
    peer.send_init_ack(&mut world, b"a good cookie", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    peer.send(&mut world, &[Chunk::CookieAck]);
    let from = world.log().len();
    world.run_for(secs(20));
    let mut chunks = std::collections::BTreeMap::new();
    // Data bundled with the last COOKIE ECHO counts, too.
    for data in world.log()[from.saturating_sub(4)..]
        .iter()
        .flat_map(Record::data)
    {
        let earlier = chunks.insert(data.tsn.0, data.payload.to_vec());
        assert!(earlier.is_none_or(|earlier| earlier == data.payload));
    }
    let bytes: usize = chunks.values().map(Vec::len).sum();
    // Every byte once, from the TSN that the last INIT named.
    assert_eq!(bytes, 5 + 3000);
    let first = chunks.keys().next().copied();
    assert_eq!(first, Some(peer.engine_tsn.0));
}
