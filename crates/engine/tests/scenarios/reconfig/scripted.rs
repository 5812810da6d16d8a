//! RE-CONFIG from a scripted peer, including malformed and hostile ones (A23).

use crate::prelude::*;

use super::{IN, OUT, failed, ids, reset, results, send_now, was_reset};

fn options(requests: PeerRequests) -> Options {
    quiet_but(|options| options.reconfiguration = Reconfiguration::On(requests))
}

/// An association with an engine that grants everything, from a peer that can reconfigure.
fn connected() -> (World, Peer) {
    connected_to(1)
}

/// Sends the answer to the engine's first request.
fn respond(world: &mut World, peer: &Peer, result: ReConfigResult, next_tsns: Option<(Tsn, Tsn)>) {
    let request = peer.engine_tsn.0;
    let response = ReConfigParameter::Response {
        request,
        result,
        next_tsns,
    };
    send(world, peer, &[response]);
}

const TSN_RESET: ReConfigParameter<'static> = ReConfigParameter::TsnReset { request: 1000 };

/// Waits for the engine's DATA and checks its first payload.
#[track_caller]
fn expect_data(world: &mut World, peer: &mut Peer, payload: &[u8]) {
    let packet = peer.expect(world, ChunkType::DATA);
    assert_eq!(packet.data()[0].payload, payload);
}

/// Like [`connected`], with an engine that has `addresses` addresses.
fn connected_to(addresses: u8) -> (World, Peer) {
    let mut setup = Setup::with(options(PeerRequests::ALL)).paths(addresses);
    setup.link.mtu = 65_535;
    let (mut world, mut peer) = Peer::before(&setup);
    peer.connect_announcing(&mut world, &[&[0x80, 0x08, 0, 5, 130]]);
    (world, peer)
}

fn send(world: &mut World, peer: &Peer, parameters: &[ReConfigParameter<'_>]) {
    peer.send_raw(world, &chunk(parameters));
}

fn chunk(parameters: &[ReConfigParameter<'_>]) -> Vec<u8> {
    let parameters = TlvList::from(parameters);
    written(&Chunk::ReConfig(ReConfig { parameters }))
}

/// The peer's request number `n`, counted from 0, to reset streams that it sends on.
fn outgoing<'a>(n: u32, last_tsn: Tsn, streams: &'a [StreamId]) -> ReConfigParameter<'a> {
    ReConfigParameter::OutgoingReset {
        request: 1000_u32.wrapping_add(n),
        response: 0,
        last_tsn,
        streams: List::from(streams),
    }
}

fn add(n: u32, count: u16) -> ReConfigParameter<'static> {
    ReConfigParameter::AddOutgoing {
        request: 1000_u32.wrapping_add(n),
        count,
    }
}

#[test]
fn a_request_is_answered_from_the_address_that_it_came_to() {
    let (mut world, mut peer) = connected_to(2);
    let stray = peer.towards(address(A, 2));
    send(&mut world, &stray, &[add(0, 5)]);
    let answer = peer.expect(&mut world, ChunkType::RE_CONFIG);
    assert_eq!(answer.from, address(A, 2));
}

#[test]
fn a_duplicate_request_is_answered_from_memory() {
    let (mut world, peer) = connected();
    for _ in 0..3 {
        send(&mut world, &peer, &[add(0, 5)]);
        world.run_for(secs(1));
    }
    assert_eq!(world.stats(A).inbound_streams, 15);
    assert_eq!(results(&world, A), [ReConfigResult::PERFORMED; 3]);
}

#[test]
fn a_request_out_of_turn_changes_nothing() {
    let (mut world, peer) = connected();
    for n in [1, 2, 1 << 31, u32::MAX, u32::MAX - 1] {
        send(&mut world, &peer, &[add(n, 5)]);
        world.run_for(secs(1));
    }
    assert_eq!(world.stats(A).inbound_streams, 10);
    assert_eq!(results(&world, A), [ReConfigResult::BAD_SEQUENCE_NUMBER; 5]);
}

#[test]
fn a_reset_of_unknown_streams_changes_nothing() {
    let (mut world, peer) = connected();
    let last = peer.tsn.prev();
    let streams = ids(&[1, 10]);
    send(&mut world, &peer, &[outgoing(0, last, &streams)]);
    let request = ReConfigParameter::IncomingReset {
        request: 1001,
        streams: List::from(&streams[..]),
    };
    world.run_for(secs(1));
    send(&mut world, &peer, &[request]);
    world.run_for(secs(1));
    assert_eq!(results(&world, A), [ReConfigResult::WRONG_SSN; 2]);
    assert_eq!(world.count_events(A, &was_reset(IN, &[1, 10])), 0);
}

#[test]
fn a_stream_that_is_named_often_is_reset_once() {
    let (mut world, mut peer) = connected();
    peer.send_data(&mut world, 2, 0, b"old");
    world.run_for(secs(1));
    let streams = vec![StreamId(2); 600];
    send(&mut world, &peer, &[outgoing(0, peer.tsn.prev(), &streams)]);
    world.run_for(secs(1));
    peer.send_data(&mut world, 2, 0, b"new");
    world.run_for(secs(1));
    assert!(world.saw(A, &was_reset(IN, &[2])));
    assert_eq!(world.texts(A), ["old", "new"]);
}

#[test]
fn a_list_as_long_as_a_chunk_can_be_is_refused_with_one_small_answer() {
    let (mut world, mut peer) = connected();
    let streams: Vec<StreamId> = (0..32_000).map(StreamId).collect();
    send(&mut world, &peer, &[outgoing(0, peer.tsn.prev(), &streams)]);
    let answers = peer.listen(&mut world, secs(1));
    assert_eq!(answers.len(), 1);
    assert!(answers[0].ip_len() < 100, "{}", answers[0]);
    assert_eq!(results(&world, A), [ReConfigResult::WRONG_SSN]);
}

#[test]
fn a_reset_waits_for_data_that_is_missing() {
    let (mut world, mut peer) = connected();
    let lost = peer.data(1, 0, b"late");
    let last = peer.tsn.prev();
    for _ in 0..2 {
        send(&mut world, &peer, &[outgoing(0, last, &[])]);
        world.run_for(secs(1));
    }
    assert_eq!(results(&world, A), [ReConfigResult::IN_PROGRESS; 2]);
    peer.send(&mut world, &[Chunk::Data(lost)]);
    send(&mut world, &peer, &[outgoing(0, last, &[])]);
    world.run_for(secs(1));
    assert_eq!(results(&world, A).last(), Some(&ReConfigResult::PERFORMED));
    peer.send_data(&mut world, 1, 0, b"new");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["late", "new"]);
}

#[test]
fn a_request_in_progress_may_come_under_a_new_number() {
    let (mut world, mut peer) = connected();
    let lost = peer.data(1, 0, b"late");
    let last = peer.tsn.prev();
    send(&mut world, &peer, &[outgoing(0, last, &[])]);
    world.run_for(secs(1));
    peer.send(&mut world, &[Chunk::Data(lost)]);
    send(&mut world, &peer, &[outgoing(1, last, &[])]);
    world.run_for(secs(1));
    let expected = [ReConfigResult::IN_PROGRESS, ReConfigResult::PERFORMED];
    assert_eq!(results(&world, A), expected);
}

#[test]
fn messages_that_wait_at_a_reset_can_be_read() {
    let (mut world, mut peer) = connected();
    peer.send_data(&mut world, 1, 3, b"early");
    peer.send_data(&mut world, 2, 1, b"other");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), Vec::<String>::new());
    let streams = ids(&[1]);
    send(&mut world, &peer, &[outgoing(0, peer.tsn.prev(), &streams)]);
    world.run_for(secs(1));
    peer.send_data(&mut world, 1, 0, b"new");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["early", "new"]);
}

#[test]
fn impossible_contents_are_reported_and_change_nothing() {
    let (mut world, mut peer) = connected();
    let three = [add(0, 1), add(1, 1), add(2, 1)];
    let mut chunks = vec![chunk(&[]), chunk(&[add(0, 1), TSN_RESET]), chunk(&three)];
    // A parameter that goes past the end, and one of no known type.
    chunks.push(vec![130, 0, 0, 8, 0, 17, 0, 12]);
    chunks.push(vec![130, 0, 0, 8, 0, 99, 0, 4]);
    for bytes in &chunks {
        peer.send_raw(&mut world, bytes);
        let answer = peer.expect(&mut world, ChunkType::ERROR);
        assert_eq!(answer.causes(), [13], "{answer}");
    }
    assert_eq!(world.stats(A).inbound_streams, 10);
    assert_eq!(results(&world, A), []);
    peer.expect_alive(&mut world);
}

#[test]
fn a_flood_of_requests_brings_one_packet_at_most() {
    let (mut world, mut peer) = connected();
    let chunks: Vec<Vec<u8>> = (0..1000).map(|n| chunk(&[add(n % 3, 1)])).collect();
    let chunks = chunks.iter().map(|bytes| RawChunk::parse(bytes).unwrap());
    let chunks = chunks.map(Chunk::Unknown);
    let chunks: Vec<Chunk<'_>> = chunks.collect();
    peer.send(&mut world, &chunks);
    let answers = peer.listen(&mut world, secs(1));
    assert!(answers.len() <= 1, "{} packets", answers.len());
    for n in 3..3000 {
        send(&mut world, &peer, &[outgoing(n, peer.tsn.prev(), &[])]);
    }
    world.run_for(secs(10));
    peer.expect_alive(&mut world);
}

#[test]
fn responses_to_nothing_are_passed_over() {
    let (mut world, mut peer) = connected();
    for result in 0..8 {
        let next = Some((Tsn(1), Tsn(2)));
        respond(&mut world, &peer, ReConfigResult(result), next);
    }
    peer.expect_silence(&mut world, secs(5));
    assert_eq!(world.events(A).len(), 1, "{:?}", world.events(A));
    peer.expect_alive(&mut world);
}

#[test]
fn each_refusal_is_told_and_lets_waiting_messages_go() {
    for (result, failure) in [
        (2, ReconfigurationFailure::Denied),
        (3, ReconfigurationFailure::UnknownStream),
        (4, ReconfigurationFailure::PeerBusy),
        (5, ReconfigurationFailure::BadNumber),
        (77, ReconfigurationFailure::BadResult),
    ] {
        let (mut world, mut peer) = connected();
        reset(&mut world, A, &[1], OUT);
        send_now(&mut world, A, 1, "held");
        peer.expect(&mut world, ChunkType::RE_CONFIG);
        respond(&mut world, &peer, ReConfigResult(result), None);
        expect_data(&mut world, &mut peer, b"held");
        assert!(world.saw(A, &failed(failure)), "{result}");
    }
}

fn say_in_progress(world: &mut World, peer: &mut Peer) {
    peer.expect(world, ChunkType::RE_CONFIG);
    // A second answer to one request says no more than the first.
    for _ in 0..2 {
        respond(world, peer, ReConfigResult::IN_PROGRESS, None);
    }
}

#[test]
fn a_peer_at_work_is_asked_again_and_not_held_for_dead() {
    let (mut world, mut peer) = connected();
    reset(&mut world, A, &[1], OUT);
    for _ in 0..10 {
        say_in_progress(&mut world, &mut peer);
    }
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    let sent = peer_requests(&world);
    assert!(sent.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(world.is_open(A));
}

#[test]
fn a_peer_that_is_at_work_for_ever_holds_no_data_back_for_ever() {
    let (mut world, mut peer) = connected();
    reset(&mut world, A, &[1], OUT);
    send_now(&mut world, A, 1, "held");
    let failure = failed(ReconfigurationFailure::StillInProgress);
    for _ in 0..11 {
        assert!(!world.saw(A, &failure));
        say_in_progress(&mut world, &mut peer);
    }
    world.run_for(secs(1));
    assert!(world.saw(A, &failure));
    expect_data(&mut world, &mut peer, b"held");
    peer.expect_alive(&mut world);
    super::add(&mut world, 3, OUT);
}

/// The peer may restart them at any time, and takes nothing numbered otherwise from then on.
#[test]
fn a_peer_that_is_long_at_work_on_tsns_is_asked_until_it_has_restarted_them() {
    let (mut world, mut peer) = connected();
    assert_eq!(world.reset_tsns(A), Ok(()));
    send_now(&mut world, A, 1, "held");
    for _ in 0..30 {
        say_in_progress(&mut world, &mut peer);
    }
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    let next = Some((Tsn(1), Tsn(70_000)));
    respond(&mut world, &peer, ReConfigResult::PERFORMED, next);
    expect_data(&mut world, &mut peer, b"held");
}

/// usrsctp takes "in progress" for a failure of its request to reset our streams.
#[test]
fn a_peer_that_asks_for_a_reset_waits_in_silence_for_acknowledgements_alone() {
    let (mut world, mut peer) = connected();
    send_now(&mut world, A, 1, "outstanding");
    peer.expect(&mut world, ChunkType::DATA);
    let asks = ReConfigParameter::IncomingReset {
        request: 1000,
        streams: List::from(&[StreamId(1)][..]),
    };
    send(&mut world, &peer, core::slice::from_ref(&asks));
    peer.expect_silence(&mut world, ms(500));
    assert_eq!(results(&world, A), []);
    // A peer that repeats its request gets an answer.
    send(&mut world, &peer, core::slice::from_ref(&asks));
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    assert_eq!(results(&world, A), [ReConfigResult::IN_PROGRESS]);
    peer.send_sack(&mut world, 1);
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    respond(&mut world, &peer, ReConfigResult::PERFORMED, None);
    world.run_for(secs(1));
    assert_eq!(world.count_events(A, &was_reset(OUT, &[1])), 1);
}

/// The behaviour of Linux.
#[test]
fn a_peer_that_adds_the_streams_we_asked_for_need_not_say_more() {
    let (mut world, mut peer) = connected();
    super::add(&mut world, 3, IN);
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    send(&mut world, &peer, &[add(0, 3)]);
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    peer.expect_silence(&mut world, secs(20));
    assert_eq!(world.stats(A).inbound_streams, 13);
    super::add(&mut world, 3, IN);
}

/// The RE-CONFIG chunks of the engine.
fn peer_requests(world: &World) -> Vec<Vec<u8>> {
    let chunks = world.sent(A).flat_map(|record: &Record| {
        let raw = record.chunks().into_iter().filter_map(|chunk| match chunk {
            Chunk::ReConfig(_) => Some(written(&chunk)),
            _ => None,
        });
        raw.collect::<Vec<_>>()
    });
    chunks.collect()
}

#[test]
fn a_peer_that_forgets_its_tsn_reset_does_not_hold_our_data_for_ever() {
    let (mut world, mut peer) = connected();
    send_now(&mut world, A, 1, "outstanding");
    peer.expect(&mut world, ChunkType::DATA);
    send(&mut world, &peer, &[TSN_RESET]);
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    peer.send_sack(&mut world, 1);
    send_now(&mut world, A, 1, "held");
    expect_data(&mut world, &mut peer, b"held");
    assert_eq!(results(&world, A), [ReConfigResult::IN_PROGRESS]);
}

#[test]
fn a_tsn_reset_gives_the_peer_numbers_half_a_circle_away() {
    let (mut world, mut peer) = connected();
    peer.send_data(&mut world, 1, 0, b"old");
    world.run_for(secs(1));
    peer.take(&world);
    send(&mut world, &peer, &[TSN_RESET]);
    let answer = peer.expect(&mut world, ChunkType::RE_CONFIG);
    let bytes = peer_requests(&world).pop().unwrap();
    let Ok(Chunk::ReConfig(chunk)) = Chunk::parse(&bytes) else {
        panic!("RE-CONFIG")
    };
    let expected = ReConfigParameter::Response {
        request: 1000,
        result: ReConfigResult::PERFORMED,
        next_tsns: Some((peer.engine_tsn.plus(1 << 16), peer.tsn.plus(1 << 31))),
    };
    let first = chunk.parameters.iter().next();
    assert_eq!(first, Some(Ok(expected)), "{answer}");
    peer.tsn = peer.tsn.plus(1 << 31);
    peer.send_data(&mut world, 1, 0, b"new");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["old", "new"]);
}

#[test]
fn a_reset_before_the_association_is_up_is_passed_over() {
    let (mut world, mut peer) = Peer::awaited(options(PeerRequests::ALL));
    send(&mut world, &peer, &[add(0, 5)]);
    peer.accept(&mut world);
    assert_eq!(world.stats(A).inbound_streams, 10);
    let report = |event: &Event| matches!(event, Event::StreamsChanged { .. });
    assert!(!world.events(A).iter().any(report));
}

/// Resets the peer's TSNs and ours; ours to half the number space away (RFC 6525 §5.2.4).
fn grant_tsn_reset(world: &mut World, peer: &mut Peer, sent: u32) {
    assert_eq!(world.reset_tsns(A), Ok(()));
    peer.expect(world, ChunkType::RE_CONFIG);
    peer.tsn = peer.tsn.plus(1 << 16);
    let next = (peer.tsn, peer.engine_tsn.plus(sent).plus(1 << 31));
    respond(world, peer, ReConfigResult::PERFORMED, Some(next));
    world.run_for(secs(1));
}

#[test]
fn a_sack_that_a_tsn_reset_has_overtaken_changes_nothing() {
    let (mut world, mut peer) = connected();
    for text in ["one", "two", "three"] {
        send_now(&mut world, A, 1, text);
        peer.expect(&mut world, ChunkType::DATA);
    }
    peer.send_sack(&mut world, 3);
    world.run_for(secs(1));
    grant_tsn_reset(&mut world, &mut peer, 3);
    let ours = peer.engine_tsn.plus(3).plus(1 << 31);
    assert_eq!(super::restarts(&world, A), [(ours, peer.tsn)]);
    for overtaken in 0..=3 {
        peer.send_sack(&mut world, overtaken);
    }
    peer.expect_alive(&mut world);
    send_now(&mut world, A, 1, "four");
    let packet = peer.expect(&mut world, ChunkType::DATA);
    let tsn = packet.data()[0].tsn;
    assert_eq!(tsn, peer.engine_tsn.plus(3).plus(1 << 31));
    for overtaken in 0..=3 {
        peer.send_sack(&mut world, overtaken);
    }
    peer.engine_tsn = tsn;
    peer.send_sack(&mut world, 1);
    world.run_for(secs(1));
    assert_eq!(world.stats(A).send_buffered, 0);
    peer.expect_alive(&mut world);
}

#[test]
fn a_tsn_never_sent_cannot_be_acknowledged_after_a_tsn_reset_either() {
    let (mut world, mut peer) = connected();
    grant_tsn_reset(&mut world, &mut peer, 0);
    peer.engine_tsn = peer.engine_tsn.plus(1 << 31);
    peer.send_sack(&mut world, 1);
    world.run_for(secs(1));
    assert!(!world.is_open(A));
}

#[test]
fn a_skip_that_a_tsn_reset_has_overtaken_skips_nothing() {
    let setup = Setup::quiet(set("partial_reliability=on, reconfiguration=on"));
    let setup = setup.linked(|link| link.mtu = 65_535);
    let (mut world, mut peer) = Peer::before(&setup);
    peer.connect_announcing(&mut world, &[&[0x80, 0x08, 0, 6, 130, 192]]);
    let first = peer.tsn;
    for ssn in 0..3 {
        peer.send_data(&mut world, 1, ssn, b"old");
    }
    world.run_for(secs(1));
    send(&mut world, &peer, &[TSN_RESET]);
    peer.expect(&mut world, ChunkType::RE_CONFIG);
    for overtaken in [first, first.next(), peer.tsn.prev()] {
        let skip = ForwardTsn {
            new_cumulative_tsn: overtaken,
            skipped: List::EMPTY,
        };
        peer.send(&mut world, &[Chunk::ForwardTsn(skip)]);
    }
    peer.tsn = peer.tsn.plus(1 << 31);
    peer.send_data(&mut world, 1, 0, b"new");
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["old", "old", "old", "new"]);
}

#[test]
fn a_request_that_was_told_to_come_again_and_never_does_holds_up_no_handover() {
    let (mut world, mut peer) = connected();
    let lost = peer.data(1, 0, b"late");
    send(&mut world, &peer, &[outgoing(0, peer.tsn.prev(), &[])]);
    world.run_for(secs(1));
    assert_eq!(results(&world, A), [ReConfigResult::IN_PROGRESS]);
    peer.send(&mut world, &[Chunk::Data(lost)]);
    world.run_for(secs(1));
    assert_eq!(world.texts(A), ["late"]);
    assert_eq!(world.assoc(A).handover_obstacles(), []);
}
