//! Associations that move to another endpoint, in virtual time.

mod refused;

use crate::prelude::*;

/// Replaces a host's engine by a new one, which continues the association.
#[track_caller]
fn hand_over(world: &mut World, setup: &Setup, host: HostId) {
    world.pump();
    let id = world.id(host);
    let exported = world.endpoint(host).export(id);
    settle_in(world, setup, host, &exported.expect("a quiet association"));
}

/// The second half of [`hand_over`].
#[track_caller]
fn settle_in(world: &mut World, setup: &Setup, host: HostId, exported: &[u8]) {
    let (addresses, options) = match host {
        A => (setup.a_addresses.clone(), setup.a.clone()),
        _ => (setup.z_addresses.clone(), setup.z.clone()),
    };
    let mut engine = setup.engine(world, &addresses);
    let now = world.now();
    let id = engine.import(now, exported, options);
    world.reboot(host, engine);
    world.set_current(host, id.expect("a place for it"));
    world.pump();
}

/// Sends messages in both directions: ordered and unordered, on several streams, small and large.
fn talk(world: &mut World) -> Vec<Message> {
    let messages = vec![
        text(0, "one"),
        blob(1, 9000),
        blob(1, 70).unordered(),
        text(1, "two"),
        blob(2, 4000).unordered(),
        blob(7, 1),
    ];
    for message in &messages {
        world.send(A, message.clone());
        world.send(Z, message.clone());
    }
    messages
}

/// Sorts messages, since unordered ones may arrive in any order.
fn sorted(messages: &[Message]) -> Vec<(StreamId, bool, Vec<u8>)> {
    let key = |message: &Message| {
        let ordered = message.delivery == Delivery::Ordered;
        (message.stream, ordered, message.payload.to_vec())
    };
    let mut all: Vec<_> = messages.iter().map(key).collect();
    all.sort();
    all
}

/// Ordered messages of one stream, in reading order.
fn ordered_of(messages: &[Message], stream: u16) -> Vec<Vec<u8>> {
    let of = |message: &&Message| {
        message.stream == StreamId(stream) && message.delivery == Delivery::Ordered
    };
    let messages = messages.iter().filter(of);
    messages.map(|message| message.payload.to_vec()).collect()
}

#[track_caller]
fn assert_received(world: &World, host: HostId, sent: &[Message], variant: &str) {
    let received = world.messages(host);
    assert_eq!(sorted(&received), sorted(sent), "{variant}: {host:?}");
    for stream in 0..8 {
        let (is, ought) = (ordered_of(&received, stream), ordered_of(sent, stream));
        assert_eq!(is, ought, "{variant}: stream {stream} of {host:?}");
    }
}

/// A server hands the association over once it has the request that arrived with the COOKIE ECHO.
#[test]
fn a_peer_that_has_not_heard_the_cookie_ack_is_answered_by_the_new_endpoint() {
    let setup = Setup::tuned(|options| options.early_data = EarlyData::FirstWindow);
    let mut world = setup.connecting();
    world.send(A, blob(0, 3000));
    world.drop_next(Z, ChunkType::COOKIE_ACK, 3);
    world.wait(secs(1), |world| world.messages(Z).len() == 1);
    hand_over(&mut world, &setup, Z);
    world.send(Z, text(0, "answer"));
    world.wait(secs(10), |world| world.texts(A) == ["answer"]);
    assert_eq!(world.assoc(A).phase(), Phase::Established);
    assert_eq!(world.messages(Z).len(), 1);
    assert_eq!(world.endpoint(Z).stats().bad_cookie, 0);
}

/// The extension only matters during the handshake.
#[test]
fn the_importer_need_not_take_a_first_window() {
    let mut setup = Setup::tuned(|options| options.early_data = EarlyData::FirstWindow);
    let mut world = setup.established();
    setup.z.early_data = EarlyData::Off;
    hand_over(&mut world, &setup, Z);
    let messages = talk(&mut world);
    world.run_for(secs(10));
    assert_received(&world, A, &messages, "after it");
}

/// The cookie cannot be verified here, and changes nothing.
#[test]
fn a_cookie_of_another_endpoint_is_answered_under_the_right_tag_alone() {
    let setup = Setup::tuned(|_| {});
    let mut world = setup.established();
    let echo = world.sent_with(A, ChunkType::COOKIE_ECHO).next().unwrap();
    let mut echo = echo.bytes.clone();
    hand_over(&mut world, &setup, Z);
    for answers in [1, 0] {
        let before = world.count(Z, ChunkType::COOKIE_ACK);
        world.inject(address(A, 1), address(Z, 1), None, echo.clone());
        world.run_for(secs(1));
        assert_eq!(world.count(Z, ChunkType::COOKIE_ACK) - before, answers);
        echo[7] ^= 1;
        reseal(&mut echo);
    }
    let messages = talk(&mut world);
    world.run_for(secs(10));
    assert_received(&world, A, &messages, "after it");
}

fn variants() -> Vec<(&'static str, Setup)> {
    let authenticated = Setup::tuned(|options| {
        let chunks = ChunkSet::of([ChunkType::DATA, ChunkType::SACK]);
        options.authentication = Authentication::with_key("secret", chunks);
        options.address_changes = AddressChanges::On;
    });
    let mut variants = vec![
        ("plain", Setup::default()),
        ("authentication", authenticated),
        ("two paths", Setup::default().paths(2)),
    ];
    variants.extend(
        [
            "interleaving=on",
            "reconfiguration=on",
            "partial_reliability=on",
            "partial_reliability=on, interleaving=on",
            "ecn=on",
            "selective_acks=non-renegable",
            "loss_recovery=go-back-n",
            "chunk_checksum=on",
            "zero_checksum=memory",
            "packet_drop_reports=on",
            "loss_detection=rack, congestion=cubic",
            "path_mtu_discovery=on:1500 B",
        ]
        .map(|options| (options, Setup::tuned(set(options)))),
    );
    let both = "multipath=concurrent";
    variants.push((both, Setup::tuned(set(both)).paths(2)));
    variants
}

#[test]
fn an_association_goes_on_elsewhere_with_every_extension() {
    for (variant, setup) in variants() {
        let mut world = setup.established();
        let mut sent = talk(&mut world);
        world.run_for(secs(10));
        for host in [Z, A, Z] {
            hand_over(&mut world, &setup, host);
            sent.extend(talk(&mut world));
            world.run_for(secs(10));
        }
        assert_received(&world, A, &sent, variant);
        assert_received(&world, Z, &sent, variant);
        for host in [A, Z] {
            let bad = |event: &Event| {
                matches!(
                    event,
                    Event::Restarted | Event::Closed { .. } | Event::SendFailed { .. }
                )
            };
            assert_eq!(world.events(host).into_iter().find(bad), None, "{variant}");
            assert_eq!(world.count(host, ChunkType::ABORT), 0);
        }
        world.shutdown(Z);
        world.run_for(secs(5));
        let reason = world.close_reason(A);
        assert_eq!(reason, Some(CloseReason::Graceful), "{variant}");
    }
}

#[test]
fn leaving_says_no_word_and_what_still_comes_is_not_answered() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.established();
    world.send(A, text(0, "before"));
    world.run_for(secs(1));
    let before = world.sent(Z).count();
    let id = world.id(Z);
    let exported = world.endpoint(Z).export(id).expect("a quiet association");
    assert!(!world.is_open(Z));
    world.send(A, text(0, "meanwhile"));
    world.run_for(secs(2));
    let answers = world.sent(Z).count() - before;
    assert_eq!(answers, 0, "to packets of another's");
    assert_eq!(world.endpoint(Z).stats().out_of_the_blue, 0);
    let now = world.now();
    let options = setup.z.clone();
    let back = world.endpoint(Z).import(now, &exported, options);
    world.set_current(Z, back.expect("it comes back to where it was"));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z), [text(0, "before"), text(0, "meanwhile")]);
}

#[test]
fn addresses_change_before_and_after() {
    let mut setup = Setup::quiet(|options| {
        options.authentication = Authentication::with_key("secret", ChunkSet::NONE);
        options.address_changes = AddressChanges::On;
    });
    let mut world = setup.established();
    setup.z_addresses = vec![address(Z, 1), address(Z, 2), address(Z, 3)];
    for n in [2, 3] {
        world.own(Z, address(Z, n));
        world.endpoint(Z).add_local_address(address(Z, n));
    }
    let [z1, z2, z3] = [1, 2, 3].map(|n| address(Z, n));
    let outcome = world.call(Z, |it, now| it.add_address(now, z2));
    assert_eq!(outcome, Ok(()));
    let obstacles = world.assoc(Z).handover_obstacles();
    assert!(obstacles.contains(&Obstacle::AddressChange));
    world.run_for(secs(3));
    hand_over(&mut world, &setup, Z);
    let outcome = world.call(Z, |it, now| it.add_address(now, z3));
    assert_eq!(outcome, Ok(()));
    world.run_for(secs(3));
    hand_over(&mut world, &setup, A);
    let outcome = world.call(Z, |it, now| it.delete_address(now, z1));
    assert_eq!(outcome, Ok(()));
    let change = AddressChange::Delete(address(Z, 1));
    world.wait_for(Z, &Event::AddressChanged { change }, secs(5));
    world.send(A, text(0, "to the new addresses"));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 1);
    hand_over(&mut world, &setup, A);
    world.send(A, text(0, "once more"));
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 2);
}

#[test]
fn paths_keep_what_was_found_out_about_them() {
    let setup = Setup::default().paths(3);
    let mut world = setup.established();
    world.run_for(secs(20));
    world.cut_path(3);
    talk(&mut world);
    world.run_for(secs(400));
    let primary = world.assoc(A).set_primary(address(Z, 2));
    assert_eq!(primary, Ok(()));
    for _ in 0..20 {
        talk(&mut world);
    }
    world.run_for(secs(3));
    let before = world.assoc(A).path_stats();
    assert_eq!(before[2].state, PathState::Inactive);
    hand_over(&mut world, &setup, A);
    let after = world.assoc(A).path_stats();
    let known = |paths: &[PathStats]| -> Vec<_> {
        let known = paths.iter().map(|path| {
            let round_trips = (path.srtt, path.rttvar, path.rto);
            let windows = (path.cwnd, path.ssthresh, path.pmtu);
            (path.remote, path.state, path.primary, round_trips, windows)
        });
        known.collect()
    };
    assert_eq!(known(&after), known(&before));
}

#[test]
fn obstacles_are_named() {
    let setup = Setup::quiet(|_| {});
    let mut world = setup.connecting();
    let id = world.id(A);
    let obstacles = world.assoc(A).handover_obstacles();
    assert!(obstacles.contains(&Obstacle::NotEstablished));
    assert!(world.endpoint(A).export(id).is_err());

    let mut world = setup.established();
    assert_eq!(world.assoc(A).handover_obstacles(), []);
    world.set_reading(Z, Reading::Stopped);
    world.send(A, text(0, "unread"));
    let obstacles = world.assoc(A).handover_obstacles();
    assert_eq!(obstacles, [Obstacle::Unacknowledged]);
    world.run_for(secs(2));
    assert_eq!(world.assoc(A).handover_obstacles(), []);
    assert_eq!(world.assoc(Z).handover_obstacles(), [Obstacle::Unread]);
    let id = world.id(Z);
    let refused = world.endpoint(Z).export(id);
    assert_eq!(refused, Err(ExportError::NotReady(vec![Obstacle::Unread])));
    world.set_reading(Z, Reading::Eager);
    world.pump();
    assert_eq!(world.assoc(Z).handover_obstacles(), []);

    world.drop_nth(A, ChunkType::DATA, &[0]);
    world.send_every(A, ms(100), 2, &blob(1, 1000));
    assert!(world.assoc(Z).handover_obstacles().contains(&Obstacle::Gap));
    world.run_for(secs(5));
    let unsent = world.offer(A, text(0, "unsent"));
    assert_eq!(unsent, Ok(()));
    assert_eq!(world.assoc(A).handover_obstacles(), [Obstacle::Unsent]);
    world.run_for(secs(5));
    let now = world.now();
    assert_eq!(world.assoc(A).shutdown(now), Ok(()));
    let obstacles = world.assoc(A).handover_obstacles();
    assert!(obstacles.contains(&Obstacle::ShuttingDown), "{obstacles:?}");
    let gone = world.id(A);
    world.run_for(secs(5));
    assert_eq!(world.endpoint(A).export(gone), Err(ExportError::Unknown));
}

#[test]
fn a_message_that_arrives_in_part_is_in_the_way() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let setup = Setup::quiet(|options| options.interleaving = interleaving);
        let mut world = setup.established();
        world.send(A, blob(0, 20_000));
        world.wait(secs(5), |world| {
            let obstacles = world.assoc(Z).handover_obstacles();
            obstacles.contains(&Obstacle::Incomplete)
        });
        world.run_for(secs(5));
        assert_eq!(world.assoc(Z).handover_obstacles(), []);
    }
}
