//! Setting an association up (RFC 9260 §5).

mod collision;
mod cookies;
mod early_data;
mod refusal;
mod renegotiation;
mod retransmission;
mod signalled;
mod used_cookie;

use crate::prelude::*;

use std::collections::BTreeSet;

fn each_has_one_association(world: &mut World) -> bool {
    [A, Z].into_iter().all(|host| {
        world.endpoint(host).stats().associations == 1
            && world.is_open(host)
            && world.assoc(host).phase() == Phase::Established
    })
}

/// Checks that both ends have the same association: data passes in both directions.
#[track_caller]
fn assert_works(world: &mut World) {
    world.send(A, text(0, "from A"));
    world.send(Z, text(0, "from Z"));
    world.run_for(secs(5));
    assert_eq!(world.texts(Z).last().map(String::as_str), Some("from A"));
    assert_eq!(world.texts(A).last().map(String::as_str), Some("from Z"));
}

#[test]
fn the_handshake_takes_four_packets_and_two_round_trips() {
    let mut world = Setup::quiet(|_| {}).connecting();
    let began = world.now();
    world.wait_phase(A, Phase::Established, secs(1));
    assert_eq!(world.now().since(began), ms(40));
    world.run_for(secs(10));
    let types: Vec<_> = world.log().iter().flat_map(Record::types).collect();
    let expected = [
        ChunkType::INIT,
        ChunkType::INIT_ACK,
        ChunkType::COOKIE_ECHO,
        ChunkType::COOKIE_ACK,
    ];
    assert_eq!(types, expected);
}

const fn established(outbound_streams: u16, inbound_streams: u16) -> Event {
    Event::Established {
        outbound_streams,
        inbound_streams,
    }
}

#[test]
fn both_ends_are_told_that_the_association_is_up() {
    let world = Setup::quiet(|_| {}).established();
    for host in [A, Z] {
        assert_eq!(world.events(host), [established(10, 10)]);
    }
}

#[test]
fn a_listener_keeps_no_state_before_the_cookie_echo() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    for tag in 1..=1000 {
        peer.tag = Vtag(tag);
        peer.send_init(&mut world, &[]);
    }
    let answers = peer.listen(&mut world, secs(1));
    assert_eq!(answers.len(), 1000, "each INIT is answered");
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

// RFC 9260 §5.1.1
#[test]
fn streams_are_what_one_asks_for_and_the_other_grants() {
    let mut setup = Setup::quiet(|_| {});
    setup.a.outbound_streams = 20;
    setup.a.max_inbound_streams = 7;
    setup.z.outbound_streams = 30;
    setup.z.max_inbound_streams = 5;
    let mut world = setup.established();
    assert_eq!(world.events(A)[0], established(5, 7));
    assert_eq!(world.events(Z)[0], established(7, 5));
    let stats = world.stats(A);
    assert_eq!((stats.outbound_streams, stats.inbound_streams), (5, 7));
}

#[test]
fn all_65535_streams_can_be_used_both_ways() {
    let setup = Setup::quiet(|options| {
        options.outbound_streams = u16::MAX;
        options.max_inbound_streams = u16::MAX;
    });
    let mut world = setup.established();
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
    // An association still exists at the port, so Z answers.
    world.endpoint(Z).stop_listening(PORT);
    let before = world.log().len();
    setup.connect(&mut world);
    world.run_for(secs(1));
    let reason = world.close_reason(A);
    assert!(matches!(reason, Some(CloseReason::AbortedByPeer { .. })));
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
    let mut seen = BTreeSet::new();
    for seed in 0..50 {
        let setup = Setup {
            seed,
            ..Setup::default()
        };
        let world = setup.established();
        for init in world.log().iter().filter_map(Record::init) {
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
        let told = init.parameters.iter().filter_map(|it| match it.unwrap() {
            Parameter::Ipv4Address(ip) => Some(ip.into()),
            Parameter::Ipv6Address(ip) => Some(ip.into()),
            _ => None,
        });
        let told: BTreeSet<IpAddr> = told.collect();
        let all = [address(host, 1), address(host, 2), address6(host, 3)];
        assert_eq!(told, BTreeSet::from(all));
    }
}

// RFC 9260 §5.1.2: the INIT ACK goes to where the INIT came from.
#[test]
fn the_init_ack_goes_to_the_source_of_the_init() {
    let setup = Setup::quiet(|_| {}).paths(2);
    let mut world = setup.world();
    connect_to(&mut world, A, address(Z, 2), setup.a.clone());
    world.run_for(secs(1));
    let init = world.sent_with(A, ChunkType::INIT).next().unwrap();
    let init_ack = world.sent_with(Z, ChunkType::INIT_ACK).next().unwrap();
    assert_eq!((init_ack.from, init_ack.to), (init.to, init.from));
}

#[test]
fn ipv6_alone_works() {
    assert_works(&mut Setup::quiet(|_| {}).ipv6().established());
}

// RFC 9260 §5.1.5 (6, 7)
#[test]
fn data_beside_the_cookie_echo_is_delivered_and_acknowledged_at_once() {
    let (mut world, mut peer) = Peer::before_listener(quiet());
    let cookie = peer.ask_cookie(&mut world, &[]);
    let data = peer.data(0, 0, b"no time to lose");
    let echo = CookieEcho { cookie: &cookie };
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
    let to = calling(&[address(Z, 1)], quiet());
    let refused = world.endpoint(A).connect(now, to);
    assert_eq!(refused, Err(ConnectError::TooManyAssociations));
}

#[test]
fn connect_says_what_is_wrong_with_where_to() {
    let mut world = Setup::default().world();
    let good = calling(&[address(Z, 1)], Profile::Rfc9260.options());
    let ip = |ip: &str| ip.parse::<IpAddr>().unwrap();
    let now = world.now();
    let mut refuse = |edit: &dyn Fn(&mut Connect), error| {
        let mut to = good.clone();
        edit(&mut to);
        assert_eq!(world.endpoint(A).connect(now, to), Err(error));
    };
    refuse(&|to| to.remote.clear(), ConnectError::NoAddress);
    refuse(&|to| to.remote_port = 0, ConnectError::PortZero);
    let elsewhere = address(A, 7);
    refuse(
        &|to| to.local = vec![elsewhere],
        ConnectError::NotLocal(elsewhere),
    );
    for (remote, error) in [
        ("fd00::1", ConnectError::NoAddress),
        ("224.0.0.1", ConnectError::UnusableAddress(ip("224.0.0.1"))),
        ("0.0.0.0", ConnectError::UnusableAddress(ip("0.0.0.0"))),
    ] {
        refuse(
            &|to| to.remote = vec![PeerAddress::native(ip(remote))],
            error,
        );
    }
    let taken = Connect {
        local_port: Some(7000),
        ..good
    };
    assert!(world.endpoint(A).connect(now, taken.clone()).is_ok());
    let again = world.endpoint(A).connect(now, taken);
    assert_eq!(again, Err(ConnectError::PortInUse));
}
