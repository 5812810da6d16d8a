//! RFC 6458 §3: the one-to-many style.

use std::time::Duration;

use sheave_sockets::{Errno, How, Style};

use crate::pair::{NOTIFICATION, Pair, Wire, address, i32_at, sndrcv, u16_at};

const EOF: u16 = 0x200;
const ABORT: u16 = 4;
const ADDRESS_OVER: u16 = 2;

/// A server subscribed to association events, and a client that sent it a message.
fn greeted(pair: &mut Pair) -> (sheave_sockets::SocketId, sheave_sockets::SocketId) {
    let server = pair.server(Style::OneToMany);
    pair.subscribe(1, server, &[0, 1, 5]);
    let client = pair.socket(0, Style::OneToMany);
    pair.subscribe(0, client, &[1]);
    let sent = pair.send_with(0, client, Some(address(1, 5000)), &[], b"hello");
    assert_eq!(sent, Ok(5));
    pair.settle();
    (server, client)
}

#[test]
fn sections_3_1_1_to_3_1_3_associations_come_where_a_socket_is_bound_and_listens() {
    let mut pair = Pair::new();
    let server = pair.socket(1, Style::OneToMany);
    pair.bind(1, server, &[address(1, 5000)]).unwrap();
    let other = pair.socket(1, Style::OneToMany);
    let again = pair.bind(1, other, &[address(1, 5000)]);
    assert_eq!(again, Err(Errno::EADDRINUSE));
    // An unbound socket gets a port.
    pair.listen(1, other, 1).unwrap();
    assert_ne!(pair.at(1, other).local_name().port(), 0);

    let client = pair.socket(0, Style::OneToMany);
    let hello = |pair: &mut Pair| {
        pair.deliver_with(0, client, Some(address(1, 5000)), &[], b"hello");
        pair.read(1, server)
    };
    assert_eq!(hello(&mut pair), Err(Errno::ENOTCONN));
    pair.listen(1, server, 1).unwrap();
    assert_eq!(hello(&mut pair).unwrap().payload, "hello");
    // A backlog of 0 stops listening for new associations.
    pair.listen(1, server, 0).unwrap();
    assert_eq!(hello(&mut pair).unwrap().payload, "hello");
    let late = pair.socket(0, Style::OneToMany);
    pair.deliver_with(0, late, Some(address(1, 5000)), &[], b"late");
    assert_eq!(pair.read(1, server), Err(Errno::EAGAIN));
}

#[test]
fn section_3_1_6_connect_begins_an_association_without_a_message() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.subscribe(1, server, &[1]);
    let client = pair.socket(0, Style::OneToMany);
    let connect = |pair: &mut Pair| pair.start_connect(0, client, &[address(1, 5000)]);
    connect(&mut pair).unwrap();
    assert_eq!(connect(&mut pair), Err(Errno::EALREADY));
    pair.settle();
    let up = pair.read(1, server).unwrap().payload;
    assert_eq!((u16_at(&up, 0), u16_at(&up, 8)), (0x8001, 0));
    assert_eq!(connect(&mut pair), Err(Errno::EISCONN));
    // The socket can have other peers as well, and so has no peer name.
    let other = pair.socket(1, Style::OneToMany);
    pair.bind(1, other, &[address(1, 5001)]).unwrap();
    pair.listen(1, other, 1).unwrap();
    pair.connect(0, client, &[address(1, 5001)]);
    pair.settle();
    assert_eq!(pair.get(0, client, 28, &[0; 4]), Ok(vec![2, 0, 0, 0]));
    assert_eq!(pair.at(0, client).peer_name(), Err(Errno::ENOTCONN));
}

#[test]
fn section_3_2_a_call_that_would_have_to_wait_says_so() {
    let mut pair = Pair::new();
    let (server, client) = greeted(&mut pair);
    while pair.read(1, server).is_ok() {}
    assert_eq!(pair.read(1, server), Err(Errno::EAGAIN));
    pair.wire = Wire::Cut;
    let send = |pair: &mut Pair| {
        let to = Some(address(1, 5000));
        pair.send_with(0, client, to, &[], &[7; 10_000])
    };
    let sent = (0..1000).take_while(|_| send(&mut pair).is_ok()).count();
    assert!((1..1000).contains(&sent), "{sent}");
    assert_eq!(send(&mut pair), Err(Errno::EAGAIN));
    pair.wire = Wire::Up;
    let mut got = 0;
    for _ in 0..100 {
        pair.pass(Duration::from_secs(1));
        while pair.read(1, server).is_ok() {
            got += 1;
        }
    }
    assert_eq!(got, sent);
    assert_eq!(send(&mut pair), Ok(10_000));
}

#[test]
fn section_7_5_a_message_sets_up_its_association_and_is_answered_by_its_id() {
    let mut pair = Pair::new();
    let (server, client) = greeted(&mut pair);
    let up = pair.read(1, server).unwrap();
    assert_eq!(up.flags & NOTIFICATION, NOTIFICATION);
    let told = (u16_at(&up.payload, 0), u16_at(&up.payload, 8));
    assert_eq!(told, (0x8001, 0));
    let assoc = i32_at(&up.payload, 16);
    let hello = pair.read(1, server).unwrap();
    assert_eq!(hello.payload, "hello");
    assert_eq!(i32_at(&hello.control, 16 + 28), assoc);
    let answer = pair.send_with(1, server, None, &sndrcv(0, 0, 0, assoc), b"welcome");
    assert_eq!(answer, Ok(7));
    pair.settle();
    assert_eq!(
        pair.read(0, client).unwrap().flags & NOTIFICATION,
        NOTIFICATION
    );
    assert_eq!(pair.read(0, client).unwrap().payload, "welcome");
}

#[test]
fn section_3_1_4_a_message_without_a_receiver_goes_nowhere() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToMany);
    assert_eq!(pair.send(0, socket, b"x"), Err(Errno::EPIPE));
    let sent = pair.send_with(0, socket, None, &sndrcv(0, 0, 0, 77), b"x");
    assert_eq!(sent, Err(Errno::EPIPE));
    // No message can arrive, so a read does not wait.
    assert_eq!(pair.read(0, socket), Err(Errno::ENOTCONN));
    assert_eq!(pair.shutdown(0, socket, How::Both), Err(Errno::ENOTCONN));
    assert_eq!(pair.ends[0].pending(socket), Err(Errno::EOPNOTSUPP));
}

#[test]
fn section_5_3_2_eof_ends_one_association_gracefully_and_leaves_the_socket() {
    let mut pair = Pair::new();
    let (server, client) = greeted(&mut pair);
    let eof = sndrcv(0, EOF, 0, 0);
    let to = Some(address(1, 5000));
    let sent = pair.send_with(0, client, to, &eof, b"data");
    assert_eq!(sent, Err(Errno::EINVAL));
    assert_eq!(pair.send_with(0, client, to, &eof, b""), Ok(0));
    pair.settle();
    let states: Vec<u16> = (0..4)
        .map(|_| pair.read(1, server).unwrap())
        .map(|read| u16_at(&read.payload, 0))
        .collect();
    // Association up, the message, the peer's shutdown, its completion.
    assert_eq!((states[0], states[2], states[3]), (0x8001, 0x8005, 0x8001));
    assert_eq!(pair.send_with(0, client, to, &[], b"again"), Ok(5));
    pair.settle();
    assert_eq!(u16_at(&pair.read(1, server).unwrap().payload, 8), 0);
    assert_eq!(pair.read(1, server).unwrap().payload, "again");
}

#[test]
fn section_5_3_2_abort_tells_the_peer_the_reason() {
    let mut pair = Pair::new();
    let (server, client) = greeted(&mut pair);
    let to = Some(address(1, 5000));
    let sent = pair.send_with(0, client, to, &sndrcv(0, ABORT, 0, 0), b"why");
    assert_eq!(sent, Ok(0));
    pair.settle();
    pair.read(1, server).unwrap();
    pair.read(1, server).unwrap();
    let lost = pair.read(1, server).unwrap();
    let told = (u16_at(&lost.payload, 0), u16_at(&lost.payload, 8));
    assert_eq!(told, (0x8001, 1));
    // Cause 12, "User-Initiated Abort".
    assert_eq!(lost.payload[10..12], 12_u16.to_be_bytes());
    assert_eq!(&lost.payload[20..], b"\x00\x0c\x00\x07why");
}

#[test]
fn section_9_2_an_association_that_is_peeled_off_takes_its_messages_along() {
    let mut pair = Pair::new();
    let (server, client) = greeted(&mut pair);
    let assoc = i32_at(&pair.read(1, server).unwrap().payload, 16);
    assert_eq!(pair.peel_off(1, server, assoc + 1), Err(Errno::EINVAL));
    let peeled = pair.peel_off(1, server, assoc).unwrap();
    assert_eq!(pair.read(1, peeled).unwrap().payload, "hello");
    assert_eq!(pair.read(1, server), Err(Errno::EAGAIN));
    assert_eq!(pair.send(1, peeled, b"alone"), Ok(5));
    pair.settle();
    pair.read(0, client).unwrap();
    assert_eq!(pair.read(0, client).unwrap().payload, "alone");
    let answer = pair.get(1, server, 28, &[0; 4]);
    assert_eq!(answer, Ok(0_u32.to_ne_bytes().into()));
}

#[test]
fn section_9_2_a_shutdown_of_a_peeled_off_socket_ends_its_reading_alone_as_on_linux() {
    let mut pair = Pair::new();
    let (server, client) = greeted(&mut pair);
    let assoc = i32_at(&pair.read(1, server).unwrap().payload, 16);
    let peeled = pair.peel_off(1, server, assoc).unwrap();
    for how in [How::Read, How::Both] {
        pair.shutdown(1, peeled, how).unwrap();
    }
    assert_eq!(pair.read(1, peeled).unwrap().payload, "hello");
    assert!(pair.read(1, peeled).unwrap().payload.is_empty());
    assert_eq!(pair.send(1, peeled, b"still"), Ok(5));
    pair.settle();
    pair.read(0, client).unwrap();
    assert_eq!(pair.read(0, client).unwrap().payload, "still");
}

#[test]
fn section_9_2_a_peeled_off_socket_hangs_up_once_both_halves_are_shut_there_or_before() {
    for (before, after) in [
        (&[How::Both][..], &[][..]),
        (&[How::Write], &[How::Read]),
        (&[], &[How::Write, How::Read]),
    ] {
        let mut pair = Pair::new();
        let (_, client) = greeted(&mut pair);
        let assoc = i32_at(&pair.read(0, client).unwrap().payload, 16);
        for how in before {
            assert_eq!(pair.shutdown(0, client, *how), Err(Errno::ENOTCONN));
        }
        let peeled = pair.peel_off(0, client, assoc).unwrap();
        for how in after {
            pair.shutdown(0, peeled, *how).unwrap();
        }
        assert!(
            pair.ends[0].readiness(peeled).hung_up,
            "{before:?} {after:?}"
        );
        assert_eq!(pair.send(0, peeled, b"still"), Ok(5));
    }
}

#[test]
fn sections_8_2_5_and_8_2_6_associations_are_counted_and_listed() {
    let mut pair = Pair::new();
    let (server, _) = greeted(&mut pair);
    let assoc = i32_at(&pair.read(1, server).unwrap().payload, 16);
    let answer = pair.get(1, server, 28, &[0; 4]);
    assert_eq!(answer, Ok(1_u32.to_ne_bytes().into()));
    let list = pair.get(1, server, 29, &[0; 64]).unwrap();
    assert_eq!(list, [1_u32.to_ne_bytes(), assoc.to_ne_bytes()].concat());
    assert_eq!(pair.get(1, server, 29, &[0; 4]), Err(Errno::EINVAL));
}

#[test]
fn section_8_1_8_autoclose_ends_idle_associations() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.set(1, server, 4, &2_u32.to_ne_bytes()).unwrap();
    let client = pair.socket(0, Style::OneToOne);
    let outcome = pair.set(0, client, 4, &2_u32.to_ne_bytes());
    assert_eq!(outcome, Err(Errno::EOPNOTSUPP));
    pair.connect(0, client, &[address(1, 5000)]);
    pair.pass(Duration::from_millis(1500));
    assert!(pair.at(0, client).peer_name().is_ok());
    pair.pass(Duration::from_millis(1500));
    assert!(pair.read(0, client).unwrap().payload.is_empty());
}

#[test]
fn section_5_3_2_send_all_reaches_every_association() {
    let mut pair = Pair::new();
    let (server, clients) = three_associations(&mut pair);
    let sent = pair.send_with(1, server, None, &sndrcv(0, 64, 0, 0), b"all");
    assert_eq!(sent, Ok(3));
    pair.settle();
    for client in clients {
        assert_eq!(pair.read(0, client).unwrap().payload, "all");
    }
}

/// Three clients' associations with one server.
fn three_associations(
    pair: &mut Pair,
) -> (sheave_sockets::SocketId, [sheave_sockets::SocketId; 3]) {
    let server = pair.server(Style::OneToMany);
    let clients = [0; 3].map(|_| pair.socket(0, Style::OneToOne));
    for client in clients {
        pair.connect(0, client, &[address(1, 5000)]);
    }
    pair.settle();
    (server, clients)
}

/// Ids of `SCTP_GET_ASSOC_ID_LIST`.
fn listed(pair: &mut Pair, socket: sheave_sockets::SocketId) -> Vec<i32> {
    let list = pair.get(1, socket, 29, &[0; 64]).unwrap();
    let count = i32_at(&list, 0) as usize;
    (1..=count).map(|at| i32_at(&list, 4 * at)).collect()
}

#[test]
fn an_association_that_has_ended_is_in_no_list() {
    let mut pair = Pair::new();
    let (server, _) = three_associations(&mut pair);
    let ids = listed(&mut pair, server);
    assert_eq!(ids.len(), 3);
    let aborted = pair.send_with(1, server, None, &sndrcv(0, ABORT, 0, ids[1]), b"");
    assert_eq!(aborted, Ok(0));
    assert_eq!(listed(&mut pair, server), [ids[0], ids[2]]);
    let status = pair.get(1, server, 14, &ids[1].to_ne_bytes());
    assert_eq!(status, Err(Errno::EINVAL));
}

#[test]
fn a_message_to_all_passes_over_what_has_been_peeled_off_or_has_ended() {
    let mut pair = Pair::new();
    let (server, _) = three_associations(&mut pair);
    let ids = listed(&mut pair, server);
    assert_eq!(ids.len(), 3);
    let peeled = pair.peel_off(1, server, ids[0]).unwrap();
    pair.send_with(1, server, None, &sndrcv(0, ABORT, 0, ids[1]), b"")
        .unwrap();
    let sent = pair.send_with(1, server, None, &sndrcv(0, 64, 0, 0), b"all");
    assert_eq!(sent, Ok(3));
    assert_eq!(listed(&mut pair, server), [ids[2]]);
    assert_eq!(pair.send(1, peeled, b"alone"), Ok(5));
}

#[test]
fn section_5_3_2_an_address_may_be_given_beside_an_association() {
    let mut pair = Pair::new();
    let (_, client) = greeted(&mut pair);
    let over = sndrcv(0, ADDRESS_OVER, 0, 0);
    let sent = pair.send_with(0, client, Some(address(1, 5000)), &over, b"x");
    assert_eq!(sent, Ok(1));
}

#[test]
fn section_3_1_5_close_ends_all_associations() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    let clients = [0; 2].map(|_| pair.socket(0, Style::OneToOne));
    for client in clients {
        pair.connect(0, client, &[address(1, 5000)]);
    }
    pair.settle();
    pair.close(1, server);
    assert!(!pair.ends[1].is_idle());
    pair.settle();
    for client in clients {
        assert!(pair.read(0, client).unwrap().payload.is_empty());
    }
    assert!(pair.ends[1].is_idle());
}
