//! End of stream and end of listening, as seen by `poll`, reads and `accept` (RFC 6458 §4.1.3,
//! §4.1.4, §4.1.7), and buffer size limits (§8.1.6, §8.1.7).

use sheave_engine::{Options, Profile};
use sheave_sockets::{Domain, Errno, How, Limits, Readiness, SocketId, SocketMemory, Style};

use crate::pair::{DONT_WAIT, Pair, address, limits, u32_at};

fn flags(ready: Readiness) -> (bool, bool, bool) {
    (ready.readable > 0, ready.ended, ready.hung_up)
}

#[test]
fn section_4_1_7_poll_shows_the_peers_shutdown_and_then_that_of_both() {
    let (mut pair, client, accepted) = Pair::up();
    pair.deliver(0, client, b"last");
    assert_eq!(
        flags(pair.ends[1].readiness(accepted)),
        (true, false, false)
    );
    pair.shutdown(0, client, How::Write).unwrap();
    pair.settle();
    assert_eq!(flags(pair.ends[1].readiness(accepted)), (true, true, false));
    assert_eq!(pair.read(1, accepted).unwrap().payload, "last");
    assert!(pair.read(1, accepted).unwrap().payload.is_empty());
    pair.shutdown(1, accepted, How::Write).unwrap();
    assert_eq!(flags(pair.ends[1].readiness(accepted)), (true, true, true));
}

#[test]
fn section_4_1_7_the_end_of_stream_outlasts_an_association_that_is_lost() {
    let (mut pair, client, accepted) = Pair::up();
    // What the peer does not read keeps the association from its end.
    while pair.send(1, accepted, &[0; 60_000]).is_ok() {
        pair.settle();
    }
    pair.shutdown(0, client, How::Write).unwrap();
    pair.settle();
    assert_eq!(flags(pair.ends[1].readiness(accepted)), (true, true, false));
    pair.abort(0, client);
    pair.settle();
    assert_eq!(pair.read(1, accepted), Err(Errno::ECONNRESET));
    assert_eq!(flags(pair.ends[1].readiness(accepted)), (true, true, false));
    pair.shutdown(1, accepted, How::Write).unwrap();
    assert_eq!(flags(pair.ends[1].readiness(accepted)), (true, true, true));
}

#[test]
fn section_4_1_7_a_socket_without_an_association_hangs_up_once_both_halves_are_shut() {
    let mut pair = Pair::new();
    for style in [Style::OneToOne, Style::OneToMany] {
        let socket = pair.socket(0, style);
        let refused = pair.shutdown(0, socket, How::Both);
        assert_eq!(refused, Err(Errno::ENOTCONN));
        assert_eq!(flags(pair.ends[0].readiness(socket)), (true, true, true));
    }
    let many = pair.socket(0, Style::OneToMany);
    for how in [How::Write, How::Read] {
        assert_eq!(pair.shutdown(0, many, how), Err(Errno::ENOTCONN));
    }
    assert_eq!(flags(pair.ends[0].readiness(many)), (true, true, true));
}

#[test]
fn section_3_1_6_a_one_to_many_socket_is_writable_while_it_connects() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToMany);
    pair.start_connect(0, socket, &[address(1, 5000)]).unwrap();
    let ready = pair.ends[0].readiness(socket);
    assert!(ready.writable);
}

#[test]
fn section_4_1_7_who_shuts_writing_reads_the_answers_and_then_the_end() {
    let (mut pair, client, accepted) = Pair::up();
    pair.deliver(1, accepted, b"answer");
    pair.shutdown(0, client, How::Write).unwrap();
    assert!(!pair.ends[0].readiness(client).ended);
    pair.settle();
    assert_eq!(flags(pair.ends[0].readiness(client)), (true, true, true));
    assert_eq!(pair.read(0, client).unwrap().payload, "answer");
    for _ in 0..2 {
        let dont_wait = Limits {
            flags: DONT_WAIT,
            ..limits(100)
        };
        assert!(
            pair.read_with(0, client, dont_wait)
                .unwrap()
                .payload
                .is_empty()
        );
        // Linux returns this for blocking calls.
        assert_eq!(pair.read(0, client), Err(Errno::ENOTCONN));
    }
}

#[test]
fn section_4_1_3_a_listener_that_is_shut_down_accepts_nobody_and_keeps_its_port_until_it_is_closed()
{
    for how in [How::Read, How::Both] {
        let (mut pair, server) = Pair::with_server(Style::OneToOne);
        assert_eq!(pair.ends[1].pending(server), Err(Errno::EAGAIN));
        while pair.ends[1].poll_changed().is_some() {}
        pair.shutdown(1, server, how).unwrap();
        // Waiting threads are notified.
        assert_eq!(pair.ends[1].poll_changed(), Some(server));
        assert_eq!(pair.ends[1].pending(server), Err(Errno::EINVAL));
        assert_eq!(flags(pair.ends[1].readiness(server)), (false, false, false));
        let client = pair.socket(0, Style::OneToOne);
        pair.establish(client);
        assert_eq!(
            pair.ends[0].readiness(client).error,
            Some(Errno::ECONNREFUSED)
        );
        let other = pair.socket(1, Style::OneToOne);
        let bound = pair.bind(1, other, &[address(1, 5000)]);
        assert_eq!(bound, Err(Errno::EADDRINUSE));
        pair.close(1, server);
        pair.bind(1, other, &[address(1, 5000)]).unwrap();
    }
}

#[test]
fn section_4_1_3_shutting_the_writing_of_a_listener_changes_nothing() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    pair.shutdown(1, server, How::Write).unwrap();
    assert_eq!(pair.ends[1].pending(server), Err(Errno::EAGAIN));
}

#[test]
fn section_3_1_2_a_socket_for_ipv6_alone_is_bound_to_no_address_of_ipv4() {
    let mut pair = Pair::new();
    let now = pair.now;
    for wildcard in ["0.0.0.0:5000", "[::ffff:0.0.0.0]:5000"] {
        let socket = pair.ends[0].socket(Domain::V6, Style::OneToOne);
        let on = 1_u32.to_ne_bytes();
        pair.ends[0].set_option(now, socket, 41, 26, &on).unwrap();
        let bound = pair.bind(0, socket, &[wildcard.parse().unwrap()]);
        assert_eq!(bound, Err(Errno::EINVAL), "{wildcard}");
    }
}

/// Reads a buffer size: `SO_SNDBUF` (7) or `SO_RCVBUF` (8).
fn size(pair: &mut Pair, socket: SocketId, name: i32) -> u32 {
    let value = pair.get_socket(0, socket, name, &[0; 4]);
    u32_at(&value.unwrap(), 0)
}

#[test]
fn section_8_1_7_buffers_begin_as_the_systems_do_and_are_bounded_by_its_limit() {
    const SEND: SocketMemory = SocketMemory {
        usual: 100_000,
        most: 300_000,
    };
    for (profile, fresh) in [
        (Profile::Modern, [100_000, 212_992]),
        (Profile::Datacenter, [4 << 20; 2]),
    ] {
        let mut pair = Pair::with(&profile.options());
        pair.ends[0].profile_mut().memory = [SEND, SocketMemory::LINUX];
        let socket = pair.socket(0, Style::OneToOne);
        assert_eq!([7, 8].map(|name| size(&mut pair, socket, name)), fresh);
    }
    let mut pair = Pair::with(&Options::default());
    pair.ends[0].profile_mut().memory = [SEND, SocketMemory::LINUX];
    let socket = pair.socket(0, Style::OneToOne);
    // SO_SNDBUF, SO_RCVBUF, and SO_SNDBUFFORCE, which has no limit.
    for (name, shown, asked, granted) in [
        (7, 7, 200_000_u32, 400_000),
        (7, 7, 4 << 20, 600_000),
        (8, 8, 4 << 20, 425_984),
        (7, 7, 1, 4608),
        (32, 7, 4 << 20, 8 << 20),
    ] {
        let value = asked.to_ne_bytes();
        pair.set_socket(0, socket, name, &value).unwrap();
        assert_eq!(size(&mut pair, socket, shown), granted, "{name} {asked}");
    }
}
