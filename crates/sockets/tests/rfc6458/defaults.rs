//! Default message settings of sockets and associations (RFC 6458 §5.3.7, §7.2, §8.1.5, §8.1.6,
//! §8.1.24, §8.1.25, §8.1.31, §8.1.32).

use std::time::Duration;

use sheave_engine::{PartialReliability, Profile};
use sheave_sockets::{Errno, SocketId, Style};

use crate::pair::{
    NOTIFICATION, Pair, Wire, address, chunks, control, i32_at, sndrcv, u16_at, words,
};

const NO_DELAY: i32 = 3;
const CONTEXT: i32 = 17;
const MAX_BURST: i32 = 20;
const RECV_RCV_INFO: i32 = 32;
const DEFAULT_SND_INFO: i32 = 34;
const DEFAULT_PR_INFO: i32 = 114;
/// Control message types.
const SND_INFO: i32 = 2;
const PR_INFO: i32 = 5;
/// Size of a message that fills a packet, bytes.
const FULL: usize = 1452;
/// The policy `SCTP_PR_SCTP_TTL`.
const TIMED: u16 = 0x10;

/// `struct sctp_sndinfo`.
fn snd_info(stream: u16, ppid: u32, context: u32) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    bytes[..2].copy_from_slice(&stream.to_ne_bytes());
    bytes[4..8].copy_from_slice(&ppid.to_be_bytes());
    bytes[8..12].copy_from_slice(&context.to_ne_bytes());
    bytes
}

/// `struct sctp_prinfo`.
fn pr_info(policy: u16, value: u32) -> Vec<u8> {
    [&policy.to_ne_bytes()[..], &[0, 0], &value.to_ne_bytes()].concat()
}

/// Ends with partial reliability; the client is subscribed to failed messages.
fn unreliable() -> (Pair, SocketId, SocketId) {
    let mut options = Profile::Linux.options();
    options.partial_reliability = PartialReliability::On;
    let mut pair = Pair::with(&options);
    let (client, accepted) = pair.connected();
    pair.subscribe(0, client, &[13]);
    (pair, client, accepted)
}

/// Messages abandoned during a 5 s outage.
fn given_up(pair: &mut Pair, client: SocketId) -> Vec<Vec<u8>> {
    pair.pass(Duration::from_secs(5));
    pair.wire = Wire::Up;
    pair.pass(Duration::from_secs(20));
    let failed = std::iter::from_fn(|| pair.read(0, client).ok());
    failed
        .map(|failed| {
            assert_eq!(u16_at(&failed.payload, 0), 0x800d);
            failed.payload[32..].to_vec()
        })
        .collect()
}

#[test]
fn section_5_3_7_a_policy_that_there_is_not_is_refused() {
    let (mut pair, client, _) = unreliable();
    let mut send = |info: &[u8]| {
        let info = control(PR_INFO, info);
        pair.send_with(0, client, None, &info, b"x")
    };
    assert_eq!(send(&pr_info(1, 500)), Err(Errno::EINVAL));
    assert_eq!(send(&pr_info(TIMED, 500)[..7]), Err(Errno::EINVAL));
    assert_eq!(send(&pr_info(TIMED, 500)), Ok(1));
}

#[test]
fn section_5_2_1_items_of_ancillary_data_come_in_any_order() {
    let info = control(SND_INFO, &snd_info(4, 0, 0));
    let policy = control(PR_INFO, &pr_info(TIMED, 500));
    // A control message of another level, which SCTP ignores.
    let mut other = control(1, &[0; 4]);
    other[8..12].copy_from_slice(&1_i32.to_ne_bytes());
    for items in [
        [&info, &policy, &other],
        [&policy, &info, &other],
        [&other, &policy, &info],
    ] {
        let (mut pair, client, accepted) = unreliable();
        pair.subscribe(1, accepted, &[0]);
        let items = items.map(|item| &item[..]).concat();
        pair.deliver_with(0, client, None, &items, b"seen");
        let read = pair.read(1, accepted).unwrap();
        assert_eq!(u16_at(&read.control, 16), 4);
        pair.wire = Wire::Cut;
        pair.send_with(0, client, None, &items, b"lost").unwrap();
        assert_eq!(given_up(&mut pair, client), [b"lost"]);
    }
}

#[test]
fn section_8_1_31_defaults_describe_messages_as_sndinfo_does() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(1, accepted, &[0]);
    let default = snd_info(6, 60, 99);
    pair.set(0, client, DEFAULT_SND_INFO, &default).unwrap();
    let answer = pair.get(0, client, DEFAULT_SND_INFO, &[0; 16]);
    assert_eq!(answer, Ok(default.clone()));
    pair.send(0, client, b"as ever").unwrap();
    let own = control(SND_INFO, &snd_info(1, 10, 0));
    pair.deliver_with(0, client, None, &own, b"otherwise");
    let described = [0; 2].map(|_| {
        let control = pair.read(1, accepted).unwrap().control;
        (u16_at(&control, 16), control[27])
    });
    assert_eq!(described, [(6, 60), (1, 10)]);
    let outcome = pair.set(0, client, DEFAULT_SND_INFO, &default[..15]);
    assert_eq!(outcome, Err(Errno::EINVAL));
}

#[test]
fn section_8_1_32_messages_without_a_policy_have_that_of_their_association() {
    let (mut pair, client, accepted) = unreliable();
    // Association id, 500 ms, policy.
    let default = [&words([0, 500])[..], &TIMED.to_ne_bytes(), &[0, 0]].concat();
    pair.set(0, client, DEFAULT_PR_INFO, &default).unwrap();
    let answer = pair.get(0, client, DEFAULT_PR_INFO, &[0; 12]);
    assert_eq!(answer, Ok(default.clone()));
    pair.wire = Wire::Cut;
    pair.send(0, client, b"for 500 ms").unwrap();
    let own = control(PR_INFO, &pr_info(0, 0));
    pair.send_with(0, client, None, &own, b"for ever").unwrap();
    assert_eq!(given_up(&mut pair, client), [b"for 500 ms"]);
    assert_eq!(pair.read(1, accepted).unwrap().payload, "for ever");
    let unknown = [&words([0, 500])[..], &[1, 0, 0, 0]].concat();
    let outcome = pair.set(0, client, DEFAULT_PR_INFO, &unknown);
    assert_eq!(outcome, Err(Errno::EINVAL));
}

#[test]
fn section_8_1_5_small_messages_wait_for_an_acknowledgement_without_nodelay() {
    let packets = |no_delay: u32| {
        let (mut pair, client, _) = Pair::up();
        pair.set(0, client, NO_DELAY, &words([no_delay])).unwrap();
        pair.sent.clear();
        for _ in 0..3 {
            pair.send(0, client, b"small").unwrap();
            pair.pass(Duration::from_millis(1));
        }
        pair.sent.iter().filter(|packet| packet.0 == 0).count()
    };
    assert_eq!((packets(1), packets(0)), (3, 1));
}

#[test]
fn section_8_1_6_the_window_that_the_peer_sees_is_the_receive_buffer() {
    let mut pair = Pair::new();
    pair.server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    pair.set_socket(0, client, 8, &words([50_000])).unwrap();
    pair.establish(client);
    let (.., init) = pair.sent.iter().find(|packet| packet.0 == 0).unwrap();
    let (kind, body) = chunks(init).next().unwrap();
    let window = u32::from_be_bytes(body[4..8].try_into().unwrap());
    assert_eq!((kind, window), (1, 50_000));
}

#[test]
fn section_8_1_24_no_more_packets_leave_at_once_than_the_burst_allows() {
    let at_once = |most: u32| {
        let (mut pair, client, accepted) = Pair::up();
        pair.set(0, client, MAX_BURST, &words([0, most])).unwrap();
        let answer = pair.get(0, client, MAX_BURST, &[0; 8]);
        assert_eq!(answer, Ok(words([0, most])));
        // Open the congestion window first.
        for _ in 0..30 {
            pair.send(0, client, &[7; 14_000]).unwrap();
            pair.settle();
            while pair.read(1, accepted).is_ok() {}
        }
        pair.sent.clear();
        for _ in 0..10 {
            pair.send(0, client, &[7; FULL]).unwrap();
        }
        pair.pass(Duration::ZERO);
        pair.sent.iter().filter(|packet| packet.0 == 0).count()
    };
    assert_eq!((at_once(2), at_once(4)), (2, 4));
    // Without a limit.
    assert_eq!(at_once(0), 10);
}

#[test]
fn section_8_1_25_messages_come_with_the_context_of_their_association() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.set(1, server, RECV_RCV_INFO, &words([1])).unwrap();
    pair.set(1, server, CONTEXT, &words([0, 11])).unwrap();
    let clients = [0; 2].map(|_| pair.socket(0, Style::OneToOne));
    for client in clients {
        pair.connect(0, client, &[address(1, 5000)]);
    }
    pair.settle();
    let mut context_of = |client| {
        pair.deliver(0, client, b"x");
        let info = pair.read(1, server).unwrap().control;
        let (context, assoc) = (i32_at(&info, 16 + 20), i32_at(&info, 16 + 24));
        let other = words([assoc.cast_unsigned(), 22]);
        pair.set(1, server, CONTEXT, &other).unwrap();
        assert_eq!(pair.get(1, server, CONTEXT, &other), Ok(other));
        context
    };
    assert_eq!(clients.map(&mut context_of), [11, 11]);
    assert_eq!(context_of(clients[0]), 22);
}

#[test]
fn section_7_2_ids_stand_for_associations_to_come_those_there_are_and_both() {
    const FUTURE: u32 = 0;
    const CURRENT: u32 = 1;
    const ALL: u32 = 2;
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.subscribe(1, server, &[1]);
    let client = pair.socket(0, Style::OneToMany);
    pair.deliver_with(0, client, Some(address(1, 5000)), &[], b"x");
    let up = pair.read(1, server).unwrap();
    assert_eq!(up.flags & NOTIFICATION, NOTIFICATION);
    let assoc = i32_at(&up.payload, 16).cast_unsigned();
    let mut set = |id: u32, context: u32| {
        pair.set(1, server, CONTEXT, &words([id, context])).unwrap();
        [FUTURE, assoc].map(|id| {
            let answer = pair.get(1, server, CONTEXT, &words([id, 0])).unwrap();
            i32_at(&answer, 4)
        })
    };
    assert_eq!(set(FUTURE, 1), [1, 0]);
    assert_eq!(set(CURRENT, 2), [1, 2]);
    assert_eq!(set(ALL, 3), [3, 3]);
    assert_eq!(set(assoc, 4), [3, 4]);
    // These ids name no association to query or send to.
    for id in [CURRENT, ALL] {
        let answer = pair.get(1, server, CONTEXT, &words([id, 0]));
        assert_eq!(answer, Err(Errno::EINVAL));
        let info = sndrcv(0, 0, 0, id.cast_signed());
        let sent = pair.send_with(1, server, None, &info, b"x");
        assert_eq!(sent, Err(Errno::EPIPE));
    }
}
