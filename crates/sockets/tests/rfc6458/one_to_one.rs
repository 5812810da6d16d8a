//! RFC 6458 §4: the one-to-one style.

use std::time::Duration;

use bytes::Bytes;
use sheave_engine::Profile;
use sheave_sockets::{Abi, ConnectState, Domain, Errno, How, SendCall, Style};

use crate::pair::{DONT_WAIT, EOR, PEEK, Pair, Wire, address, control, limits, second_address};

/// `SCTP_STATUS`.
const STATUS: i32 = 14;

#[test]
fn section_4_1_2_bind_knows_its_own_addresses_and_taken_ports() {
    let mut pair = Pair::new();
    let now = pair.now;
    let [one, two] = [0; 2].map(|_| pair.socket(0, Style::OneToOne));
    let stack = &mut pair.ends[0];
    let outcome = stack.bind(now, one, &[address(1, 80)]);
    assert_eq!(outcome, Err(Errno::EADDRNOTAVAIL));
    assert_eq!(stack.bind(now, one, &[address(0, 80)]), Ok(()));
    assert_eq!(stack.bind(now, one, &[address(0, 81)]), Err(Errno::EINVAL));
    let outcome = stack.bind(now, two, &[address(0, 80)]);
    assert_eq!(outcome, Err(Errno::EADDRINUSE));
    // The same port at another address is free.
    assert_eq!(stack.bind(now, two, &[second_address(0, 80)]), Ok(()));
    assert_eq!(stack.find(one).unwrap().local_name(), address(0, 80));
    assert_eq!(stack.listen(now, one, 1), Ok(()));
    assert_eq!(stack.listen(now, two, 1), Ok(()));
}

#[test]
fn section_4_1_2_port_0_is_replaced_by_an_ephemeral_one() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    pair.bind(0, socket, &["0.0.0.0:0".parse().unwrap()])
        .unwrap();
    let name = pair.at(0, socket).local_name();
    assert!((32_768..=60_999).contains(&name.port()), "{name}");
}

#[test]
fn sections_4_1_3_to_4_1_5_and_4_1_9_connect_and_accept_give_both_ends_their_names() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    assert_eq!(pair.ends[1].pending(server).unwrap_err(), Errno::EAGAIN);
    let client = pair.socket(0, Style::OneToOne);
    pair.connect(0, client, &[address(1, 5000)]);
    assert_eq!(pair.at(0, client).connect_state(), ConnectState::InProgress);
    let outcome = pair.start_connect(0, client, &[address(1, 5000)]);
    assert_eq!(outcome, Err(Errno::EALREADY));
    assert!(!pair.ends[0].readiness(client).writable);
    pair.settle();
    let state = pair.at(0, client).connect_state();
    assert_eq!(state, ConnectState::Established);
    assert!(pair.ends[0].readiness(client).writable);
    assert_eq!(pair.ends[1].readiness(server).readable, 1);
    let (named, peer) = pair.ends[1].pending(server).unwrap();
    let accepted = pair.ends[1].accept(server).unwrap();
    assert_eq!(named, accepted);
    let local = pair.at(0, client).local_name();
    assert_eq!(peer, address(0, local.port()));
    assert_eq!(pair.at(1, accepted).peer_name(), Ok(peer));
    assert_eq!(pair.at(0, client).peer_name(), Ok(address(1, 5000)));
    let outcome = pair.start_connect(0, client, &[address(1, 5000)]);
    assert_eq!(outcome, Err(Errno::EISCONN));
}

#[test]
fn section_4_1_5_a_refused_connection_is_told_once_by_so_error() {
    let (mut pair, client) = Pair::with_socket(Style::OneToOne);
    pair.connect(0, client, &[address(1, 9)]);
    pair.settle();
    let state = pair.at(0, client).connect_state();
    assert_eq!(state, ConnectState::Failed(Errno::ECONNREFUSED));
    assert_eq!(
        pair.ends[0].readiness(client).error,
        Some(Errno::ECONNREFUSED)
    );
    let error = |pair: &mut Pair| pair.get_socket(0, client, 4, &[0; 4]).unwrap();
    assert_eq!(error(&mut pair), 111_i32.to_ne_bytes());
    assert_eq!(error(&mut pair), 0_i32.to_ne_bytes());
}

#[test]
fn section_4_1_5_a_silent_peer_ends_in_a_timeout() {
    let mut pair = Pair::new();
    pair.wire = Wire::Cut;
    let client = pair.socket(0, Style::OneToOne);
    // Three attempts.
    pair.set(0, client, 2, &[0, 0, 0, 0, 3, 0, 0, 0]).unwrap();
    pair.connect(0, client, &[address(1, 5000)]);
    pair.pass(Duration::from_secs(300));
    let state = pair.at(0, client).connect_state();
    assert_eq!(state, ConnectState::Failed(Errno::ETIMEDOUT));
}

#[test]
fn section_4_1_8_messages_keep_their_boundaries_and_come_with_their_sender() {
    let (mut pair, client, accepted) = Pair::up();
    assert_eq!(pair.send(0, client, b"one"), Ok(3));
    assert_eq!(pair.send(0, client, b"three"), Ok(5));
    pair.settle();
    assert_eq!(pair.ends[1].readiness(accepted).readable, 2);
    let first = pair.read(1, accepted).unwrap();
    assert_eq!((&first.payload[..], first.flags), (&b"one"[..], EOR));
    let [from, _] = pair.last_data(0);
    assert_eq!(first.name.unwrap().ip(), from);
    assert_eq!(pair.read(1, accepted).unwrap().payload, "three");
    assert_eq!(pair.read(1, accepted), Err(Errno::EAGAIN));
}

#[test]
fn section_4_1_8_a_message_larger_than_the_buffer_is_read_in_parts_without_msg_eor() {
    let (mut pair, client, accepted) = Pair::up();
    pair.deliver(0, client, b"abcdefg");
    let parts: Vec<_> = (0..3)
        .map(|_| pair.read_with(1, accepted, limits(3)).unwrap())
        .map(|part| (part.payload, part.flags & EOR))
        .collect();
    assert_eq!(
        parts,
        [("abc".into(), 0), ("def".into(), 0), ("g".into(), EOR)]
    );
}

#[test]
fn a_message_that_is_peeked_at_stays_and_one_shown_twice_is_taken_once() {
    let (mut pair, client, accepted) = Pair::up();
    pair.send(0, client, b"once").unwrap();
    pair.deliver(0, client, b"next");
    let peek = sheave_sockets::Limits {
        flags: PEEK,
        ..limits(10)
    };
    assert_eq!(pair.read_with(1, accepted, peek).unwrap().payload, "once");
    let now = pair.now;
    let first = pair.ends[1].peek(now, accepted, limits(10)).unwrap();
    let again = pair.ends[1].peek(now, accepted, limits(10)).unwrap();
    assert_eq!(first, again);
    pair.ends[1].consume(now, accepted, first.token);
    pair.ends[1].consume(now, accepted, again.token);
    assert_eq!(pair.read(1, accepted).unwrap().payload, "next");
}

#[test]
fn a_full_send_buffer_holds_the_sender_back_until_there_is_room() {
    let (mut pair, client, accepted) = Pair::up();
    pair.wire = Wire::Cut;
    let mut sent = 0;
    let refusal = loop {
        match pair.send(0, client, &[7; 10_000]) {
            Ok(_) => sent += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(refusal, Errno::EAGAIN);
    assert!(!pair.ends[0].readiness(client).writable);
    while pair.ends[0].poll_changed().is_some() {}
    pair.wire = Wire::Up;
    let mut got = 0;
    for _ in 0..100 {
        pair.pass(Duration::from_secs(1));
        while pair.read(1, accepted).is_ok() {
            got += 1;
        }
    }
    assert_eq!(got, sent);
    assert!(pair.ends[0].readiness(client).writable);
    assert_eq!(pair.ends[0].poll_changed(), Some(client));
}

#[test]
fn section_8_1_7_a_larger_send_buffer_lets_a_writer_go_on_at_once() {
    let (mut pair, client, _) = Pair::up();
    pair.wire = Wire::Cut;
    let fill = |pair: &mut Pair| {
        let sends = std::iter::from_fn(|| pair.send(0, client, &[7; 1000]).ok());
        sends.count()
    };
    let set = |pair: &mut Pair, bytes: u32| {
        let value = bytes.to_ne_bytes();
        pair.set_socket(0, client, 7, &value)
    };
    set(&mut pair, 10_000).unwrap();
    let few = fill(&mut pair);
    assert!((15..=20).contains(&few), "Linux doubles it: {few}");
    assert!(!pair.ends[0].readiness(client).writable);
    set(&mut pair, 100_000).unwrap();
    assert!(pair.ends[0].readiness(client).writable);
    assert!(fill(&mut pair) > 150);
    set(&mut pair, 10_000).unwrap();
    assert_eq!(pair.send(0, client, &[7; 1000]), Err(Errno::EAGAIN));
}

#[test]
fn section_8_1_6_a_larger_receive_buffer_lets_a_stuck_peer_go_on() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    pair.set_socket(1, server, 8, &20_000_u32.to_ne_bytes())
        .unwrap();
    let client = pair.socket(0, Style::OneToOne);
    pair.establish(client);
    let accepted = pair.ends[1].accept(server).unwrap();
    for _ in 0..60 {
        pair.send(0, client, &[7; 1000]).unwrap();
    }
    pair.pass(Duration::from_secs(2));
    let data = |pair: &Pair| {
        let all = pair.sent.iter().filter(|(end, ..)| *end == 0);
        all.map(|(.., packet)| packet.len()).sum::<usize>()
    };
    let stuck = data(&pair);
    assert!((15_000..30_000).contains(&stuck), "{stuck}");
    pair.set_socket(1, accepted, 8, &400_000_u32.to_ne_bytes())
        .unwrap();
    pair.pass(Duration::from_secs(2));
    assert!(data(&pair) > 60_000);
    let read = std::iter::from_fn(|| pair.read(1, accepted).ok());
    assert_eq!(read.count(), 60);
}

#[test]
fn a_message_that_is_refused_again_is_no_news() {
    let (mut pair, client, _) = Pair::up();
    pair.wire = Wire::Cut;
    while pair.send(0, client, &[7; 10_000]).is_ok() {}
    while pair.ends[0].poll_changed().is_some() {}
    assert_eq!(pair.send(0, client, &[7; 10_000]), Err(Errno::EAGAIN));
    assert_eq!(pair.ends[0].poll_changed(), None);
}

#[test]
fn section_4_1_7_shutdown_of_writing_is_the_end_of_the_stream_for_the_peer() {
    let (mut pair, client, accepted) = Pair::up();
    pair.send(0, client, b"last").unwrap();
    pair.shutdown(0, client, How::Write).unwrap();
    assert_eq!(pair.send(0, client, b"more"), Err(Errno::EPIPE));
    pair.settle();
    assert_eq!(pair.read(1, accepted).unwrap().payload, "last");
    let end = pair.read(1, accepted).unwrap();
    assert!(end.payload.is_empty() && end.flags == 0);
    // The name outlives the association.
    assert!(pair.at(1, accepted).peer_name().is_ok());
}

#[test]
fn section_4_1_7_a_shutdown_once_more_changes_nothing() {
    let (mut pair, client, _accepted) = Pair::up();
    for how in [How::Write, How::Read] {
        while pair.ends[0].poll_changed().is_some() {}
        pair.shutdown(0, client, how).unwrap();
        assert_eq!(pair.ends[0].poll_changed(), Some(client), "{how:?}");
        while pair.ends[0].poll_changed().is_some() {}
        for again in [how, how] {
            pair.shutdown(0, client, again).unwrap();
        }
        assert_eq!(pair.ends[0].poll_changed(), None, "{how:?}");
    }
    pair.shutdown(0, client, How::Both).unwrap();
    assert_eq!(pair.ends[0].poll_changed(), None);
}

#[test]
fn section_4_1_8_what_has_ended_is_not_available_at_its_address_but_was_if_it_never_was_accepted() {
    let (mut pair, client, accepted) = Pair::up();
    let peer = address(1, 5000);
    pair.close(1, accepted);
    pair.settle();
    let sent = pair.send_with(0, client, Some(peer), &[], b"x");
    assert_eq!(sent, Err(Errno::EADDRNOTAVAIL));
    assert_eq!(pair.send(0, client, b"x"), Err(Errno::EPIPE));

    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    pair.connect(0, client, &[peer]);
    pair.settle();
    let name = pair.at(0, client).local_name();
    pair.close(0, client);
    pair.settle();
    let accepted = pair.ends[1].accept(server).unwrap();
    let client = address(0, name.port());
    let sent = pair.send_with(1, accepted, Some(client), &[], b"x");
    assert_eq!(sent, Err(Errno::EPIPE));
}

#[test]
fn section_4_1_7_a_socket_without_an_association_is_not_connected() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    assert_eq!(pair.at(0, socket).peer_name(), Err(Errno::ENOTCONN));
    assert_eq!(pair.read(0, socket), Err(Errno::ENOTCONN));
    let dont_wait = sheave_sockets::Limits {
        flags: DONT_WAIT,
        ..limits(1)
    };
    assert_eq!(pair.read_with(0, socket, dont_wait), Err(Errno::EAGAIN));
    assert_eq!(pair.send(0, socket, b"x"), Err(Errno::EPIPE));
    assert_eq!(pair.shutdown(0, socket, How::Both), Err(Errno::ENOTCONN));
    // Like in Linux, nothing can be received nevertheless.
    assert!(pair.read(0, socket).unwrap().payload.is_empty());
}

#[test]
fn section_4_1_6_close_delivers_what_was_sent_and_completes_in_the_background() {
    let (mut pair, client, accepted) = Pair::up();
    pair.send(0, client, &[1; 50_000]).unwrap();
    pair.close(0, client);
    assert!(!pair.ends[0].is_idle());
    pair.settle();
    assert_eq!(pair.read(1, accepted).unwrap().payload.len(), 50_000);
    assert!(pair.read(1, accepted).unwrap().payload.is_empty());
    assert!(pair.ends[0].is_idle());
    assert_eq!(pair.ends[0].find(client).err(), Some(Errno::EBADF));
}

#[test]
fn section_8_1_4_lingering_for_0_seconds_aborts() {
    let (mut pair, client, accepted) = Pair::up();
    pair.abort(0, client);
    pair.settle();
    assert_eq!(
        pair.ends[1].readiness(accepted).error,
        Some(Errno::ECONNRESET)
    );
    assert_eq!(pair.read(1, accepted), Err(Errno::ECONNRESET));
    assert_eq!(pair.read(1, accepted), Err(Errno::ENOTCONN));
    assert_eq!(pair.send(1, accepted, b"x"), Err(Errno::EPIPE));
}

#[test]
fn a_close_with_unread_messages_aborts() {
    let (mut pair, client, accepted) = Pair::up();
    pair.deliver(0, client, b"never read");
    pair.close(1, accepted);
    pair.settle();
    assert_eq!(pair.read(0, client), Err(Errno::ECONNRESET));
}

#[test]
fn an_accepted_socket_outlives_its_listener_and_one_that_waits_does_not() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    let clients = [0; 2].map(|_| pair.socket(0, Style::OneToOne));
    for client in clients {
        pair.establish(client);
    }
    let accepted = pair.ends[1].accept(server).unwrap();
    pair.close(1, server);
    pair.settle();
    assert_eq!(pair.send(0, clients[0], b"still there"), Ok(11));
    pair.settle();
    assert_eq!(pair.read(1, accepted).unwrap().payload, "still there");
    assert!(pair.read(0, clients[1]).unwrap().payload.is_empty());
}

#[test]
fn sections_9_1_and_9_5_bindx_adds_and_removes_addresses() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    let bytes = |pair: &Pair, addresses: &[std::net::SocketAddr]| -> Vec<u8> {
        let abi = pair.ends[0].abi();
        addresses
            .iter()
            .flat_map(|address| abi.address_bytes(*address))
            .collect()
    };
    let both = bytes(&pair, &[address(0, 7000), second_address(0, 7000)]);
    pair.set(0, socket, 100, &both).unwrap();
    let local = pair.get(0, socket, 109, &[0; 256]).unwrap();
    assert_eq!(local[4..8], 2_u32.to_ne_bytes());
    assert_eq!(local[8..], both);
    let second = bytes(&pair, &[second_address(0, 7000)]);
    pair.set(0, socket, 101, &second).unwrap();
    let first = bytes(&pair, &[address(0, 7000)]);
    assert_eq!(pair.set(0, socket, 101, &first), Err(Errno::EBUSY));
    assert_eq!(pair.set(0, socket, 101, &second), Err(Errno::EBUSY));
    assert_eq!(pair.get(0, socket, 109, &[0; 20]), Err(Errno::ENOMEM));
}

#[test]
fn section_9_3_the_addresses_of_the_peer_are_those_that_its_socket_was_bound_to() {
    let (mut pair, client, accepted) = Pair::up();
    let peers = pair.get(0, client, 108, &[0; 256]).unwrap();
    assert_eq!(peers[4..8], 1_u32.to_ne_bytes());
    assert_eq!(
        pair.ends[0].abi().addresses(&peers[8..]),
        Ok(vec![address(1, 5000)])
    );
    // The client was not bound to an address, so the server knows both.
    let peers = pair.get(1, accepted, 108, &[0; 256]).unwrap();
    assert_eq!(peers[4..8], 2_u32.to_ne_bytes());
}

#[test]
fn section_8_1_15_an_ipv6_socket_sees_mapped_addresses_unless_it_wants_others() {
    let mut pair = Pair::new();
    let server = pair.ends[1].socket(Domain::V6, Style::OneToOne);
    pair.bind(1, server, &["[::]:5000".parse().unwrap()])
        .unwrap();
    pair.listen(1, server, 5).unwrap();
    let client = pair.socket(0, Style::OneToOne);
    pair.establish(client);
    let accepted = pair.ends[1].accept(server).unwrap();
    let mapped = pair.at(1, accepted).peer_name().unwrap();
    assert_eq!(mapped.ip().to_string(), "::ffff:192.0.2.1");
    pair.set(1, accepted, 12, &0_i32.to_ne_bytes()).unwrap();
    let name = pair.at(1, accepted).peer_name().unwrap().ip();
    assert_eq!(name, address(0, 0).ip());
    // Kernels leave room for an IPv6 header whatever the peer's family.
    let points = [(0, client), (1, accepted)].map(|(end, socket)| {
        let status = pair.get(end, socket, STATUS, &[0; 176]).unwrap();
        u32::from_ne_bytes(status[20..24].try_into().unwrap())
    });
    assert_eq!(points[0] - points[1], 20);
}

#[test]
fn section_4_1_3_an_association_beyond_the_backlog_is_aborted() {
    let mut pair = Pair::new();
    let server = pair.socket(1, Style::OneToOne);
    pair.bind(1, server, &[address(1, 5000)]).unwrap();
    pair.listen(1, server, 1).unwrap();
    for _ in 0..3 {
        let client = pair.socket(0, Style::OneToOne);
        pair.establish(client);
    }
    assert_eq!(pair.ends[1].readiness(server).readable, 2);
    pair.ends[1].accept(server).unwrap();
    pair.ends[1].accept(server).unwrap();
    assert_eq!(pair.ends[1].pending(server), Err(Errno::EAGAIN));
}

#[test]
fn section_4_1_3_a_backlog_of_0_refuses_from_then_on() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    pair.listen(1, server, 0).unwrap();
    let client = pair.socket(0, Style::OneToOne);
    pair.establish(client);
    let state = pair.at(0, client).connect_state();
    assert_eq!(state, ConnectState::Failed(Errno::ECONNREFUSED));
}

#[test]
fn sections_4_1_8_and_8_1_7_a_writable_socket_takes_a_message_of_any_size() {
    let (mut pair, _) = Pair::with_server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    pair.set_socket(0, client, 7, &20_000_u32.to_ne_bytes())
        .unwrap();
    pair.establish(client);
    pair.wire = Wire::Cut;
    let sizes = [1000, 30_000, 7, 15_000];
    let mut sent = Vec::new();
    while pair.ends[0].readiness(client).writable {
        let payload = vec![0; sizes[sent.len() % 4]];
        sent.push(pair.send(0, client, &payload));
    }
    assert!(sent.iter().all(Result::is_ok), "{sent:?}");
    let sum: usize = sent.into_iter().map(Result::unwrap).sum();
    assert!((30_000..70_000).contains(&sum), "{sum}");
    assert_eq!(pair.send(0, client, &[0; 1000]), Err(Errno::EAGAIN));
    pair.wire = Wire::Up;
    pair.pass(Duration::from_secs(20));
    assert!(pair.ends[0].readiness(client).writable);
    assert_eq!(pair.send(0, client, &[0; 30_000]), Ok(30_000));
}

/// Found by a search: the check passed, the call failed.
#[test]
fn a_check_says_what_the_end_of_what_is_not_up_would() {
    let mut pair = Pair::of(Abi::USRSCTP, &Profile::Linux.options());
    let id = pair.socket(0, Style::OneToOne);
    let connecting = pair.ends[0].connect(pair.now, id, &[address(1, 5000)]);
    assert!(connecting.is_ok(), "{connecting:?}");
    // SCTP_ABORT, in SCTP_SNDINFO.
    let mut body = [0; 16];
    body[2..4].copy_from_slice(&0x200_u16.to_le_bytes());
    let control = control(4, &body);
    let call = || SendCall {
        destination: None,
        control: &control,
        flags: 0,
        payload: Bytes::new(),
    };
    let checked = pair.ends[0].check_send(pair.now, id, &call());
    let sent = pair.ends[0].send(pair.now, id, call());
    assert_eq!((checked, sent), (Err(Errno::EINVAL), Err(Errno::EINVAL)));
}
