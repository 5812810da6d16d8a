//! I-DATA and I-FORWARD-TSN from a scripted peer, including malformed and hostile ones.

use sheave_engine::wire::{
    Chunk, ChunkType, DataFlags, ForwardTsn, IData, IForwardTsn, List, MessageOrder, Mid,
    Parameter, RawChunk, RawParameter, SkippedMessages, StreamId, Tsn,
};
use sheave_engine::{CloseReason, Interleaving, Options, PartialReliability};

use crate::world::{A, Peer, Reading, Setup, World, ms, quiet, secs};

const ROOM: usize = 65_536;
const WHOLE: DataFlags = DataFlags::BEGINNING.union(DataFlags::ENDING);

fn options() -> Options {
    Options {
        interleaving: Interleaving::On,
        receive_buffer: ROOM,
        partial_delivery_point: ROOM / 2,
        ..quiet()
    }
}

/// An association with a peer that lists these chunk types.
fn connected(options: Options, listed: &[u8]) -> (World, Peer) {
    connected_to(Peer::before_listener(options), listed)
}

fn connected_to((mut world, mut peer): (World, Peer), listed: &[u8]) -> (World, Peer) {
    peer.streams = u16::MAX;
    let mut bytes = vec![0x80, 0x08, 0, 4 + u8::try_from(listed.len()).unwrap()];
    bytes.extend_from_slice(listed);
    let supported = RawParameter::parse(&bytes).unwrap();
    peer.connect(&mut world, &[Parameter::Unknown(supported)]);
    (world, peer)
}

fn agreed() -> (World, Peer) {
    connected(options(), &[64, 194])
}

fn send(world: &mut World, peer: &mut Peer, chunk: IData<'_>) {
    let mut bytes = Vec::new();
    chunk.write(&mut bytes);
    let raw = RawChunk::parse(&bytes).unwrap();
    peer.send(world, &[Chunk::Unknown(raw)]);
}

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
    let mut bytes = Vec::new();
    let chunk = IForwardTsn {
        new_cumulative_tsn: tsn,
        skipped: List::from(skipped),
    };
    chunk.write(&mut bytes);
    peer.send(world, &[Chunk::Unknown(RawChunk::parse(&bytes).unwrap())]);
}

/// The protocol rule for whose violation the engine ended the association, if any.
fn broken_rule(world: &mut World) -> Option<&'static str> {
    world.run_for(secs(1));
    match world.close_reason(A) {
        Some(CloseReason::PeerFault { cause: 13, rule }) => Some(rule),
        _ => None,
    }
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
    assert!(broken_rule(&mut world).is_some_and(|rule| rule.contains("DATA")));
}

#[test]
fn i_data_that_was_not_agreed_on_ends_the_association() {
    let (mut world, mut peer) = connected(options(), &[130]);
    let chunk = fragment(&mut peer, (1, 0, 0), WHOLE, b"hello");
    send(&mut world, &mut peer, chunk);
    assert!(broken_rule(&mut world).is_some_and(|rule| rule.contains("I-DATA")));
}

#[test]
fn i_data_is_an_unknown_chunk_where_it_is_off() {
    let off = Options {
        interleaving: Interleaving::Off,
        ..options()
    };
    let (mut world, mut peer) = connected(off, &[64, 194]);
    let chunk = fragment(&mut peer, (1, 0, 0), WHOLE, b"hello");
    send(&mut world, &mut peer, chunk);
    peer.expect(&mut world, ChunkType::ERROR);
    assert!(world.is_open(A));
}

#[test]
fn i_data_without_user_data_ends_the_association() {
    let (mut world, mut peer) = agreed();
    let chunk = fragment(&mut peer, (1, 0, 0), WHOLE, b"");
    send(&mut world, &mut peer, chunk);
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
        ("an FSN twice", vec![(0, 1, middle)]),
        ("a beginning twice", vec![(0, 0, first)]),
        ("a whole message", vec![(0, 0, WHOLE)]),
        ("FSN 0 without a B bit", vec![(0, 0, middle)]),
        (
            "FSN 0 of another message without a B bit",
            vec![(5, 0, middle)],
        ),
        ("an FSN twice, apart", vec![(0, 3, middle), (0, 3, middle)]),
        ("a second end", vec![(0, 3, last), (0, 5, last)]),
        (
            "something after the end",
            vec![(0, 3, last), (0, 4, middle)],
        ),
        ("an end before the last", vec![(0, 4, middle), (0, 3, last)]),
    ];
    for (what, contradictory) in cases {
        let (mut world, mut peer) = agreed();
        for (mid, fsn, flags) in [vec![(0, 0, first), (0, 1, middle)], contradictory].concat() {
            assert_eq!(broken_rule(&mut world), None, "{what}");
            let chunk = fragment(&mut peer, (1, mid, fsn), flags, b"x");
            send(&mut world, &mut peer, chunk);
        }
        assert!(broken_rule(&mut world).is_some(), "{what}");
    }
}

// A30
#[test]
fn numbers_of_i_data_wrap() {
    let (mut world, mut peer) = Peer::before_listener(options());
    peer.tsn = Tsn(u32::MAX - 2);
    let supported = RawParameter::parse(&[0x80, 0x08, 0, 6, 64, 194]).unwrap();
    peer.connect(&mut world, &[Parameter::Unknown(supported)]);
    for mid in [u32::MAX - 1, u32::MAX, 0, 1] {
        for (fsn, flags) in [(0, DataFlags::BEGINNING), (1, DataFlags::ENDING)] {
            let flags = flags.union(DataFlags::UNORDERED);
            let chunk = fragment(&mut peer, (1, mid, fsn), flags, b"ab");
            send(&mut world, &mut peer, chunk);
        }
    }
    world.run_for(secs(1));
    let messages = world.messages(A);
    assert_eq!(messages.len(), 4);
    assert!(
        messages
            .iter()
            .all(|message| &message.payload[..] == b"abab")
    );
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
        let flags = if fsn == 0 {
            DataFlags::BEGINNING
        } else {
            DataFlags::EMPTY
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
    let kept = fragment(&mut peer, (1, 1, 0), WHOLE, b"kept");
    send(&mut world, &mut peer, kept);
    world.run_for(secs(1));
    assert!(world.messages(A).is_empty());
    let skipped = [SkippedMessages {
        stream: StreamId(1),
        order: MessageOrder::Ordered,
        mid: Mid(0),
    }];
    peer.take(&world);
    forward(&mut world, &peer, lost.tsn, &skipped);
    let sack = peer.expect(&mut world, ChunkType::SACK);
    assert_eq!(sack.sack().unwrap().cumulative_tsn_ack, peer.tsn.prev());
    assert_eq!(&world.messages(A)[0].payload[..], b"kept");
}

// A17
#[test]
fn an_i_forward_tsn_far_ahead_is_one_step_and_streams_that_do_not_exist_are_passed_over() {
    let (mut world, mut peer) = agreed();
    let skipped: Vec<SkippedMessages> = (0..8000)
        .map(|n| SkippedMessages {
            stream: StreamId(n * 8),
            order: MessageOrder::Ordered,
            mid: Mid(77),
        })
        .collect();
    let far = peer.tsn.plus(i32::MAX as u32 - 1);
    // As many as fit a packet.
    let skipped = &skipped[..100];
    for tsn in [far, far.plus(1 << 31), peer.tsn] {
        forward(&mut world, &peer, tsn, skipped);
    }
    world.run_for(secs(1));
    peer.tsn = far.next();
    let chunk = fragment(&mut peer, (8, 78, 0), WHOLE, b"next");
    send(&mut world, &mut peer, chunk);
    world.run_for(secs(1));
    assert_eq!(&world.messages(A)[0].payload[..], b"next");
    assert_eq!(world.stats(A).skips_received, 1);
    assert_eq!(world.stats(A).receive_buffered, 0);
}

#[test]
fn an_i_forward_tsn_that_was_not_agreed_on_is_an_unknown_chunk() {
    let (mut world, mut peer) = connected(options(), &[64]);
    let before = peer.tsn;
    forward(&mut world, &peer, before.plus(5), &[]);
    let chunk = fragment(&mut peer, (1, 0, 0), WHOLE, b"first");
    send(&mut world, &mut peer, chunk);
    world.run_for(secs(1));
    assert_eq!(world.messages(A).len(), 1);
}

// As Linux does.
#[test]
fn an_i_forward_tsn_of_a_peer_that_gives_up_without_having_listed_it_is_heard() {
    let options = Options {
        partial_reliability: PartialReliability::On,
        ..options()
    };
    let (mut world, mut peer) = Peer::before_listener(options);
    let [listed, gives_up] = [&[0x80, 0x08, 0, 5, 64][..], &[0xC0, 0, 0, 4]]
        .map(|bytes| Parameter::Unknown(RawParameter::parse(bytes).unwrap()));
    peer.connect(&mut world, &[listed, gives_up]);
    let lost = fragment(&mut peer, (1, 0, 0), WHOLE, b"lost");
    let kept = fragment(&mut peer, (1, 1, 0), WHOLE, b"kept");
    send(&mut world, &mut peer, kept);
    let skipped = [SkippedMessages {
        stream: StreamId(1),
        order: MessageOrder::Ordered,
        mid: Mid(0),
    }];
    forward(&mut world, &peer, lost.tsn, &skipped);
    world.run_for(secs(1));
    assert_eq!(&world.messages(A)[0].payload[..], b"kept");
    // We keep to the rule.
    assert_eq!(
        world.assoc(A).partial_reliability(),
        PartialReliability::Off
    );
}

// A45
#[test]
fn a_forward_tsn_where_i_data_was_agreed_on_ends_the_association() {
    let options = Options {
        partial_reliability: PartialReliability::On,
        ..options()
    };
    let (mut world, peer) = connected(options, &[64, 192, 194]);
    let mut bytes = Vec::new();
    let chunk = ForwardTsn {
        new_cumulative_tsn: peer.tsn,
        skipped: List::EMPTY,
    };
    chunk.write(&mut bytes);
    peer.send(
        &mut world,
        &[Chunk::Unknown(RawChunk::parse(&bytes).unwrap())],
    );
    assert!(broken_rule(&mut world).is_some_and(|rule| rule.contains("FORWARD TSN")));
}

// A45
#[test]
fn an_i_forward_tsn_where_i_data_was_not_agreed_on_ends_the_association() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let options = Options {
            partial_reliability: PartialReliability::On,
            interleaving,
            ..options()
        };
        let (mut world, peer) = connected(options, &[192]);
        forward(&mut world, &peer, peer.tsn, &[]);
        assert!(broken_rule(&mut world).is_some_and(|rule| rule.contains("I-FORWARD-TSN")));
    }
}
