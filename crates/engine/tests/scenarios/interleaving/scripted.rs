//! I-DATA and I-FORWARD-TSN from a scripted peer, including malformed and hostile ones.

use crate::prelude::*;

const ROOM: usize = 65_536;

fn options() -> Options {
    quiet_but(|options| {
        options.interleaving = Interleaving::On;
        options.receive_buffer = ROOM;
        options.partial_delivery_point = ROOM / 2;
    })
}

fn partially_reliable() -> Options {
    let mut options = options();
    options.partial_reliability = PartialReliability::On;
    options
}

/// An association with a peer that lists these chunk types.
fn connected(options: Options, listed: &[u8]) -> (World, Peer) {
    connected_to(Peer::before_listener(options), listed)
}

fn connected_to((mut world, mut peer): (World, Peer), listed: &[u8]) -> (World, Peer) {
    peer.streams = u16::MAX;
    let mut bytes = vec![0x80, 0x08, 0, 4 + u8::try_from(listed.len()).unwrap()];
    bytes.extend_from_slice(listed);
    peer.connect_announcing(&mut world, &[&bytes]);
    (world, peer)
}

fn agreed() -> (World, Peer) {
    connected(options(), &[64, 194])
}

fn send(world: &mut World, peer: &mut Peer, chunk: IData<'_>) {
    peer.send(world, &[Chunk::IData(chunk)]);
}

/// Sends a message of one fragment, with the next TSN.
fn send_whole(world: &mut World, peer: &mut Peer, (stream, mid): (u16, u32), payload: &[u8]) {
    let chunk = fragment(peer, (stream, mid, 0), WHOLE, payload);
    send(world, peer, chunk);
}

/// Payload of the engine's first message.
fn first(world: &World) -> Vec<u8> {
    world.messages(A)[0].payload.to_vec()
}

/// The first message of stream 1.
const FIRST: SkippedMessages = SkippedMessages {
    stream: StreamId(1),
    order: MessageOrder::Ordered,
    mid: Mid(0),
};

fn fragment<'a>(
    peer: &mut Peer,
    (stream, mid, fsn): (u16, u32, u32),
    flags: DataFlags,
    payload: &'a [u8],
) -> IData<'a> {
    let tsn = peer.tsn;
    peer.tsn = tsn.next();
    IData {
        flags,
        tsn,
        stream: StreamId(stream),
        mid: Mid(mid),
        ppid_or_fsn: fsn,
        payload,
    }
}

fn forward(world: &mut World, peer: &Peer, tsn: Tsn, skipped: &[SkippedMessages]) {
    let chunk = IForwardTsn {
        new_cumulative_tsn: tsn,
        skipped: List::from(skipped),
    };
    peer.send(world, &[Chunk::IForwardTsn(chunk)]);
}

/// The protocol rule for whose violation the engine ended the association, if any.
fn broken_rule(world: &mut World) -> Option<&'static str> {
    world.run_for(secs(1));
    match world.close_reason(A) {
        Some(CloseReason::PeerFault { cause: 13, rule }) => Some(rule),
        _ => None,
    }
}

#[track_caller]
fn assert_broken(world: &mut World, about: &str) {
    assert!(broken_rule(world).is_some_and(|rule| rule.contains(about)));
}

#[test]
fn i_data_is_read_and_acknowledged() {
    let (mut world, mut peer) = agreed();
    let chunk = fragment(&mut peer, (1, 0, 9), WHOLE, b"hello");
    send(&mut world, &mut peer, chunk);
    peer.expect(&mut world, ChunkType::SACK);
    let messages = world.messages(A);
    assert_eq!(&messages[0].payload[..], b"hello");
    assert_eq!(messages[0].ppid.0, 9);
}

#[test]
fn data_where_i_data_was_agreed_on_ends_the_association() {
    let (mut world, mut peer) = agreed();
    peer.send_data(&mut world, 0, 0, b"data");
    assert_broken(&mut world, "DATA");
}

#[test]
fn i_data_that_was_not_agreed_on_ends_the_association() {
    let (mut world, mut peer) = connected(options(), &[130]);
    send_whole(&mut world, &mut peer, (1, 0), b"hello");
    assert_broken(&mut world, "I-DATA");
}

#[test]
fn i_data_is_an_unknown_chunk_where_it_is_off() {
    let mut off = options();
    off.interleaving = Interleaving::Off;
    let (mut world, mut peer) = connected(off, &[64, 194]);
    send_whole(&mut world, &mut peer, (1, 0), b"hello");
    peer.expect(&mut world, ChunkType::ERROR);
    assert!(world.is_open(A));
}

#[test]
fn i_data_without_user_data_ends_the_association() {
    let (mut world, mut peer) = agreed();
    send_whole(&mut world, &mut peer, (1, 0), b"");
    world.run_for(secs(1));
    assert!(!world.is_open(A));
}

#[track_caller]
fn assert_bounded(world: &mut World) {
    let held = world.endpoint(A).stats().buffered;
    assert!(held <= ROOM + ROOM * 5 / 16, "{held} bytes held");
}

// A18
#[test]
fn contradictory_fragments_of_i_data_are_a_fault() {
    let (first, middle, last) = (DataFlags::BEGINNING, DataFlags::EMPTY, DataFlags::ENDING);
    let cases = [
        ("an FSN twice", &[(0, 1, middle)][..]),
        ("a beginning twice", &[(0, 0, first)]),
        ("a whole message", &[(0, 0, WHOLE)]),
        ("FSN 0 without a B bit", &[(0, 0, middle)]),
        ("FSN 0 of another without a B bit", &[(5, 0, middle)]),
        ("an FSN twice, apart", &[(0, 3, middle), (0, 3, middle)]),
        ("a second end", &[(0, 3, last), (0, 5, last)]),
        ("something after the end", &[(0, 3, last), (0, 4, middle)]),
        ("an end before the last", &[(0, 4, middle), (0, 3, last)]),
    ];
    for (what, contradictory) in cases {
        let (mut world, mut peer) = agreed();
        for (mid, fsn, flags) in [&[(0, 0, first), (0, 1, middle)], contradictory].concat() {
            assert_eq!(broken_rule(&mut world), None, "{what}");
            let chunk = fragment(&mut peer, (1, mid, fsn), flags, b"x");
            send(&mut world, &mut peer, chunk);
        }
        assert!(broken_rule(&mut world).is_some(), "{what}");
    }
}

/// Starts a message on each stream; returns the maximum memory held beyond a record per message.
fn begin_everywhere(world: &mut World, peer: &mut Peer, record: usize) -> usize {
    let mut most = 0;
    for stream in 0..u16::MAX {
        let chunk = fragment(peer, (stream, 0, 0), DataFlags::BEGINNING, b"x");
        send(world, peer, chunk);
        if stream % 64 == 0 {
            world.run_for(ms(1));
            let held = world.endpoint(A).stats().buffered;
            most = most.max(held.saturating_sub(usize::from(stream) * record));
        }
    }
    most
}

// A18: a peer may have a partial message on each stream (RFC 8260 §2.2.2); a record is kept of each
// whose start was read.
#[test]
fn first_fragments_of_i_data_on_every_stream_are_bounded() {
    for (reading, record) in [(Reading::Eager, 128), (Reading::Stopped, 0)] {
        let (mut world, mut peer) = agreed();
        world.set_reading(A, reading);
        let held = begin_everywhere(&mut world, &mut peer, record);
        assert!(held <= ROOM + ROOM * 5 / 16, "{held} bytes held");
        assert!(world.is_open(A));
        if reading == Reading::Eager {
            let end = fragment(&mut peer, (9, 0, 1), DataFlags::ENDING, b"y");
            send(&mut world, &mut peer, end);
            world.run_for(secs(1));
            assert_eq!(world.messages(A)[0].payload, &b"xy"[..]);
        }
    }
}

// A38
#[test]
fn the_endpoint_limit_bounds_what_is_kept_of_messages_in_parts() {
    let mut setup = Setup::with(options());
    setup.endpoints.max_memory = 200_000;
    let (mut world, mut peer) = connected_to(Peer::before(&setup), &[64, 194]);
    let held = begin_everywhere(&mut world, &mut peer, 0);
    assert!((90_000..=204_096).contains(&held), "{held} bytes held");
}

// A18
#[test]
fn a_message_that_never_ends_is_handed_over_in_parts() {
    let (mut world, mut peer) = agreed();
    let piece = [b'x'; 1000];
    for fsn in 0..2000 {
        let flags = match fsn {
            0 => DataFlags::BEGINNING,
            _ => DataFlags::EMPTY,
        };
        let chunk = fragment(&mut peer, (1, 0, fsn), flags, &piece);
        send(&mut world, &mut peer, chunk);
        world.run_for(ms(1));
        assert_bounded(&mut world);
    }
    assert!(world.is_open(A));
    assert!(world.stats(A).bytes_received > 1_900_000);
}

// A18
#[test]
fn crafted_mids_and_fsns_are_bounded() {
    for pick in [
        (|n| (1, n * 1_000_003, 1)) as fn(u32) -> (u16, u32, u32),
        |n| (1, 0, n * 1_000_003),
        |n| ((n % 65_535) as u16, n, n),
    ] {
        let (mut world, mut peer) = agreed();
        world.set_reading(A, Reading::Stopped);
        for n in 1..20_000_u32 {
            let (stream, mid, fsn) = pick(n.wrapping_mul(3) % 2000);
            let chunk = fragment(&mut peer, (stream, mid, fsn.max(1)), DataFlags::EMPTY, b".");
            if n % 3 == 0 {
                peer.tsn = peer.tsn.next();
            }
            send(&mut world, &mut peer, chunk);
            if n % 64 == 0 {
                world.run_for(ms(1));
                if !world.is_open(A) {
                    break;
                }
                assert_bounded(&mut world);
            }
        }
    }
}

// A17
#[test]
fn an_i_forward_tsn_lets_the_receiver_go_on() {
    let (mut world, mut peer) = agreed();
    let lost = fragment(&mut peer, (1, 0, 0), WHOLE, b"lost");
    send_whole(&mut world, &mut peer, (1, 1), b"kept");
    world.run_for(secs(1));
    assert!(world.messages(A).is_empty());
    peer.take(&world);
    forward(&mut world, &peer, lost.tsn, &[FIRST]);
    let sack = peer.expect(&mut world, ChunkType::SACK);
    assert_eq!(sack.sack().unwrap().cumulative_tsn_ack, peer.tsn.prev());
    assert_eq!(first(&world), b"kept");
}

// A17
#[test]
fn an_i_forward_tsn_far_ahead_is_one_step_and_streams_that_do_not_exist_are_passed_over() {
    let (mut world, mut peer) = agreed();
    // As many as fit a packet.
    let skipped: Vec<SkippedMessages> = (0..100)
        .map(|n| SkippedMessages {
            stream: StreamId(n * 8),
            order: MessageOrder::Ordered,
            mid: Mid(77),
        })
        .collect();
    let far = peer.tsn.plus(i32::MAX as u32 - 1);
    for tsn in [far, far.plus(1 << 31), peer.tsn] {
        forward(&mut world, &peer, tsn, &skipped);
    }
    world.run_for(secs(1));
    peer.tsn = far.next();
    send_whole(&mut world, &mut peer, (8, 78), b"next");
    world.run_for(secs(1));
    assert_eq!(first(&world), b"next");
    assert_eq!(world.stats(A).skips_received, 1);
    assert_eq!(world.stats(A).receive_buffered, 0);
}

#[test]
fn an_i_forward_tsn_that_was_not_agreed_on_is_an_unknown_chunk() {
    let (mut world, mut peer) = connected(options(), &[64]);
    let before = peer.tsn;
    forward(&mut world, &peer, before.plus(5), &[]);
    send_whole(&mut world, &mut peer, (1, 0), b"first");
    world.run_for(secs(1));
    assert_eq!(world.messages(A).len(), 1);
}

// As Linux does.
#[test]
fn an_i_forward_tsn_of_a_peer_that_gives_up_without_having_listed_it_is_heard() {
    let (mut world, mut peer) = Peer::before_listener(partially_reliable());
    let [listed, gives_up] = [&[0x80, 0x08, 0, 5, 64][..], &[0xC0, 0, 0, 4]];
    peer.connect_announcing(&mut world, &[listed, gives_up]);
    let lost = fragment(&mut peer, (1, 0, 0), WHOLE, b"lost");
    send_whole(&mut world, &mut peer, (1, 1), b"kept");
    forward(&mut world, &peer, lost.tsn, &[FIRST]);
    world.run_for(secs(1));
    assert_eq!(first(&world), b"kept");
    // We keep to the rule.
    let ours = world.assoc(A).partial_reliability();
    assert_eq!(ours, PartialReliability::Off);
}

// A45
#[test]
fn a_forward_tsn_where_i_data_was_agreed_on_ends_the_association() {
    let (mut world, peer) = connected(partially_reliable(), &[64, 192, 194]);
    let chunk = ForwardTsn {
        new_cumulative_tsn: peer.tsn,
        skipped: List::EMPTY,
    };
    peer.send(&mut world, &[Chunk::ForwardTsn(chunk)]);
    assert_broken(&mut world, "FORWARD TSN");
}

// A45
#[test]
fn an_i_forward_tsn_where_i_data_was_not_agreed_on_ends_the_association() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let mut options = partially_reliable();
        options.interleaving = interleaving;
        let (mut world, peer) = connected(options, &[192]);
        forward(&mut world, &peer, peer.tsn, &[]);
        assert_broken(&mut world, "I-FORWARD-TSN");
    }
}
