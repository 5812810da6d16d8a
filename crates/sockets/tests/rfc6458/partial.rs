//! Messages that are read in parts before they are there to their end (RFC 6458 §6.1.7, §8.1.20,
//! §8.1.21).

use std::time::Duration;

use sheave_sockets::{Errno, Incoming, SocketId, Style};

use crate::pair::{EOR, NOTIFICATION, Pair, SOCKET, Wire, address, i32_at, sndrcv, u16_at};

const FRAGMENT_INTERLEAVE: i32 = 18;
const PARTIAL_DELIVERY_POINT: i32 = 19;
/// Bytes of a message that a first flight does not carry whole.
const LONG: usize = 60_000;

/// A server of many, from which parts of `point` bytes are read, and two that connect to it.
fn two_clients(interleave: u32, point: u32) -> (Pair, SocketId, [SocketId; 2]) {
    let mut pair = Pair::new();
    let server = pair.server(Style::OneToMany);
    pair.set(1, server, FRAGMENT_INTERLEAVE, &interleave.to_ne_bytes())
        .unwrap();
    pair.set(1, server, PARTIAL_DELIVERY_POINT, &point.to_ne_bytes())
        .unwrap();
    let clients = [0; 2].map(|_| pair.socket(0, Style::OneToOne));
    let now = pair.now;
    for client in clients {
        let stack = &mut pair.ends[0];
        stack.connect(now, client, &[address(1, 5000)]).unwrap();
    }
    pair.settle();
    (pair, server, clients)
}

/// The ports from which parts of two long messages are read, and whether each ends its message.
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

/// Whether parts of another message lie between those of one.
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
    let mut pair = Pair::new();
    let socket = pair.socket(0, Style::OneToOne);
    let mut set = |point: u32| pair.set(0, socket, PARTIAL_DELIVERY_POINT, &point.to_ne_bytes());
    assert_eq!(set(2000), Ok(()));
    // More than there is room for.
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
    let now = pair.now;
    pair.ends[0]
        .connect(now, client, &[address(1, 5000)])
        .unwrap();
    pair.settle();
    // On stream 3, of no use after 200 ms.
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
    // SCTP_PARTIAL_DELIVERY_ABORTED, the association, the stream, the number.
    let fields = [8, 12, 16, 20].map(|at| i32_at(&body, at));
    assert_eq!(fields, [0, assoc, 3, ssn.into()]);
    // The next message is read as ever.
    pair.send(0, client, b"next").unwrap();
    pair.settle();
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
    let ours = |client: &SocketId| pair.ends[0].local_name(*client).unwrap().port() == port;
    let [begun, other] = match ours(&clients[0]) {
        true => clients,
        false => [clients[1], clients[0]],
    };
    let now = pair.now;
    pair.ends[0]
        .set_option(now, begun, SOCKET, 13, &[1, 0, 0, 0, 0, 0, 0, 0])
        .unwrap();
    pair.ends[0].close(now, begun);
    pair.settle();
    pair.settle();
    let read: Vec<_> = std::iter::from_fn(|| pair.read(1, server).ok()).collect();
    let lost = |read: &Incoming| read.flags & NOTIFICATION != 0 && u16_at(&read.payload, 8) == 1;
    assert_eq!(read.iter().filter(|read| lost(read)).count(), 1);
    pair.send(0, other, b"next").unwrap();
    pair.settle();
    let read: Vec<_> = std::iter::from_fn(|| pair.read(1, server).ok()).collect();
    assert_eq!(read.last().unwrap().payload, "next");
}
