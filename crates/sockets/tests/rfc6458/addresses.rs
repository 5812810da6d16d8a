//! Addresses and ports of sockets and their peers (RFC 6458 §5.3.10, §7.4, §8.1.9, §8.1.23, §8.1.27,
//! §8.3.1).

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use sheave_sockets::{Domain, Errno, SocketId, Style};

use crate::pair::{Pair, address, control, second_address, u16_at};

const SET_PEER_PRIMARY: i32 = 5;
const PRIMARY_ADDR: i32 = 6;
const AUTO_ASCONF: i32 = 30;
const REUSE_PORT: i32 = 36;
const ASCONF_SUPPORTED: i32 = 128;
const AUTH_SUPPORTED: i32 = 129;
/// Control message type `SCTP_DSTADDRV6`.
const DESTINATION_V6: i32 = 8;

/// `struct sctp_prim`, and `struct sctp_setpeerprim`.
fn primary(address: SocketAddr) -> Vec<u8> {
    let mut bytes = vec![0; 132];
    let address = sheave_sockets::Abi::LINUX.address_bytes(address);
    bytes[4..4 + address.len()].copy_from_slice(&address);
    bytes
}

/// Connects ends with two addresses each, all of them known to both.
fn connected(prepare: impl Fn(&mut Pair, usize, SocketId)) -> (Pair, SocketId, SocketId) {
    let mut pair = Pair::new();
    let server = pair.socket(1, Style::OneToOne);
    prepare(&mut pair, 1, server);
    let both = [address(1, 5000), second_address(1, 5000)];
    pair.bind(1, server, &both).unwrap();
    pair.listen(1, server, 5).unwrap();
    let client = pair.socket(0, Style::OneToOne);
    prepare(&mut pair, 0, client);
    pair.connect(0, client, &both);
    pair.settle();
    let accepted = pair.ends[1].accept(server).unwrap();
    (pair, client, accepted)
}

#[test]
fn section_8_1_9_messages_go_to_the_address_that_was_made_primary() {
    let (mut pair, client, accepted) = connected(|_, _, _| ());
    let of_client = |pair: &mut Pair| pair.get(0, client, PRIMARY_ADDR, &[0; 132]);
    assert_eq!(of_client(&mut pair), Ok(primary(address(1, 5000))));
    let second = second_address(1, 5000);
    pair.set(0, client, PRIMARY_ADDR, &primary(second)).unwrap();
    assert_eq!(of_client(&mut pair), Ok(primary(second)));
    assert_eq!(pair.at(0, client).peer_name(), Ok(second));
    pair.deliver(0, client, b"there");
    assert_eq!(pair.last_data(0)[1], second.ip());
    assert_eq!(pair.read(1, accepted).unwrap().payload, "there");
    let strange = "203.0.113.9:5000".parse().unwrap();
    for other in [strange, second_address(1, 5001)] {
        let outcome = pair.set(0, client, PRIMARY_ADDR, &primary(other));
        assert_eq!(outcome, Err(Errno::EINVAL), "{other}");
    }
}

#[test]
fn section_8_3_1_the_peer_sends_to_the_address_that_it_is_asked_for() {
    let (mut pair, client, accepted) = connected(|pair, end, socket| {
        let on = [0_u32, 1].map(u32::to_ne_bytes).concat();
        for option in [AUTH_SUPPORTED, ASCONF_SUPPORTED] {
            pair.set(end, socket, option, &on).unwrap();
        }
    });
    let port = pair.at(0, client).local_name().port();
    pair.deliver(1, accepted, b"before");
    let before = pair.last_data(1)[1];
    let other = [address(0, port), second_address(0, port)];
    let other = *other.iter().find(|other| other.ip() != before).unwrap();
    let ask = |pair: &mut Pair, address| pair.set(0, client, SET_PEER_PRIMARY, &primary(address));
    ask(&mut pair, other).unwrap();
    pair.settle();
    pair.deliver(1, accepted, b"after");
    assert_eq!(pair.last_data(1)[1], other.ip());
    // The peer's addresses are not local, and the option cannot be read.
    assert_eq!(ask(&mut pair, address(1, port)), Err(Errno::EADDRNOTAVAIL));
    let answer = pair.get(0, client, SET_PEER_PRIMARY, &[0; 132]);
    assert_eq!(answer, Err(Errno::ENOPROTOOPT));
}

#[test]
fn section_8_3_1_without_rfc_5061_the_peer_cannot_be_asked() {
    let (mut pair, client, _) = connected(|_, _, _| ());
    let port = pair.at(0, client).local_name().port();
    let outcome = pair.set(0, client, SET_PEER_PRIMARY, &primary(address(0, port)));
    assert_eq!(outcome, Err(Errno::EPERM));
}

#[test]
fn section_8_1_23_automatic_changes_are_for_sockets_that_are_bound_to_all_addresses() {
    let mut pair = Pair::new();
    let [all, one] = [0; 2].map(|_| pair.socket(0, Style::OneToOne));
    let any = "0.0.0.0:7000".parse().unwrap();
    pair.bind(0, all, &[any]).unwrap();
    pair.bind(0, one, &[address(0, 7001)]).unwrap();
    let mut set = |socket, on: u32| {
        let outcome = pair.set(0, socket, AUTO_ASCONF, &on.to_ne_bytes());
        let now = pair.get(0, socket, AUTO_ASCONF, &[0; 4]).unwrap();
        (outcome, now[0])
    };
    assert_eq!(set(all, 1), (Ok(()), 1));
    assert_eq!(set(all, 0), (Ok(()), 0));
    assert_eq!(set(one, 1), (Err(Errno::EINVAL), 0));
    assert_eq!(set(one, 0), (Ok(()), 0));
}

#[test]
fn section_8_1_27_one_to_one_sockets_that_want_to_share_a_port_do() {
    let (mut pair, far) = Pair::with_server(Style::OneToOne);
    let [listening, calling, other] = [0; 3].map(|_| pair.socket(0, Style::OneToOne));
    for socket in [listening, calling] {
        pair.set(0, socket, REUSE_PORT, &1_u32.to_ne_bytes())
            .unwrap();
        let near = address(0, 7000);
        pair.bind(0, socket, &[near]).unwrap();
    }
    let bound = pair.bind(0, other, &[address(0, 7000)]);
    assert_eq!(bound, Err(Errno::EADDRINUSE));
    // Refused for a bound socket, and for one-to-many sockets.
    let late = pair.set(0, calling, REUSE_PORT, &1_u32.to_ne_bytes());
    assert_eq!(late, Err(Errno::EFAULT));
    let many = pair.socket(0, Style::OneToMany);
    let refused = pair.set(0, many, REUSE_PORT, &1_u32.to_ne_bytes());
    assert_eq!(refused, Err(Errno::EOPNOTSUPP));

    pair.listen(0, listening, 5).unwrap();
    let to = [address(1, 5000)];
    pair.connect(0, calling, &to);
    pair.settle();
    let (accepted, from) = pair.ends[1].pending(far).unwrap();
    assert_eq!(from, address(0, 7000));
    let back = pair.socket(1, Style::OneToOne);
    let near = [address(0, 7000)];
    pair.connect(1, back, &near);
    pair.settle();
    let answered = pair.ends[0].accept(listening).unwrap();
    pair.send(1, accepted, b"to the caller").unwrap();
    pair.deliver(1, back, b"to the listener");
    assert_eq!(pair.read(0, calling).unwrap().payload, "to the caller");
    assert_eq!(pair.read(0, answered).unwrap().payload, "to the listener");
}

#[test]
fn section_5_3_10_more_addresses_of_a_peer_come_in_the_form_of_ipv6() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    let client = pair.ends[0].socket(Domain::V6, Style::OneToMany);
    // The first address is unreachable; the second, 192.0.2.2, is reachable.
    let mapped = [&[0; 10][..], &[0xff, 0xff, 192, 0, 2, 2]].concat();
    let nowhere = Some("[::ffff:203.0.113.9]:5000".parse().unwrap());
    let more = control(DESTINATION_V6, &mapped);
    pair.send_with(0, client, nowhere, &more, b"found").unwrap();
    pair.pass(Duration::from_secs(30));
    assert_eq!(pair.read(1, server).unwrap().payload, "found");
    let short = control(DESTINATION_V6, &mapped[..15]);
    let elsewhere = Some("[::ffff:203.0.113.10]:5000".parse().unwrap());
    let refused = pair.send_with(0, client, elsewhere, &short, b"x");
    assert_eq!(refused, Err(Errno::EINVAL));
}

#[test]
fn section_7_4_a_socket_has_the_name_that_it_is_bound_to() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToMany);
    let unspecified = "0.0.0.0:0".parse().unwrap();
    assert_eq!(pair.at(0, socket).local_name(), unspecified);
    let any = "0.0.0.0:7000".parse().unwrap();
    pair.bind(0, socket, &[any]).unwrap();
    assert_eq!(pair.at(0, socket).local_name(), any);
    // The last of several addresses, as in Linux.
    let other = pair.socket(0, Style::OneToMany);
    let both = [second_address(0, 7001), address(0, 7001)];
    pair.bind(0, other, &both).unwrap();
    assert_eq!(pair.at(0, other).local_name(), both[1]);
    let bytes = pair.ends[0].abi().address_bytes(both[1]);
    assert_eq!((u16_at(&bytes, 0), bytes.len()), (2, 16));
}

const PEER_ADDRS: i32 = 108;

fn third_address(port: u16) -> SocketAddr {
    format!("203.0.113.1:{port}").parse().unwrap()
}

/// Peer addresses known to the second end, in order.
fn peer_addresses(pair: &mut Pair, socket: SocketId) -> Vec<IpAddr> {
    let answer = pair.get(1, socket, PEER_ADDRS, &[0; 256]).unwrap();
    let found = pair.ends[1].abi().addresses(&answer[8..]).unwrap();
    let mut found: Vec<_> = found.iter().map(SocketAddr::ip).collect();
    found.sort();
    found
}

/// Ends that announce address changes; the first is bound to all its addresses.
fn following(automatic: u32) -> (Pair, SocketId, SocketId) {
    connected(|pair, end, socket| {
        let on = [0_u32, 1].map(u32::to_ne_bytes).concat();
        for option in [AUTH_SUPPORTED, ASCONF_SUPPORTED] {
            pair.set(end, socket, option, &on).unwrap();
        }
        if end == 0 {
            let any = "0.0.0.0:7000".parse().unwrap();
            pair.bind(0, socket, &[any]).unwrap();
            pair.set(0, socket, AUTO_ASCONF, &automatic.to_ne_bytes())
                .unwrap();
        }
    })
}

fn move_to(pair: &mut Pair, addresses: &[SocketAddr]) {
    let addresses: Vec<_> = addresses.iter().map(SocketAddr::ip).collect();
    pair.ends[0].set_local_addresses(pair.now, &addresses);
    // A request may be sent from a removed address.
    pair.pass(Duration::from_secs(20));
}

#[test]
fn section_8_1_23_peers_hear_of_addresses_that_come_and_go() {
    let (mut pair, client, accepted) = following(1);
    let [a, b, c] = [address(0, 0), second_address(0, 0), third_address(0)];
    assert_eq!(peer_addresses(&mut pair, accepted), [a.ip(), b.ip()]);
    move_to(&mut pair, &[a, b, c]);
    assert_eq!(
        peer_addresses(&mut pair, accepted),
        [a.ip(), b.ip(), c.ip()]
    );
    move_to(&mut pair, &[c]);
    assert_eq!(peer_addresses(&mut pair, accepted), [c.ip()]);
    // The last address is removed once there is another.
    move_to(&mut pair, &[]);
    assert_eq!(peer_addresses(&mut pair, accepted), [c.ip()]);
    move_to(&mut pair, &[b]);
    assert_eq!(peer_addresses(&mut pair, accepted), [b.ip()]);
    pair.deliver(0, client, b"moved");
    assert_eq!(pair.last_data(0)[0], b.ip());
    assert_eq!(pair.read(1, accepted).unwrap().payload, "moved");
}

#[test]
fn section_8_1_23_without_the_option_peers_hear_of_no_address() {
    let (mut pair, _, accepted) = following(0);
    let [a, b, c] = [address(0, 0), second_address(0, 0), third_address(0)];
    move_to(&mut pair, &[a, b, c]);
    assert_eq!(peer_addresses(&mut pair, accepted), [a.ip(), b.ip()]);
}

#[test]
fn section_8_1_23_peers_hear_of_no_address_that_they_cannot_reach() {
    let (mut pair, _, accepted) = following(1);
    let [a, b] = [address(0, 0), second_address(0, 0)];
    let strange = ["127.0.0.1:0", "[2001:db8::1]:0"].map(|ip| ip.parse().unwrap());
    move_to(&mut pair, &[[a, b], strange].concat());
    assert_eq!(peer_addresses(&mut pair, accepted), [a.ip(), b.ip()]);
}

#[test]
fn a_socket_of_all_addresses_accepts_at_one_that_came_while_it_listened() {
    let mut pair = Pair::new();
    let now = pair.now;
    let server = pair.socket(1, Style::OneToOne);
    let any = "0.0.0.0:5000".parse().unwrap();
    pair.bind(1, server, &[any]).unwrap();
    pair.listen(1, server, 5).unwrap();
    let new = third_address(5000);
    pair.ends[1].set_local_addresses(now, &[address(1, 0).ip(), new.ip()]);
    let client = pair.socket(0, Style::OneToOne);
    pair.connect(0, client, &[new]);
    pair.settle();
    assert!(pair.ends[1].accept(server).is_ok());
    let gone = pair.socket(0, Style::OneToOne);
    let to = [second_address(1, 5000)];
    pair.connect(0, gone, &to);
    pair.settle();
    assert_eq!(pair.ends[1].accept(server), Err(Errno::EAGAIN));
}
