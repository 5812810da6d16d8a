//! Resetting and adding streams (RFC 6525).

mod scripted;

use crate::prelude::*;

const OUT: StreamDirection = StreamDirection::Outgoing;
const IN: StreamDirection = StreamDirection::Incoming;

/// Both ends grant these requests.
fn granting(requests: PeerRequests) -> Setup {
    Setup::quiet(|options| options.reconfiguration = Reconfiguration::On(requests))
}

fn both_grant_all() -> World {
    granting(PeerRequests::ALL).established()
}

fn ids(streams: &[u16]) -> Vec<StreamId> {
    streams.iter().copied().map(StreamId).collect()
}

fn was_reset(direction: StreamDirection, streams: &[u16]) -> Event {
    Event::StreamsReset {
        direction,
        streams: ids(streams),
    }
}

/// The TSNs after each association reset, local first.
fn restarts(world: &World, host: HostId) -> Vec<(Tsn, Tsn)> {
    let events = world.events(host);
    events
        .iter()
        .filter_map(|event| match event {
            Event::AssociationReset {
                next_tsn,
                peer_next_tsn,
            } => Some((*next_tsn, *peer_next_tsn)),
            _ => None,
        })
        .collect()
}

fn failed(failure: ReconfigurationFailure) -> Event {
    Event::ReconfigurationFailed { failure }
}

fn reset(world: &mut World, host: HostId, streams: &[u16], direction: StreamDirection) {
    let streams = ids(streams);
    let outcome = world.call(host, |it, now| it.reset_streams(now, &streams, direction));
    assert_eq!(outcome, Ok(()));
}

fn add(world: &mut World, count: u16, direction: StreamDirection) {
    let outcome = world.call(A, |it, now| it.add_streams(now, count, direction));
    assert_eq!(outcome, Ok(()));
}

/// A resets a stream and has the answer within so many seconds.
fn reset_within(world: &mut World, stream: u16, direction: StreamDirection, limit: u64) {
    reset(world, A, &[stream], direction);
    world.wait_for(A, &was_reset(direction, &[stream]), secs(limit));
}

/// Sends a message at once, not when the world next runs.
fn send_now(world: &mut World, host: HostId, stream: u16, payload: &str) {
    assert_eq!(world.offer(host, text(stream, payload)), Ok(()));
}

/// SSNs of a host's DATA on a stream, in TSN order, without repetitions.
fn ssns(world: &World, host: HostId, stream: u16) -> Vec<u16> {
    let mut seen = Vec::new();
    let mut ssns = Vec::new();
    for data in world.sent(host).flat_map(Record::data) {
        if data.stream.0 == stream && !seen.contains(&data.tsn) {
            seen.push(data.tsn);
            ssns.push(data.ssn.0);
        }
    }
    ssns
}

/// Results in a host's responses.
fn results(world: &World, host: HostId) -> Vec<ReConfigResult> {
    let mut results = Vec::new();
    for chunk in world.sent(host).flat_map(Record::chunks) {
        let Chunk::ReConfig(chunk) = chunk else {
            continue;
        };
        for parameter in chunk.parameters.iter().flatten() {
            if let ReConfigParameter::Response { result, .. } = parameter {
                results.push(result);
            }
        }
    }
    results
}

#[test]
fn ssns_start_at_0_after_a_reset_while_data_flows() {
    let mut world = both_grant_all();
    for n in 0..5 {
        send_now(&mut world, A, 1, &format!("old {n}"));
        send_now(&mut world, A, 2, &format!("other {n}"));
    }
    reset(&mut world, A, &[1], OUT);
    for n in 0..3 {
        send_now(&mut world, A, 1, &format!("new {n}"));
        send_now(&mut world, A, 2, &format!("more {n}"));
    }
    world.wait_for(A, &was_reset(OUT, &[1]), secs(5));
    world.run_for(secs(1));
    assert_eq!(ssns(&world, A, 1), [0, 1, 2, 3, 4, 0, 1, 2]);
    assert_eq!(ssns(&world, A, 2), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(world.count_events(Z, &was_reset(IN, &[1])), 1);
    let texts = world.texts(Z);
    let of_1 = |text: &&String| text.starts_with("old") || text.starts_with("new");
    let of_1: Vec<_> = texts.iter().filter(of_1).collect();
    let expected = [
        "old 0", "old 1", "old 2", "old 3", "old 4", "new 0", "new 1", "new 2",
    ];
    assert_eq!(of_1, expected);
    assert_eq!(texts.len(), 16);
}

#[test]
fn messages_that_are_unread_at_a_reset_are_counted() {
    let mut world = both_grant_all();
    world.set_reading(Z, Reading::Stopped);
    for n in 0..3 {
        send_now(&mut world, A, 1, &format!("old {n}"));
    }
    reset(&mut world, A, &[1], OUT);
    world.wait_for(Z, &was_reset(IN, &[1]), secs(5));
    assert_eq!(world.assoc(Z).unread(), 3);
    send_now(&mut world, A, 1, "new");
    world.run_for(secs(1));
    assert_eq!(world.assoc(Z).unread(), 4);
    assert!(world.read(Z).is_some());
    assert_eq!(world.assoc(Z).unread(), 3);
}

#[test]
fn new_messages_of_a_stream_wait_for_the_answer_and_others_do_not() {
    let mut world = both_grant_all();
    let held = world.drop_while(Z, ChunkType::RE_CONFIG);
    reset(&mut world, A, &[1], OUT);
    send_now(&mut world, A, 1, "waits");
    send_now(&mut world, A, 2, "goes on");
    world.run_for(ms(500));
    assert_eq!(world.texts(Z), ["goes on"]);
    *held.borrow_mut() = false;
    world.run_for(secs(10));
    assert_eq!(world.texts(Z), ["goes on", "waits"]);
}

#[test]
fn all_streams_are_reset_where_none_is_named() {
    let mut world = both_grant_all();
    for stream in 0..3 {
        send_now(&mut world, A, stream, "one");
    }
    reset(&mut world, A, &[], OUT);
    for stream in 0..3 {
        send_now(&mut world, A, stream, "two");
    }
    world.wait_for(Z, &was_reset(IN, &[]), secs(5));
    world.run_for(secs(1));
    for stream in 0..3 {
        assert_eq!(ssns(&world, A, stream), [0, 0]);
    }
    assert_eq!(world.texts(Z).len(), 6);
}

#[test]
fn a_large_message_that_is_partly_sent_is_finished_before_the_reset() {
    let mut world = both_grant_all();
    world.send(A, blob(1, 300_000));
    world.run_for(ms(5));
    reset(&mut world, A, &[1], OUT);
    world.send(A, blob(1, 5000));
    world.wait_for(A, &was_reset(OUT, &[1]), secs(30));
    world.run_for(secs(1));
    assert_eq!(world.messages(Z), [blob(1, 300_000), blob(1, 5000)]);
    assert!(ssns(&world, A, 1).iter().all(|ssn| *ssn == 0));
}

#[test]
fn the_peer_resets_its_streams_when_asked() {
    let mut world = both_grant_all();
    send_now(&mut world, Z, 4, "old");
    world.run_for(secs(1));
    reset_within(&mut world, 4, IN, 5);
    world.wait_for(Z, &was_reset(OUT, &[4]), secs(5));
    send_now(&mut world, Z, 4, "new");
    world.run_for(secs(1));
    assert_eq!(ssns(&world, Z, 4), [0, 0]);
    assert_eq!(world.texts(A), ["old", "new"]);
}

#[test]
fn the_peer_that_has_data_to_deliver_is_asked_until_it_can() {
    let mut world = both_grant_all();
    world.send(Z, blob(4, 900_000));
    world.run_for(ms(5));
    reset_within(&mut world, 4, IN, 60);
    world.run_for(secs(1));
    assert!(results(&world, Z).contains(&ReConfigResult::IN_PROGRESS));
    assert_eq!(world.messages(A), [blob(4, 900_000)]);
    // No request is pending: another can be made.
    reset_within(&mut world, 4, OUT, 5);
}

#[test]
fn a_reset_that_was_deferred_and_then_made_holds_up_no_handover() {
    let mut world = both_grant_all();
    world.send(Z, blob(4, 20_000));
    world.run_for(ms(5));
    reset_within(&mut world, 4, IN, 60);
    world.run_for(secs(5));
    assert_eq!(results(&world, Z)[..1], [ReConfigResult::IN_PROGRESS]);
    for host in [A, Z] {
        assert_eq!(world.assoc(host).handover_obstacles(), [], "{host:?}");
    }
}

#[test]
fn both_sides_may_reset_at_once() {
    let mut world = both_grant_all();
    for host in [A, Z] {
        send_now(&mut world, host, 1, "old");
    }
    for host in [A, Z] {
        reset(&mut world, host, &[1], OUT);
        send_now(&mut world, host, 1, "new");
    }
    world.run_for(secs(5));
    for host in [A, Z] {
        assert_eq!(world.count_events(host, &was_reset(OUT, &[1])), 1);
        assert_eq!(world.count_events(host, &was_reset(IN, &[1])), 1);
        assert_eq!(world.texts(host), ["old", "new"]);
        assert_eq!(ssns(&world, host, 1), [0, 0]);
    }
}

#[test]
fn of_two_that_ask_each_other_at_once_none_waits_for_ever() {
    let mut world = both_grant_all();
    for host in [A, Z] {
        reset(&mut world, host, &[1], IN);
    }
    world.run_for(secs(5));
    for host in [A, Z] {
        assert!(world.saw(host, &failed(ReconfigurationFailure::PeerBusy)));
    }
    reset_within(&mut world, 1, IN, 5);
}

#[test]
fn a_tsn_reset_changes_all_numbers_and_loses_nothing() {
    let mut world = both_grant_all();
    for n in 0..20 {
        send_now(&mut world, A, 1, &format!("old {n}"));
        send_now(&mut world, Z, 2, &format!("old {n}"));
    }
    world.run_for(ms(5));
    assert_eq!(world.reset_tsns(A), Ok(()));
    for n in 0..20 {
        send_now(&mut world, A, 1, &format!("new {n}"));
        send_now(&mut world, Z, 2, &format!("new {n}"));
    }
    world.wait(secs(30), |world| !restarts(world, A).is_empty());
    send_now(&mut world, Z, 2, "last");
    world.run_for(secs(5));
    for host in [A, Z] {
        assert_eq!(restarts(&world, host).len(), 1);
    }
    assert_eq!(world.texts(Z).len(), 40);
    assert_eq!(world.texts(A).len(), 41);
    let of_a = ssns(&world, A, 1);
    assert_eq!(of_a[20..], (0..20).collect::<Vec<u16>>());
    let data = world.sent(A).flat_map(Record::data);
    let tsns: Vec<_> = data.map(|data| data.tsn).collect();
    assert_eq!(tsns[20].distance_from(tsns[19]), (1 << 31) + 1);
    assert_eq!(ssns(&world, Z, 2).last(), Some(&0));
}

#[test]
fn a_tsn_reset_goes_on_just_beyond_the_reach_of_gap_reports() {
    let mut world = both_grant_all();
    send_now(&mut world, Z, 2, "old");
    world.run_for(secs(1));
    assert_eq!(world.reset_tsns(A), Ok(()));
    world.wait(secs(5), |world| !restarts(world, A).is_empty());
    send_now(&mut world, Z, 2, "new");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["old", "new"]);
    let data = world.sent(Z).flat_map(Record::data);
    let tsns: Vec<_> = data.map(|data| data.tsn).collect();
    assert_eq!(tsns[1].distance_from(tsns[0]), (1 << 16) + 1);
}

#[test]
fn both_ends_are_told_the_tsns_with_which_a_tsn_reset_goes_on() {
    let mut world = both_grant_all();
    for host in [A, Z] {
        send_now(&mut world, host, 2, "old");
    }
    world.run_for(secs(1));
    assert_eq!(world.reset_tsns(A), Ok(()));
    world.wait(secs(5), |world| !restarts(world, A).is_empty());
    for host in [A, Z] {
        send_now(&mut world, host, 2, "new");
    }
    world.run_for(secs(1));
    let [of_a, of_z] = [A, Z].map(|host| {
        let last = world.sent(host).flat_map(Record::data).last();
        last.unwrap().tsn
    });
    assert_eq!(restarts(&world, A), [(of_a, of_z)]);
    assert_eq!(restarts(&world, Z), [(of_z, of_a)]);
}

#[test]
fn a_request_to_reset_tsns_goes_with_a_sack_of_all_that_came() {
    let mut world = both_grant_all();
    send_now(&mut world, Z, 2, "just in time");
    world.wait(secs(5), |world| world.texts(A).len() == 1);
    assert_eq!(world.reset_tsns(A), Ok(()));
    world.drop_next(A, ChunkType::RE_CONFIG, 1);
    world.wait(secs(20), |world| !restarts(world, A).is_empty());
    let came = world.sent(Z).flat_map(Record::data).next().unwrap().tsn;
    let requests = world.sent(A).filter(|sent| sent.has(ChunkType::RE_CONFIG));
    let told = requests.map(|sent| sent.sack().unwrap().cumulative_tsn_ack);
    let told: Vec<_> = told.collect();
    assert_eq!(told, [came; 2]);
}

#[test]
fn a_lost_answer_to_a_tsn_reset_does_no_harm() {
    let mut world = both_grant_all();
    world.drop_next(Z, ChunkType::RE_CONFIG, 1);
    assert_eq!(world.reset_tsns(A), Ok(()));
    world.run_for(ms(200));
    // Z has performed the reset and sends with new numbers to A, which does not know yet.
    assert_eq!(restarts(&world, Z).len(), 1);
    send_now(&mut world, Z, 2, "early");
    send_now(&mut world, A, 1, "waits");
    world.run_for(secs(20));
    let [(ours, theirs)] = restarts(&world, A)[..] else {
        panic!("one reset")
    };
    assert_eq!(restarts(&world, Z), [(theirs, ours)]);
    assert_eq!(world.texts(A), ["early"]);
    assert_eq!(world.texts(Z), ["waits"]);
    assert_eq!(world.stats(A).phase, Phase::Established);
}

#[test]
fn of_two_tsn_resets_at_once_none_is_made() {
    let mut world = both_grant_all();
    let now = world.now();
    for host in [A, Z] {
        world.assoc(host).reset_tsns(now).unwrap();
    }
    world.run_for(secs(5));
    for host in [A, Z] {
        assert!(world.saw(host, &failed(ReconfigurationFailure::PeerBusy)));
        send_now(&mut world, host, 0, "goes on");
    }
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["goes on"]);
    assert_eq!(world.texts(Z), ["goes on"]);
}

#[test]
fn added_streams_can_be_used() {
    let mut world = both_grant_all();
    let streams = world.stats(A).outbound_streams;
    let early = world.offer(A, text(streams, "early"));
    assert_eq!(early, Err(SendError::InvalidStream));
    add(&mut world, 5, OUT);
    let more = |outbound_streams, inbound_streams| Event::StreamsChanged {
        outbound_streams,
        inbound_streams,
    };
    world.wait_for(A, &more(streams + 5, streams), secs(5));
    assert!(world.saw(Z, &more(streams, streams + 5)));
    send_now(&mut world, A, streams + 4, "on the last");
    world.run_for(secs(1));
    assert_eq!(world.texts(Z), ["on the last"]);
}

#[test]
fn the_peer_adds_streams_when_asked() {
    let mut world = both_grant_all();
    let streams = world.stats(A).inbound_streams;
    add(&mut world, 3, IN);
    world.wait(secs(5), |world| {
        world.stats(A).inbound_streams == streams + 3
    });
    world.wait(secs(5), |world| {
        world.stats(Z).outbound_streams == streams + 3
    });
    send_now(&mut world, Z, streams + 2, "on the last");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["on the last"]);
}

#[test]
fn streams_are_added_up_to_the_peers_limit() {
    let setup = granting(PeerRequests::ALL).z(|options| options.max_inbound_streams = 12);
    let mut world = setup.established();
    add(&mut world, 3, OUT);
    world.wait_for(A, &failed(ReconfigurationFailure::Denied), secs(5));
    add(&mut world, 2, OUT);
    world.wait(secs(5), |world| world.stats(A).outbound_streams == 12);
}

#[test]
fn a_request_that_the_peer_denies_changes_nothing() {
    let mut world = granting(PeerRequests::NONE).established();
    send_now(&mut world, A, 1, "one");
    reset(&mut world, A, &[1], OUT);
    send_now(&mut world, A, 1, "two");
    world.run_for(secs(2));
    reset(&mut world, A, &[1], IN);
    world.run_for(secs(2));
    assert_eq!(world.reset_tsns(A), Ok(()));
    world.run_for(secs(2));
    for direction in [OUT, IN] {
        add(&mut world, 1, direction);
        world.run_for(secs(2));
    }
    let denied = failed(ReconfigurationFailure::Denied);
    assert_eq!(world.count_events(A, &denied), 5);
    assert_eq!(results(&world, Z), [ReConfigResult::DENIED; 5]);
    assert_eq!(ssns(&world, A, 1), [0, 1]);
    assert_eq!(world.texts(Z), ["one", "two"]);
}

#[test]
fn an_end_may_ask_for_resets_that_it_does_not_grant() {
    let mut setup = granting(PeerRequests::ALL);
    setup.a.reconfiguration = Reconfiguration::On(PeerRequests::NONE);
    let mut world = setup.established();
    reset_within(&mut world, 1, IN, 5);
    world.run_for(secs(1));
    reset(&mut world, Z, &[1], OUT);
    world.wait_for(Z, &failed(ReconfigurationFailure::Denied), secs(5));
}

#[test]
fn it_is_off_unless_both_ends_choose_it() {
    let setup = granting(PeerRequests::ALL);
    let setup = setup.z(|options| options.reconfiguration = Reconfiguration::Off);
    let mut world = setup.established();
    let now = world.now();
    let outcome = world.assoc(A).reset_streams(now, &[], OUT);
    assert_eq!(outcome, Err(ReconfigurationError::Unavailable));
    let outcome = world.assoc(Z).add_streams(now, 1, OUT);
    assert_eq!(outcome, Err(ReconfigurationError::Unavailable));
}

#[test]
fn impossible_requests_are_refused_at_once() {
    let mut world = granting(PeerRequests::ALL).connecting();
    let outcome = world.reset_tsns(A);
    assert_eq!(outcome, Err(ReconfigurationError::NotEstablished));
    let mut world = both_grant_all();
    let now = world.now();
    let mut assoc = world.assoc(A);
    let streams = assoc.stats().outbound_streams;
    let outcome = assoc.reset_streams(now, &ids(&[streams]), OUT);
    assert_eq!(outcome, Err(ReconfigurationError::UnknownStream));
    for (count, direction) in [(0, OUT), (u16::MAX, OUT), (u16::MAX, IN)] {
        let outcome = assoc.add_streams(now, count, direction);
        assert_eq!(outcome, Err(ReconfigurationError::BadCount));
    }
    assert_eq!(assoc.reset_streams(now, &ids(&[1, 1, 1]), OUT), Ok(()));
    let outcome = assoc.reset_streams(now, &ids(&[2]), OUT);
    assert_eq!(outcome, Err(ReconfigurationError::Busy));
}

#[test]
fn a_request_that_nobody_answers_ends_the_association() {
    let mut world = both_grant_all();
    let _lost = world.drop_while(A, ChunkType::RE_CONFIG);
    reset(&mut world, A, &[1], OUT);
    world.wait(secs(600), |world| !world.is_open(A));
    assert_eq!(world.close_reason(A), Some(CloseReason::TimedOut));
    // Association.Max.Retrans is 10: the request plus ten retransmissions.
    assert_eq!(world.count(A, ChunkType::RE_CONFIG), 11);
}

#[test]
fn a_request_goes_to_another_path_when_it_is_lost() {
    let mut world = granting(PeerRequests::ALL).paths(2).established();
    world.run_for(secs(5));
    world.cut_path(1);
    reset_within(&mut world, 1, OUT, 20);
}

#[test]
fn messages_behind_a_reset_are_delivered_before_a_shutdown() {
    let mut world = both_grant_all();
    send_now(&mut world, A, 1, "old");
    reset(&mut world, A, &[1], OUT);
    send_now(&mut world, A, 1, "new");
    world.shutdown(A);
    world.wait(secs(30), |world| !world.is_open(A));
    assert_eq!(world.close_reason(A), Some(CloseReason::Graceful));
    assert_eq!(world.texts(Z), ["old", "new"]);
}

#[test]
fn messages_behind_a_reset_come_back_from_an_abort() {
    let mut world = both_grant_all();
    let _lost = world.drop_while(A, ChunkType::RE_CONFIG);
    reset(&mut world, A, &[1], OUT);
    let now = world.now();
    let options = SendOptions {
        context: 7,
        ..SendOptions::default()
    };
    world.assoc(A).send(now, text(1, "held"), options).unwrap();
    world.abort(A, "enough");
    world.run_for(secs(1));
    assert_eq!(world.failed(A), [7]);
}
