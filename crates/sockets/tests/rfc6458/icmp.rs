//! ICMP errors for connection attempts (RFC 9260 §10, RFC 6458 §6.1.1).

use std::time::Duration;

use sheave_engine::{Icmp, IcmpError, Node, Profile};
use sheave_sockets::{Abi, ConnectState, Errno, SocketId, Style};

use crate::pair::{Pair, Wire, address, second_address, u16_at};

const ERROR: i32 = 4;
const CANNOT_START: u16 = 4;

/// A socket connecting to port 5000 of an unresponsive peer, after sending its INIT.
fn connecting(pair: &mut Pair, style: Style) -> SocketId {
    pair.wire = Wire::Cut;
    let client = pair.socket(0, style);
    if style == Style::OneToMany {
        pair.subscribe(0, client, &[1]);
    }
    pair.connect(0, client, &[address(1, 5000)]);
    pair.pass(Duration::from_millis(1));
    client
}

/// Delivers an ICMP error about the first end's last packet.
fn tell(pair: &mut Pair, error: IcmpError) {
    let (_, [_, remote], quoted) = pair.sent.last().unwrap();
    let icmp = Icmp {
        remote: *remote,
        error,
        quoted,
    };
    pair.ends[0].handle_icmp(pair.now, icmp);
}

fn error_of(pair: &mut Pair, socket: SocketId) -> i32 {
    let value = pair.get_socket(0, socket, ERROR, &[0; 4]);
    i32::from_ne_bytes(value.unwrap().try_into().unwrap())
}

#[test]
fn connecting_anew_forgets_the_error_of_an_earlier_attempt() {
    let mut pair = Pair::new();
    let client = connecting(&mut pair, Style::OneToOne);
    tell(&mut pair, IcmpError::NoSuchProtocol);
    pair.start_connect(0, client, &[address(1, 5000)]).unwrap();
    assert!(!pair.ends[0].readiness(client).writable);
    assert_eq!(error_of(&mut pair, client), 0);
}

#[test]
fn where_there_is_no_sctp_a_socket_is_refused_at_once() {
    for (abi, style) in [
        (Abi::LINUX, Style::OneToOne),
        (Abi::LINUX, Style::OneToMany),
        (Abi::USRSCTP, Style::OneToOne),
    ] {
        let mut pair = Pair::of(abi, &Profile::Linux.options());
        let client = connecting(&mut pair, style);
        while pair.ends[0].poll_changed().is_some() {}
        tell(&mut pair, IcmpError::NoSuchProtocol);
        // Nothing else happens before the program checks.
        assert_eq!(pair.ends[0].poll_changed(), Some(client));
        let refused = ConnectState::Failed(Errno::ECONNREFUSED);
        assert_eq!(pair.at(0, client).connect_state(), refused);
        assert!(pair.ends[0].endpoint().associations().next().is_none());
        if style == Style::OneToMany {
            let failed = pair.read(0, client).unwrap().payload;
            assert_eq!(u16_at(&failed, 8), CANNOT_START);
        } else {
            // `poll` shows the error until it is read, also while a message begins an association.
            let to = Some(address(1, 5000));
            pair.send_with(0, client, to, &[], b"again").unwrap();
            assert!(pair.ends[0].readiness(client).writable);
            assert_eq!(error_of(&mut pair, client), Errno::ECONNREFUSED.code());
            assert!(!pair.ends[0].readiness(client).writable);
        }
    }
}

#[test]
fn a_server_is_found_that_starts_after_icmp_has_told_that_nobody_is_at_its_udp_port() {
    for abi in [Abi::LINUX, Abi::USRSCTP] {
        let mut pair = Pair::of(abi, &Profile::Linux.options());
        let client = connecting(&mut pair, Style::OneToOne);
        tell(&mut pair, IcmpError::NoSuchPort);
        assert_eq!(
            pair.at(0, client).connect_state(),
            ConnectState::InProgress,
            "{abi:?}"
        );
        pair.wire = Wire::Up;
        pair.server(Style::OneToOne);
        pair.pass(Duration::from_secs(4));
        let state = pair.at(0, client).connect_state();
        assert_eq!(state, ConnectState::Established);
        assert_eq!(pair.ends[0].take_error(client), None);
    }
}

#[test]
fn an_attempt_tells_of_a_udp_port_where_nobody_is_and_ends_when_its_time_is_up() {
    for style in [Style::OneToOne, Style::OneToMany] {
        let mut pair = Pair::new();
        let client = connecting(&mut pair, style);
        tell(&mut pair, IcmpError::NoSuchPort);
        // As in Linux, the error is reported once, and not by poll().
        assert_eq!(pair.ends[0].readiness(client).error, None);
        assert_eq!(error_of(&mut pair, client), Errno::ECONNREFUSED.code());
        assert_eq!(error_of(&mut pair, client), 0);
        pair.pass(Duration::from_secs(600));
        let late = ConnectState::Failed(Errno::ETIMEDOUT);
        assert_eq!(pair.at(0, client).connect_state(), late);
        if style == Style::OneToMany {
            let failed = pair.read(0, client).unwrap().payload;
            assert_eq!(u16_at(&failed, 8), CANNOT_START);
        }
    }
}

#[test]
fn another_address_is_asked_at_once_where_nobody_is_at_the_udp_port_of_the_first() {
    let mut pair = Pair::new();
    pair.server(Style::OneToOne);
    pair.wire = Wire::Cut;
    let client = pair.socket(0, Style::OneToOne);
    let all = [second_address(1, 5000), address(1, 5000)];
    pair.connect(0, client, &all);
    pair.pass(Duration::from_millis(1));
    pair.wire = Wire::Up;
    tell(&mut pair, IcmpError::NoSuchPort);
    pair.pass(Duration::from_millis(500));
    let state = pair.at(0, client).connect_state();
    assert_eq!(state, ConnectState::Established);
}
