//! Setting an association up (RFC 9260 §5).

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::wire::{
    Cause, Causes, Chunk, ChunkType, ErrorChunk, List, Parameter, StreamId, TagReflection, Vtag,
};
use sheave_engine::{
    CloseReason, Connect, Event, Heartbeats, Options, PeerAddress, Phase, SendFailure,
};

use crate::world::{
    A, PORT, Peer, Record, Setup, World, Z, address, address6, blob, cookie_of, ms, secs, text,
};

/// Options without heartbeats.
fn quiet() -> Options {
    Options {
        heartbeats: Heartbeats::Off,
        ..Options::default()
    }
}

fn connect_both(setup: &Setup, world: &mut World, after: Duration) {
    let to = |remote: IpAddr, options: &Options| Connect {
        local_port: Some(PORT),
        local: Vec::new(),
        remote_port: PORT,
        remote: vec![PeerAddress::native(remote)],
        options: options.clone(),
    };
    let now = world.now();
    let a = world
        .endpoint(A)
        .connect(now, to(setup.z_addresses[0], &setup.a))
        .unwrap();
    world.set_current(A, a);
    world.run_for(after);
    let now = world.now();
    match world
        .endpoint(Z)
        .connect(now, to(setup.a_addresses[0], &setup.z))
    {
        Ok(z) => world.set_current(Z, z),
        // A's COOKIE ECHO was faster: the association is there already.
        Err(error) => assert!(world.endpoint(Z).stats().associations == 1, "{error}"),
    }
}

fn each_has_one_association(world: &mut World) -> bool {
    [A, Z].into_iter().all(|host| {
        world.endpoint(host).stats().associations == 1
            && world.is_open(host)
            && world.assoc(host).phase() == Phase::Established
    })
}

/// Both ends have one and the same association: data passes both ways.
#[track_caller]
fn assert_works(world: &mut World) {
    world.send(A, text(0, "from A"));
    world.send(Z, text(0, "from Z"));
    world.run_for(secs(5));
    assert_eq!(world.texts(Z).last().map(String::as_str), Some("from A"));
    assert_eq!(world.texts(A).last().map(String::as_str), Some("from Z"));
}

#[test]
fn the_handshake_takes_four_packets() {
    let mut world = Setup::quiet(|_| {}).connecting();
    world.run_for(secs(10));
    let types: Vec<_> = world.log().iter().flat_map(Record::types).collect();
    assert_eq!(
        types,
        [
            ChunkType::INIT,
            ChunkType::INIT_ACK,
            ChunkType::COOKIE_ECHO,
            ChunkType::COOKIE_ACK,
        ]
    );
}

#[test]
fn the_handshake_takes_two_round_trips() {
    let mut world = Setup::quiet(|_| {}).connecting();
    let began = world.now();
    world.wait_phase(A, Phase::Established, secs(1));
    assert_eq!(world.now().since(began), ms(40));
}

#[test]
fn both_ends_are_told_that_the_association_is_up() {
    let world = Setup::quiet(|_| {}).established();
    for host in [A, Z] {
        assert_eq!(
            world.events(host),
            [Event::Established {
                outbound_streams: 10,
                inbound_streams: 10,
            }]
        );
    }
}

/// The packet with that chunk is lost `times` times; the association comes up all the same.
#[track_caller]
fn survives_the_loss_of(sender: crate::world::HostId, chunk: ChunkType, times: usize) {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.world();
    world.drop_next(sender, chunk, times);
    setup.connect(&mut world);
    world.run_for(secs(60));
    assert!(each_has_one_association(&mut world));
    assert!(world.count(sender, chunk) > times);
    assert!(!world.saw(Z, &Event::Restarted));
    assert_works(&mut world);
}

#[test]
fn a_lost_init_is_retransmitted() {
    survives_the_loss_of(A, ChunkType::INIT, 1);
    survives_the_loss_of(A, ChunkType::INIT, 3);
}

#[test]
fn a_lost_init_ack_is_answered_by_another_init() {
    survives_the_loss_of(Z, ChunkType::INIT_ACK, 1);
    survives_the_loss_of(Z, ChunkType::INIT_ACK, 3);
}

#[test]
fn a_lost_cookie_echo_is_retransmitted() {
    survives_the_loss_of(A, ChunkType::COOKIE_ECHO, 1);
    survives_the_loss_of(A, ChunkType::COOKIE_ECHO, 3);
}

#[test]
fn a_lost_cookie_ack_is_repaired_by_another_cookie_echo() {
    survives_the_loss_of(Z, ChunkType::COOKIE_ACK, 1);
    survives_the_loss_of(Z, ChunkType::COOKIE_ACK, 3);
}

// RFC 9260 §5.1: T1-init backs off as §6.3.3 says, and Max.Init.Retransmits bounds it.
#[test]
fn inits_back_off_and_end_after_max_init_retransmits() {
    let setup = Setup::quiet(|options| options.max_init_retransmits = 4);
    let mut world = setup.world();
    world.cut_path(1);
    let began = world.now();
    setup.connect(&mut world);
    world.run_for(secs(300));
    let sent: Vec<_> = world
        .times(A, ChunkType::INIT)
        .iter()
        .map(|at| at.since(began))
        .collect();
    assert_eq!(sent, [secs(0), secs(1), secs(3), secs(7), secs(15)]);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    let (at, ..) = world.timed_events(A)[0];
    assert_eq!(
        at.since(began),
        secs(31),
        "the last one is waited for as well"
    );
}

#[test]
fn cookie_echoes_end_after_max_init_retransmits() {
    let setup = Setup::quiet(|options| options.max_init_retransmits = 3);
    let mut world = setup.world();
    world.drop_next(A, ChunkType::COOKIE_ECHO, 100);
    setup.connect(&mut world);
    world.run_for(secs(300));
    assert_eq!(world.count(A, ChunkType::COOKIE_ECHO), 4);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn with_no_init_retransmits_one_init_is_all() {
    let setup = Setup::quiet(|options| options.max_init_retransmits = 0);
    let mut world = setup.world();
    world.cut_path(1);
    setup.connect(&mut world);
    world.run_for(secs(300));
    assert_eq!(world.count(A, ChunkType::INIT), 1);
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
}

#[test]
fn a_listener_keeps_no_state_before_the_cookie_echo() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    for tag in 1..=1000 {
        peer.tag = Vtag(tag);
        peer.send_init(&mut world, &[]);
    }
    assert_eq!(
        peer.listen(&mut world, secs(1)).len(),
        1000,
        "each INIT is answered"
    );
    assert_eq!(world.endpoint(A).stats().associations, 0);
    assert_eq!(world.endpoint(A).stats().buffered, 0);
}

#[test]
fn the_answer_to_an_init_waits_for_nothing() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    peer.send_init(&mut world, &[]);
    peer.expect(&mut world, ChunkType::INIT_ACK);
    peer.expect_silence(&mut world, secs(300));
}

#[test]
fn messages_sent_before_the_association_is_up_are_delivered() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.connecting();
    world.send(A, text(0, "early"));
    world.send(A, blob(1, 20_000));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z), [text(0, "early"), blob(1, 20_000)]);
}

// RFC 9260 §5.1.1
#[test]
fn streams_are_what_one_asks_for_and_the_other_grants() {
    let mut setup = Setup::quiet(|_| {});
    setup.a.outbound_streams = 20;
    setup.a.max_inbound_streams = 7;
    setup.z.outbound_streams = 30;
    setup.z.max_inbound_streams = 5;
    let mut world = setup.established();
    let a = Event::Established {
        outbound_streams: 5,
        inbound_streams: 7,
    };
    let z = Event::Established {
        outbound_streams: 7,
        inbound_streams: 5,
    };
    assert_eq!((&world.events(A)[0], &world.events(Z)[0]), (&a, &z));
    let stats = world.stats(A);
    assert_eq!((stats.outbound_streams, stats.inbound_streams), (5, 7));
}

#[test]
fn all_65535_streams_can_be_used_both_ways() {
    let mut world = Setup::quiet(|options| {
        options.outbound_streams = u16::MAX;
        options.max_inbound_streams = u16::MAX;
    })
    .established();
    for stream in [0, 1, 32_768, 65_534] {
        world.send(A, text(stream, "there"));
        world.send(Z, text(stream, "back"));
    }
    world.run_for(secs(2));
    for host in [A, Z] {
        let messages = world.messages(host);
        let streams: Vec<_> = messages.iter().map(|message| message.stream).collect();
        assert_eq!(streams, [0, 1, 32_768, 65_534].map(StreamId));
    }
}

#[test]
fn an_init_to_a_port_that_nobody_listens_on_is_aborted() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.established();
    // An association lives on at the port, so it is Z's to answer for.
    world.endpoint(Z).stop_listening(PORT);
    let before = world.log().len();
    setup.connect(&mut world);
    world.run_for(secs(1));
    assert!(matches!(
        world.close_reason(A),
        Some(CloseReason::AbortedByPeer { .. })
    ));
    let [init, abort] = &world.log()[before..] else {
        panic!("an INIT and an ABORT, nothing else")
    };
    // RFC 9260 §8.4 (3): the tag is the INIT's and the T bit is not set.
    assert_eq!(abort.vtag(), init.init().unwrap().initiate_tag);
    assert_eq!(abort.abort().unwrap().reflected, TagReflection::Own);
}

#[test]
fn associations_outlive_the_listener() {
    let mut world = Setup::quiet(|_| {}).established();
    world.endpoint(Z).stop_listening(PORT);
    assert_works(&mut world);
}

#[test]
fn every_association_has_its_own_tags_and_tsns() {
    let mut seen = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let world = Setup {
            seed,
            ..Setup::default()
        }
        .established();
        for record in world.log().iter().filter(|record| record.init().is_some()) {
            let init = record.init().unwrap();
            assert_ne!(init.initiate_tag, Vtag(0));
            assert!(seen.insert(init.initiate_tag.0));
            assert!(seen.insert(init.initial_tsn.0));
        }
    }
}

#[test]
fn init_and_init_ack_tell_all_addresses() {
    let mut setup = Setup::quiet(|_| {}).paths(2);
    setup.a_addresses.push(address6(A, 3));
    setup.z_addresses.push(address6(Z, 3));
    let world = setup.established();
    for (host, chunk) in [(A, ChunkType::INIT), (Z, ChunkType::INIT_ACK)] {
        let record = world.sent_with(host, chunk).next().unwrap();
        let init = record.init().unwrap();
        let mut told: Vec<IpAddr> = init
            .parameters
            .iter()
            .filter_map(|parameter| match parameter.unwrap() {
                Parameter::Ipv4Address(ip) => Some(ip.into()),
                Parameter::Ipv6Address(ip) => Some(ip.into()),
                _ => None,
            })
            .collect();
        told.sort();
        assert_eq!(
            told,
            [address(host, 1), address(host, 2), address6(host, 3)]
        );
    }
}

// RFC 9260 §5.1.2: the INIT ACK goes to where the INIT came from.
#[test]
fn the_init_ack_goes_to_the_source_of_the_init() {
    let setup = Setup::quiet(|_| {}).paths(2);
    let mut world = setup.world();
    crate::world::connect_to(&mut world, A, address(Z, 2), setup.a.clone());
    world.run_for(secs(1));
    let init = world.sent_with(A, ChunkType::INIT).next().unwrap();
    let init_ack = world.sent_with(Z, ChunkType::INIT_ACK).next().unwrap();
    assert_eq!((init_ack.from, init_ack.to), (init.to, init.from));
}

#[test]
fn ipv6_alone_works() {
    let setup = Setup {
        a_addresses: vec![address6(A, 1)],
        z_addresses: vec![address6(Z, 1)],
        ..Setup::quiet(|_| {})
    };
    assert_works(&mut setup.established());
}

// RFC 9260 §5.1.5 (6, 7)
#[test]
fn data_beside_the_cookie_echo_is_delivered_and_acknowledged_at_once() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let cookie = peer.ask_cookie(&mut world, &[]);
    let data = peer.data(0, 0, b"no time to lose");
    let echo = sheave_engine::wire::CookieEcho { cookie: &cookie };
    peer.send(&mut world, &[Chunk::CookieEcho(echo), Chunk::Data(data)]);
    let arrived = peer.listen(&mut world, ms(25));
    let types: Vec<_> = arrived.iter().flat_map(Record::types).collect();
    assert_eq!(types, [ChunkType::COOKIE_ACK, ChunkType::SACK]);
    assert_eq!(world.texts(A), ["no time to lose"]);
}

#[test]
fn a_message_on_a_stream_that_was_not_granted_comes_back() {
    let mut setup = Setup::quiet(|_| {});
    setup.a.outbound_streams = 10;
    setup.z.max_inbound_streams = 5;
    let mut world = setup.connecting();
    world.send(A, text(4, "granted"));
    world.send(A, text(5, "not granted"));
    world.run_for(secs(5));
    assert_eq!(world.texts(Z), ["granted"]);
    let returned = Event::SendFailed {
        message: text(5, "not granted"),
        context: 0,
        failure: SendFailure::Unsent,
    };
    assert!(world.saw(A, &returned));
    assert_eq!(world.stats(A).send_buffered, 0);
}

// RFC 9260 §5.1.2
#[test]
fn addresses_of_a_family_that_we_do_not_have_are_passed_over() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let IpAddr::V6(other) = address6(Z, 3) else {
        unreachable!()
    };
    peer.connect(&mut world, &[Parameter::Ipv6Address(other)]);
    assert_eq!(world.assoc(A).path_stats().len(), 1);
    peer.expect_alive(&mut world);
}

// ---- cookies ----

#[test]
fn an_altered_cookie_is_discarded_in_silence() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let cookie = peer.ask_cookie(&mut world, &[]);
    for at in 0..cookie.len() {
        let mut altered = cookie.clone();
        altered[at] ^= 0x10;
        let echo = sheave_engine::wire::CookieEcho { cookie: &altered };
        peer.send(&mut world, &[Chunk::CookieEcho(echo)]);
    }
    peer.expect_silence(&mut world, secs(5));
    assert_eq!(world.endpoint(A).stats().bad_cookie, cookie.len() as u64);
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn a_stale_cookie_is_answered_with_how_stale_it_is() {
    let (mut world, mut peer) = Peer::before_listener(Options {
        valid_cookie_life: ms(500),
        ..quiet()
    });
    let cookie = peer.ask_cookie(&mut world, &[]);
    world.run_for(ms(900));
    let echo = sheave_engine::wire::CookieEcho { cookie: &cookie };
    peer.send(&mut world, &[Chunk::CookieEcho(echo)]);
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
    let echo = sheave_engine::wire::CookieEcho { cookie: &cookie };
    peer.send(&mut world, &[Chunk::CookieEcho(echo)]);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
}

// RFC 9260 §5.2.6 (3)
#[test]
fn a_stale_cookie_error_brings_an_init_that_asks_for_more_time() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    peer.send_init_ack(&mut world, b"a cookie", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    let causes = [Cause::StaleCookie { staleness: 250_000 }];
    let causes = Causes::from(&causes[..]);
    peer.send(&mut world, &[Chunk::Error(ErrorChunk { causes })]);
    let again = peer.read_init(&mut world);
    let init = again.init().unwrap();
    let mut asked = init
        .parameters
        .iter()
        .filter_map(|parameter| match parameter {
            Ok(Parameter::CookiePreservative { increment }) => Some(increment),
            _ => None,
        });
    let increment = asked.next().expect("a cookie preservative");
    assert!(
        (250..=1270).contains(&increment),
        "the staleness or more, at most a second more"
    );
    peer.accept(&mut world);
    assert!(matches!(world.events(A)[0], Event::Established { .. }));
}

#[test]
fn a_peer_whose_cookies_are_always_stale_is_given_up() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    for _ in 0..40 {
        peer.send_init_ack(&mut world, b"a cookie", &[]);
        world.run_for(ms(50));
        let causes = [Cause::StaleCookie { staleness: 250_000 }];
        let causes = Causes::from(&causes[..]);
        peer.send(&mut world, &[Chunk::Error(ErrorChunk { causes })]);
        world.run_for(ms(50));
        if let Some(init) = peer
            .take(&world)
            .iter()
            .find(|record| record.has(ChunkType::INIT))
        {
            peer.learn(init);
        }
    }
    assert_eq!(world.close_reason(A), Some(CloseReason::StaleCookie));
    assert_eq!(world.endpoint(A).stats().associations, 0);
}

#[test]
fn a_handshake_slower_than_the_cookies_life_still_succeeds() {
    let mut setup = Setup::quiet(|_| {});
    setup.z.valid_cookie_life = ms(200);
    setup.link.delay = ms(150);
    let mut world = setup.connecting();
    world.run_for(secs(20));
    assert!(each_has_one_association(&mut world));
}

#[test]
fn a_stale_cookie_error_after_the_set_up_changes_nothing() {
    let (mut world, mut peer) = Peer::serving(quiet());
    let causes = [Cause::StaleCookie { staleness: 250_000 }];
    let causes = Causes::from(&causes[..]);
    peer.send(&mut world, &[Chunk::Error(ErrorChunk { causes })]);
    peer.expect_silence(&mut world, secs(5));
    peer.expect_alive(&mut world);
}

// RFC 9260 §5.2.4 (3): matching tags make up for age.
#[test]
fn a_duplicate_cookie_echo_is_acknowledged_however_old() {
    let (mut world, mut peer) = Peer::before_listener(Options {
        valid_cookie_life: ms(500),
        ..quiet()
    });
    let cookie = peer.ask_cookie(&mut world, &[]);
    let echo = sheave_engine::wire::CookieEcho { cookie: &cookie };
    peer.send(&mut world, &[Chunk::CookieEcho(echo)]);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    world.run_for(secs(30));
    peer.send(&mut world, &[Chunk::CookieEcho(echo)]);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    assert_eq!(world.endpoint(A).stats().associations, 1);
    assert!(!world.saw(A, &Event::Restarted));
}

#[test]
fn duplicated_packets_make_one_association() {
    let setup = Setup {
        link: crate::world::Link {
            duplicate: 1000,
            ..Default::default()
        },
        ..Setup::quiet(|_| {})
    };
    let mut world = setup.established();
    assert!(each_has_one_association(&mut world));
    assert_eq!(world.events(Z).len(), 1);
    assert_works(&mut world);
}

// ---- INIT collision, RFC 9260 §5.2.1 and table 12 ----

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
fn a_collision_survives_the_loss_of_any_one_packet() {
    for lost in 0..10 {
        for after in [0, 5, 15, 25, 35] {
            let setup = Setup::quiet(|_| {});
            let mut world = setup.world();
            let mut nth = 0;
            world.add_rule(move |_| {
                nth += 1;
                if nth == lost + 1 {
                    return crate::world::Verdict::Drop;
                }
                crate::world::Verdict::Deliver
            });
            connect_both(&setup, &mut world, ms(after));
            world.run_for(secs(30));
            assert!(
                each_has_one_association(&mut world),
                "packet {lost}, {after} ms apart"
            );
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
    let other = Peer {
        tag: Vtag(0x77),
        ..peer.clone()
    };
    other.send_init_ack(&mut world, b"theirs", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    let echo = sheave_engine::wire::CookieEcho { cookie: &cookie };
    peer.send(&mut world, &[Chunk::CookieEcho(echo)]);
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
    let late = peer.packet(&[Chunk::CookieEcho(sheave_engine::wire::CookieEcho {
        cookie: &cookie,
    })]);
    let now = world.now();
    let to = Connect {
        local_port: Some(PORT),
        local: Vec::new(),
        remote_port: PORT,
        remote: vec![PeerAddress::native(peer.address)],
        options: quiet(),
    };
    let id = world.endpoint(A).connect(now, to).unwrap();
    world.set_current(A, id);
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
    let echo = sheave_engine::wire::CookieEcho { cookie: &cookie };
    peer.send(&mut world, &[Chunk::CookieEcho(echo)]);
    peer.expect(&mut world, ChunkType::COOKIE_ACK);
    assert_eq!(world.assoc(A).phase(), Phase::Established);
    peer.expect_silence(&mut world, secs(10));
}

#[test]
fn a_collision_with_new_addresses_is_refused_once_the_cookie_is_echoed() {
    let (mut world, mut peer) = Peer::awaited(quiet());
    peer.send_init_ack(&mut world, b"theirs", &[]);
    peer.expect(&mut world, ChunkType::COOKIE_ECHO);
    let IpAddr::V4(foreign) = address(Z, 9) else {
        unreachable!()
    };
    let again = Peer {
        tag: Vtag(0x99),
        ..peer.clone()
    };
    again.send_init(&mut world, &[Parameter::Ipv4Address(foreign)]);
    let arrived = peer.listen(&mut world, ms(500));
    assert!(
        arrived
            .iter()
            .all(|record| !record.has(ChunkType::INIT_ACK))
    );
    assert_eq!(world.assoc(A).phase(), Phase::CookieEchoed);
    peer.send(&mut world, &[Chunk::CookieAck]);
    world.run_for(ms(100));
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}

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
    use sheave_engine::wire::{Heartbeat, Sack, Shutdown};
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

// ---- parameters ----

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

#[test]
fn associations_do_not_pass_the_limit() {
    let mut setup = Setup::quiet(|_| {});
    setup.endpoints.max_associations = 3;
    let mut world = setup.world();
    for _ in 0..3 {
        setup.connect(&mut world);
    }
    world.run_for(secs(5));
    assert_eq!(world.endpoint(Z).stats().associations, 3);
    let now = world.now();
    let refused = world.endpoint(A).connect(
        now,
        Connect {
            local_port: None,
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress::native(address(Z, 1))],
            options: quiet(),
        },
    );
    assert_eq!(
        refused,
        Err(sheave_engine::ConnectError::TooManyAssociations)
    );
}

#[test]
fn connect_says_what_is_wrong_with_where_to() {
    use sheave_engine::ConnectError;
    let setup = Setup::default();
    let mut world = setup.world();
    let good = Connect {
        local_port: None,
        local: Vec::new(),
        remote_port: PORT,
        remote: vec![PeerAddress::native(address(Z, 1))],
        options: Options::default(),
    };
    let to = |ip: &str| vec![PeerAddress::native(ip.parse().unwrap())];
    let cases = [
        (
            Connect {
                remote: vec![],
                ..good.clone()
            },
            ConnectError::NoAddress,
        ),
        (
            Connect {
                remote: to("fd00::1"),
                ..good.clone()
            },
            ConnectError::NoAddress,
        ),
        (
            Connect {
                remote_port: 0,
                ..good.clone()
            },
            ConnectError::PortZero,
        ),
        (
            Connect {
                remote: to("224.0.0.1"),
                ..good.clone()
            },
            ConnectError::UnusableAddress("224.0.0.1".parse().unwrap()),
        ),
        (
            Connect {
                remote: to("0.0.0.0"),
                ..good.clone()
            },
            ConnectError::UnusableAddress("0.0.0.0".parse().unwrap()),
        ),
        (
            Connect {
                local: vec![address(A, 7)],
                ..good.clone()
            },
            ConnectError::NotLocal(address(A, 7)),
        ),
    ];
    let now = world.now();
    for (to, error) in cases {
        assert_eq!(world.endpoint(A).connect(now, to), Err(error));
    }
    let taken = Connect {
        local_port: Some(7000),
        ..good
    };
    assert!(world.endpoint(A).connect(now, taken.clone()).is_ok());
    assert_eq!(
        world.endpoint(A).connect(now, taken),
        Err(ConnectError::PortInUse)
    );
}
