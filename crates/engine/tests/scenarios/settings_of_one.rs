//! Settings of one path, and of one message, beside those of the association (RFC 6458 §5.3.2,
//! §8.1.12, §8.1.16).

use crate::prelude::*;

fn two_paths(edit: impl FnOnce(&mut Options)) -> World {
    let mut world = Setup::tuned(edit).paths(2).established();
    world.run_for(secs(10));
    world
}

fn retune(world: &mut World, n: u8, tuning: PathTuning) {
    let outcome = world.call(A, |it, now| it.retune_path(now, address(Z, n), tuning));
    outcome.unwrap();
}

fn heartbeats_to(world: &World, n: u8) -> usize {
    let all = world.sent_with(A, ChunkType::HEARTBEAT);
    all.filter(|record| record.to == address(Z, n)).count()
}

fn send_to(world: &mut World, n: u8, message: Message) {
    let options = SendOptions {
        destination: Some(address(Z, n)),
        ..SendOptions::default()
    };
    world.try_send(A, message, options).unwrap();
}

#[test]
fn heartbeats_of_one_path_end_and_begin_again() {
    let mut world = two_paths(|options| options.heartbeats = Heartbeats::Every(secs(2)));
    let off = PathTuning {
        heartbeats: Some(Heartbeats::Off),
        ..PathTuning::default()
    };
    retune(&mut world, 2, off);
    world.run_for(secs(10));
    let before = [1, 2].map(|n| heartbeats_to(&world, n));
    world.run_for(secs(100));
    assert_eq!(heartbeats_to(&world, 2), before[1]);
    assert!(heartbeats_to(&world, 1) > before[0] + 10);
    retune(&mut world, 2, PathTuning::default());
    world.run_for(secs(100));
    assert!(heartbeats_to(&world, 2) > before[1] + 10);
}

#[test]
fn a_path_may_be_probed_less_often_than_the_dead_peer_time() {
    let mut world = two_paths(set("heartbeats=2 s, dead_peer_timeout=4 s"));
    let rarely = PathTuning {
        heartbeats: Some(Heartbeats::Every(secs(60))),
        ..PathTuning::default()
    };
    for n in [1, 2] {
        retune(&mut world, n, rarely);
        let before = heartbeats_to(&world, n);
        world.run_for(secs(300));
        assert!((3..=10).contains(&(heartbeats_to(&world, n) - before)));
    }
    assert_eq!(world.assoc(A).phase(), Phase::Established);
}

#[test]
fn a_path_with_a_threshold_of_its_own_is_down_before_the_others() {
    let mut world = two_paths(set(
        "heartbeats=1 s, path_max_retrans=10, potentially_failed_max_retrans=off",
    ));
    let strict = PathTuning {
        max_retrans: Some(0),
        ..PathTuning::default()
    };
    retune(&mut world, 2, strict);
    world.cut_path(1);
    world.cut_path(2);
    let down = |n| path_event(Z, n, PathChange::Down);
    world.wait_for(A, &down(2), secs(20));
    assert!(!world.saw(A, &down(1)));
}

#[test]
fn a_path_mtu_that_is_set_bounds_packets_and_is_not_searched_beyond() {
    let mut world = two_paths(|_| ());
    let small = PathTuning {
        pmtu: Some(1000),
        ..PathTuning::default()
    };
    retune(&mut world, 1, small);
    retune(&mut world, 2, small);
    let from = world.log().len();
    world.send(A, blob(0, 100_000));
    world.run_for(secs(100));
    assert_eq!(world.messages(Z).len(), 1);
    let sent = &world.log()[from..];
    assert!(sent.iter().all(|record| record.ip_len() <= 1000));
}

#[test]
fn every_packet_asks_routers_for_what_the_association_or_its_path_has_set() {
    const USUAL: Marking = Marking {
        dscp: 46,
        flow_label: 0xf_ffff,
    };
    let mut world = two_paths(|options| {
        options.dscp = USUAL.dscp;
        options.flow_label = USUAL.flow_label;
        options.heartbeats = Heartbeats::Every(secs(2));
    });
    world.send(A, blob(0, 20_000));
    world.send(Z, blob(0, 20_000));
    world.run_for(secs(10));
    assert!(world.sent(A).all(|record| record.marking == USUAL));
    // The INIT ACK of a listener with these options among them.
    assert!(world.sent(Z).all(|record| record.marking == USUAL));
    let before = world.sent(A).count();
    let own = PathTuning {
        dscp: Some(10),
        ..PathTuning::default()
    };
    retune(&mut world, 2, own);
    let now = world.now();
    let mut options = world.assoc(A).options().clone();
    options.dscp = 12;
    world.assoc(A).retune(now, &options).unwrap();
    world.run_for(secs(10));
    world.abort(A, "done");
    world.run_for(secs(1));
    let marks = |n| {
        let after = world.sent(A).skip(before);
        let there = after.filter(move |record| record.to == address(Z, n));
        let marks = there.map(|record| (record.marking.dscp, record.marking.flow_label));
        marks.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(marks(1), [(12, USUAL.flow_label)].into());
    assert_eq!(marks(2), [(10, USUAL.flow_label)].into());
}

#[test]
fn a_path_that_is_not_there_has_no_settings() {
    let mut world = two_paths(|_| ());
    let outcome = world.call(A, |it, now| {
        it.retune_path(now, address(Z, 7), PathTuning::default())
    });
    assert_eq!(outcome, Err(PathError::Unknown));
}

#[test]
fn messages_for_two_addresses_leave_in_turn_in_packets_of_their_own() {
    let mut world = two_paths(|_| ());
    for n in [2, 1, 2] {
        send_to(&mut world, n, text(0, "there"));
    }
    world.pump();
    world.run_for(secs(1));
    let wanted = [2, 1, 2].map(|n| address(Z, n));
    assert_eq!(world.destinations(A, ChunkType::DATA, Time::ZERO), wanted);
    assert_eq!(world.texts(Z), ["there"; 3]);
}

#[test]
fn a_message_whose_own_path_fails_goes_by_the_other_one() {
    let mut world = two_paths(|_| ());
    world.cut_path(2);
    send_to(&mut world, 2, text(0, "all the same"));
    world.pump();
    world.run_for(secs(30));
    assert_eq!(world.texts(Z), ["all the same"]);
}

#[test]
fn the_longest_chunk_is_as_long_as_the_user_says() {
    let mut world = two_paths(|_| ());
    world.call(A, |it, now| it.set_max_fragment(now, Some(300)));
    world.send(A, blob(0, 20_000));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 1);
    let data = world.sent(A).flat_map(Record::data);
    let longest = data.map(|data| data.payload.len());
    assert_eq!(longest.max(), Some(300));
    world.call(A, |it, now| it.set_max_fragment(now, None));
    world.send(A, blob(0, 1000));
    world.run_for(ms(500));
    let last = world.sent_with(A, ChunkType::DATA).last().unwrap();
    assert_eq!(last.data()[0].payload.len(), 1000);
}

#[test]
fn what_is_received_tells_its_path_its_tsn_and_its_ssn() {
    let mut world = two_paths(|_| ());
    send_to(&mut world, 2, text(3, "a"));
    world.pump();
    world.run_for(secs(1));
    send_to(&mut world, 1, text(3, "b"));
    world.pump();
    world.run_for(secs(1));
    let origins: Vec<_> = world.received(Z).iter().map(|one| one.2.origin).collect();
    assert_eq!((origins[0].ssn_or_mid, origins[1].ssn_or_mid), (0, 1));
    assert_eq!(origins[0].tsn.next(), origins[1].tsn);
    assert_eq!(world.assoc(Z).cumulative_tsn(), origins[1].tsn);
    let assoc = world.assoc(Z);
    let sources = origins.iter().map(|origin| assoc.source(*origin).unwrap());
    let sources: Vec<IpAddr> = sources.collect();
    let sent = world
        .sent_with(A, ChunkType::DATA)
        .map(|record| record.from);
    let sent: Vec<IpAddr> = sent.collect();
    assert_eq!(sources, sent);
}
