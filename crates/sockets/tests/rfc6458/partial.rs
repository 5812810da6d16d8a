//! Messages in parts: read before they have arrived completely (RFC 6458 §6.1.7, §8.1.20, §8.1.21),
//! and sent in parts (§8.1.26).

use std::time::Duration;

use sheave_engine::{Interleaving, Options, Profile};
use sheave_sockets::{Abi, Errno, How, Incoming, SendCall, SocketId, Style};

use crate::pair::{EOR, NOTIFICATION, Pair, Wire, address, i32_at, sndrcv, u16_at};

const FRAGMENT_INTERLEAVE: i32 = 18;
const PARTIAL_DELIVERY_POINT: i32 = 19;
/// Size of a message that exceeds the first flight, bytes.
const LONG: usize = 60_000;

/// A one-to-many server that reads parts of `point` bytes, and two clients.
fn two_clients(interleave: u32, point: u32) -> (Pair, SocketId, [SocketId; 2]) {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.set(1, server, FRAGMENT_INTERLEAVE, &interleave.to_ne_bytes())
        .unwrap();
    pair.set(1, server, PARTIAL_DELIVERY_POINT, &point.to_ne_bytes())
        .unwrap();
    let clients = [0; 2].map(|_| pair.socket(0, Style::OneToOne));
    for client in clients {
        pair.connect(0, client, &[address(1, 5000)]);
    }
    pair.settle();
    (pair, server, clients)
}

/// The parts of two long messages in reading order: peer port, and whether the part ends its
/// message.
fn parts_of_two(interleave: u32) -> Vec<(u16, bool)> {
    let (mut pair, server, clients) = two_clients(interleave, 1000);
    for client in clients {
        pair.send(0, client, &[7; LONG]).unwrap();
    }
    let mut parts = Vec::new();
    for _ in 0..1000 {
        pair.pass(Duration::from_millis(1));
        while let Ok(part) = pair.read(1, server) {
            parts.push((part.name.unwrap().port(), part.flags & EOR != 0));
        }
    }
    assert_eq!(parts.iter().filter(|(_, ends)| *ends).count(), 2);
    parts
}

/// Whether the parts of different messages are interleaved.
fn are_mixed(parts: &[(u16, bool)]) -> bool {
    let mut neighbours = parts.iter().zip(&parts[1..]);
    neighbours.any(|((port, ends), (next, _))| !ends && port != next)
}

#[test]
fn section_8_1_20_at_level_0_nothing_comes_between_the_parts_of_a_message() {
    let parts = parts_of_two(0);
    assert!(parts.len() > 2, "{parts:?}");
    assert!(!are_mixed(&parts), "{parts:?}");
}

#[test]
fn section_8_1_20_at_level_1_parts_of_other_associations_do() {
    let parts = parts_of_two(1);
    assert!(are_mixed(&parts), "{parts:?}");
}

#[test]
fn section_8_1_21_so_many_bytes_of_a_message_are_read_before_its_end() {
    let first_read = |point: u32| {
        let (mut pair, server, [client, _]) = two_clients(0, point);
        pair.send(0, client, &[7; LONG]).unwrap();
        pair.pass(Duration::from_millis(6));
        let part = pair.read(1, server)?;
        Ok((part.payload.len() >= point as usize, part.flags & EOR))
    };
    assert_eq!(first_read(1000), Ok((true, 0)));
    assert_eq!(first_read(30_000), Err(Errno::EAGAIN));
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    let mut set = |point: u32| pair.set(0, socket, PARTIAL_DELIVERY_POINT, &point.to_ne_bytes());
    assert_eq!(set(2000), Ok(()));
    // More than the buffer holds.
    assert_eq!(set(1 << 30), Err(Errno::EINVAL));
    let point = pair.get(0, socket, PARTIAL_DELIVERY_POINT, &[0; 4]);
    assert_eq!(point, Ok(2000_u32.to_ne_bytes().to_vec()));
}

#[test]
fn section_6_1_7_a_message_whose_rest_will_not_come_is_told_of() {
    const PR_SUPPORTED: i32 = 113;
    let mut pair = Pair::new();
    let on = [0_u32, 1].map(u32::to_ne_bytes).concat();
    let server = pair.server(Style::OneToMany);
    let client = pair.socket(0, Style::OneToOne);
    pair.set(0, client, PR_SUPPORTED, &on).unwrap();
    pair.set(1, server, PR_SUPPORTED, &on).unwrap();
    pair.set(1, server, PARTIAL_DELIVERY_POINT, &1000_u32.to_ne_bytes())
        .unwrap();
    pair.subscribe(1, server, &[0, 6]);
    pair.establish(client);
    // On stream 3, with a lifetime of 200 ms.
    let mut described = sndrcv(3, 0, 0, 0);
    described[16 + 16..16 + 20].copy_from_slice(&200_u32.to_ne_bytes());
    pair.send_with(0, client, None, &described, &[7; LONG])
        .unwrap();
    pair.pass(Duration::from_millis(6));
    let part = pair.read(1, server).unwrap();
    assert_eq!((part.flags & EOR, u16_at(&part.control, 16)), (0, 3));
    let (ssn, assoc) = (u16_at(&part.control, 18), i32_at(&part.control, 16 + 28));
    pair.wire = Wire::Cut;
    pair.pass(Duration::from_secs(1));
    pair.wire = Wire::Up;
    pair.pass(Duration::from_secs(20));
    let told = std::iter::from_fn(|| pair.read(1, server).ok());
    let told = told.last().unwrap();
    assert_eq!(told.flags, NOTIFICATION | EOR);
    let body = told.payload;
    assert_eq!((u16_at(&body, 0), i32_at(&body, 4)), (0x8006, 24));
    // SCTP_PARTIAL_DELIVERY_ABORTED, association, stream, sequence number.
    let fields = [8, 12, 16, 20].map(|at| i32_at(&body, at));
    assert_eq!(fields, [0, assoc, 3, ssn.into()]);
    // The next message is read normally.
    pair.deliver(0, client, b"next");
    assert_eq!(pair.read(1, server).unwrap().payload, "next");
}

#[test]
fn section_6_1_7_the_end_of_an_association_is_told_behind_a_message_that_breaks_off() {
    let (mut pair, server, clients) = two_clients(0, 1000);
    pair.subscribe(1, server, &[1]);
    for client in clients {
        pair.send(0, client, &[7; LONG]).unwrap();
    }
    pair.pass(Duration::from_millis(6));
    let part = pair.read(1, server).unwrap();
    assert_eq!(part.flags & EOR, 0);
    let port = part.name.unwrap().port();
    let ours = |client: &SocketId| pair.at(0, *client).local_name().port() == port;
    let [begun, other] = match ours(&clients[0]) {
        true => clients,
        false => [clients[1], clients[0]],
    };
    pair.abort(0, begun);
    pair.settle();
    pair.settle();
    let read: Vec<_> = pair.drain(1, server);
    let lost = |read: &Incoming| read.flags & NOTIFICATION != 0 && u16_at(&read.payload, 8) == 1;
    assert_eq!(read.iter().filter(|read| lost(read)).count(), 1);
    pair.deliver(0, other, b"next");
    let read: Vec<_> = pair.drain(1, server);
    assert_eq!(read.last().unwrap().payload, "next");
}

/// `SCTP_EXPLICIT_EOR` and the flag `SCTP_EOR`, which exist in FreeBSD but not in Linux.
const EXPLICIT_EOR: i32 = 0x1b;
const ENDS: u16 = 0x2000;
const ON: [u8; 4] = 1_u32.to_ne_bytes();
/// Send buffer size, bytes.
const BUFFER: u32 = 20_000;

/// Ends with FreeBSD's API; the client marks the ends of its messages explicitly.
fn marking() -> (Pair, SocketId, SocketId) {
    marking_with(&Profile::Linux.options())
}

fn marking_with(options: &Options) -> (Pair, SocketId, SocketId) {
    let mut pair = Pair::of(Abi::USRSCTP, options);
    let server = pair.server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    pair.set_socket(0, client, 7, &BUFFER.to_ne_bytes())
        .unwrap();
    pair.establish(client);
    let accepted = pair.ends[1].accept(server).unwrap();
    pair.set(0, client, EXPLICIT_EOR, &ON).unwrap();
    (pair, client, accepted)
}

/// Sends a part of a message.
fn hand_in(
    pair: &mut Pair,
    client: SocketId,
    (stream, flags): (u16, u16),
    part: &[u8],
) -> Result<usize, Errno> {
    let mut described = sndrcv(stream, flags, 0, 0);
    // FreeBSD's number of SCTP_SNDRCV.
    described[12..16].copy_from_slice(&2_i32.to_ne_bytes());
    pair.send_with(0, client, None, &described, part)
}

/// Reads the available messages.
fn messages(pair: &mut Pair, accepted: SocketId) -> Vec<Vec<u8>> {
    pair.settle();
    let read = std::iter::from_fn(|| pair.read(1, accepted).ok());
    // Excludes the end of the stream.
    read.take_while(|read| !read.payload.is_empty())
        .inspect(|read| assert_eq!(read.flags, EOR))
        .map(|read| read.payload.to_vec())
        .collect()
}

#[test]
fn section_8_1_26_a_message_ends_where_the_program_says() {
    let (mut pair, client, accepted) = marking();
    assert_eq!(pair.get(0, client, EXPLICIT_EOR, &[0; 4]), Ok(ON.to_vec()));
    assert_eq!(hand_in(&mut pair, client, (3, 0), b"one, "), Ok(5));
    assert_eq!(hand_in(&mut pair, client, (3, 0), b"two, "), Ok(5));
    assert!(messages(&mut pair, accepted).is_empty());
    assert_eq!(hand_in(&mut pair, client, (3, ENDS), b"three"), Ok(5));
    assert_eq!(hand_in(&mut pair, client, (3, ENDS), b"next"), Ok(4));
    let both = [&b"one, two, three"[..], b"next"];
    assert_eq!(messages(&mut pair, accepted), both);
}

#[test]
fn section_8_1_26_the_flag_of_the_call_ends_a_message_too() {
    let (mut pair, client, accepted) = marking();
    assert_eq!(pair.send(0, client, b"one, "), Ok(5));
    let call = SendCall {
        destination: None,
        control: &[],
        flags: EOR,
        payload: "two".into(),
    };
    let now = pair.now;
    assert_eq!(pair.ends[0].send(now, client, call), Ok(3));
    assert_eq!(messages(&mut pair, accepted), [b"one, two"]);
}

#[test]
fn section_8_1_26_without_the_option_each_call_ends_its_message() {
    let (mut pair, client, accepted) = marking();
    assert_eq!(pair.send(0, client, b"one, "), Ok(5));
    let off = 0_u32.to_ne_bytes();
    pair.set(0, client, EXPLICIT_EOR, &off).unwrap();
    assert_eq!(pair.send(0, client, b"two"), Ok(3));
    assert_eq!(pair.send(0, client, b"next"), Ok(4));
    let both = [&b"one, two"[..], b"next"];
    assert_eq!(messages(&mut pair, accepted), both);
}

#[test]
fn section_8_1_26_no_other_stream_has_a_message_before_the_end() {
    let (mut pair, client, accepted) = marking();
    hand_in(&mut pair, client, (3, 0), b"one, ").unwrap();
    for flags in [0, ENDS] {
        let other = hand_in(&mut pair, client, (4, flags), b"other");
        assert_eq!(other, Err(Errno::EINVAL));
    }
    hand_in(&mut pair, client, (3, ENDS), b"two").unwrap();
    hand_in(&mut pair, client, (4, ENDS), b"other").unwrap();
    let both = [&b"one, two"[..], b"other"];
    assert_eq!(messages(&mut pair, accepted), both);
}

#[test]
fn section_8_1_26_where_parts_may_mix_each_stream_has_a_message_of_its_own() {
    let mut options = Profile::Linux.options();
    options.interleaving = Interleaving::On;
    let (mut pair, client, accepted) = marking_with(&options);
    hand_in(&mut pair, client, (3, 0), b"one, ").unwrap();
    hand_in(&mut pair, client, (4, 0), b"another, ").unwrap();
    // Unfinished messages together are limited to the send buffer.
    let longer = hand_in(&mut pair, client, (5, 0), &[7; BUFFER as usize - 13]);
    assert_eq!(longer, Err(Errno::EMSGSIZE));
    hand_in(&mut pair, client, (4, ENDS), b"other").unwrap();
    hand_in(&mut pair, client, (3, ENDS), b"two").unwrap();
    let both = [&b"another, other"[..], b"one, two"];
    assert_eq!(messages(&mut pair, accepted), both);
}

#[test]
fn section_8_1_26_a_message_is_no_longer_than_the_send_buffer() {
    let (mut pair, client, accepted) = marking();
    let part = [7; 8000];
    assert_eq!(hand_in(&mut pair, client, (0, 0), &part), Ok(8000));
    assert_eq!(pair.ends[0].send_room(client), 12_000);
    assert_eq!(hand_in(&mut pair, client, (0, 0), &part), Ok(8000));
    for flags in [0, ENDS] {
        let longer = hand_in(&mut pair, client, (0, flags), &part);
        assert_eq!(longer, Err(Errno::EMSGSIZE));
    }
    // An unfinished message can still be completed.
    assert_eq!(hand_in(&mut pair, client, (0, ENDS), &[8]), Ok(1));
    let whole = [&[7; 16_000][..], &[8]].concat();
    assert_eq!(messages(&mut pair, accepted), [whole]);
}

#[test]
fn section_8_1_26_an_end_that_has_to_wait_is_taken_once() {
    let (mut pair, client, accepted) = marking();
    pair.wire = Wire::Cut;
    assert_eq!(
        hand_in(&mut pair, client, (0, ENDS), &[1; 12_000]),
        Ok(12_000)
    );
    assert_eq!(hand_in(&mut pair, client, (0, 0), &[2; 2000]), Ok(2000));
    for _ in 0..2 {
        let end = hand_in(&mut pair, client, (0, ENDS), &[3; 8000]);
        assert_eq!(end, Err(Errno::EAGAIN));
    }
    pair.wire = Wire::Up;
    pair.pass(Duration::from_secs(10));
    assert!(pair.ends[0].readiness(client).writable);
    assert_eq!(hand_in(&mut pair, client, (0, ENDS), &[3; 8000]), Ok(8000));
    let second = [&[2; 2000][..], &[3; 8000]].concat();
    assert_eq!(messages(&mut pair, accepted), [vec![1; 12_000], second]);
}

#[test]
fn section_8_1_26_a_message_without_an_end_comes_back_with_the_end_of_its_association() {
    const SEND_FAILED_EVENT: u16 = 14;
    const DATA_UNSENT: u16 = 1;
    let (mut pair, client, accepted) = marking();
    let kind = SEND_FAILED_EVENT.to_ne_bytes();
    let event = [&[0; 4][..], &kind, &[1, 0]].concat();
    pair.set(0, client, 0x1e, &event).unwrap();
    hand_in(&mut pair, client, (3, 0), b"no end").unwrap();
    pair.shutdown(0, client, How::Write).unwrap();
    assert!(messages(&mut pair, accepted).is_empty());
    let failed = pair.read(0, client).unwrap();
    assert_eq!(failed.flags, 0x2000 | EOR);
    let body = failed.payload;
    let told = (u16_at(&body, 0), u16_at(&body, 2));
    assert_eq!(told, (SEND_FAILED_EVENT, DATA_UNSENT));
    assert_eq!((u16_at(&body, 12), &body[32..]), (3, &b"no end"[..]));
    // Further parts are refused as well.
    assert!(hand_in(&mut pair, client, (3, 0), b"more").is_err());
}
