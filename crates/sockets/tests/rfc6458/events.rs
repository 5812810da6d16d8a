//! RFC 6458 §6: notifications.

use std::time::Duration;

use sheave_engine::{PartialReliability, Profile, Reconfiguration};
use sheave_sockets::{Abi, How, SocketId, Style};

use crate::pair::{EOR, NOTIFICATION, Pair, Wire, address, i32_at, limits, sndrcv, u16_at};

const UNORDERED: u16 = 1;

#[test]
fn section_6_1_1_assoc_change_tells_of_the_beginning_and_the_end() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    pair.subscribe(1, server, &[1]);
    let client = pair.socket(0, Style::OneToOne);
    pair.subscribe(0, client, &[1]);
    pair.establish(client);
    let accepted = pair.ends[1].accept(server).unwrap();
    for (end, socket) in [(0, client), (1, accepted)] {
        let up = pair.read(end, socket).unwrap();
        assert_eq!(up.flags, NOTIFICATION | EOR);
        let body = up.payload;
        let told = (u16_at(&body, 0), i32_at(&body, 4), body.len());
        assert_eq!(told, (0x8001, 20, 20));
        let told = (u16_at(&body, 8), u16_at(&body, 12), u16_at(&body, 14));
        assert_eq!(told, (0, 10, 10));
    }
    pair.shutdown(0, client, How::Write).unwrap();
    pair.settle();
    for (end, socket) in [(0, client), (1, accepted)] {
        let down = pair.read(end, socket).unwrap().payload;
        assert_eq!((u16_at(&down, 0), u16_at(&down, 8)), (0x8001, 3));
        // Like Linux, reports no streams.
        assert_eq!((u16_at(&down, 12), u16_at(&down, 14)), (0, 0));
    }
    assert!(pair.read(1, accepted).unwrap().payload.is_empty());
}

#[test]
fn section_6_1_1_a_connection_that_fails_cannot_start() {
    let (mut pair, client) = Pair::with_socket(Style::OneToMany);
    pair.subscribe(0, client, &[1, 3]);
    pair.deliver_with(0, client, Some(address(1, 9)), &[], b"lost");
    let reads: Vec<_> = pair.drain(0, client);
    let failed = reads
        .iter()
        .find(|read| u16_at(&read.payload, 0) == 0x8003)
        .unwrap();
    assert_eq!(&failed.payload[48..], b"lost");
    let told = (i32_at(&failed.payload, 4), u16_at(&failed.payload, 2));
    assert_eq!(told, (52, 0));
    let change = reads
        .iter()
        .find(|read| u16_at(&read.payload, 0) == 0x8001)
        .unwrap();
    assert_eq!(u16_at(&change.payload, 8), 4);
}

#[test]
fn section_6_1_1_whoever_aborts_is_told_so_too() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.subscribe(1, server, &[1]);
    let client = pair.socket(0, Style::OneToMany);
    pair.subscribe(0, client, &[1]);
    pair.deliver_with(0, client, Some(address(1, 5000)), &[], b"first");
    let up = pair.read(0, client).unwrap().payload;
    assert_eq!(u16_at(&up, 8), 0);
    let abort = sndrcv(0, 4, 0, i32_at(&up, 16));
    pair.deliver_with(0, client, None, &abort, b"why");
    // The code is in network byte order; the other end also gets the cause.
    let user_initiated = 12_u16.to_be();
    let lost = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&lost, 8), u16_at(&lost, 10)), (1, user_initiated));
    assert_eq!(lost.len(), 20);
    let reads: Vec<_> = pair.drain(1, server);
    let lost = &reads.last().unwrap().payload;
    assert_eq!((u16_at(lost, 8), u16_at(lost, 10)), (1, user_initiated));
    assert_eq!(lost.len(), 20 + 4 + 3);
}

/// FreeBSD's `struct sctp_event`, which subscribes to a notification type.
fn free_bsd_event(kind: u16) -> Vec<u8> {
    [&[0; 4][..], &kind.to_ne_bytes(), &[1, 0]].concat()
}

/// `sac_state`, `sac_error` and `sac_info` of the last SCTP_ASSOC_CHANGE.
fn last_change(pair: &mut Pair, end: usize, socket: SocketId) -> (u16, u16, Vec<u8>) {
    let reads = std::iter::from_fn(|| pair.read(end, socket).ok());
    let changes = reads.filter(|read| u16_at(&read.payload, 0) & 0xff == 1);
    let change = changes.last().unwrap().payload;
    (
        u16_at(&change, 8),
        u16_at(&change, 10),
        change[20..].to_vec(),
    )
}

#[test]
fn section_6_1_1_the_abort_that_came_is_shown_whole_as_free_bsd_does_it() {
    let mut pair = Pair::of(Abi::USRSCTP, &Profile::Linux.options());
    let client = pair.socket(0, Style::OneToMany);
    pair.set(0, client, 0x1e, &free_bsd_event(1)).unwrap();
    pair.deliver_with(0, client, Some(address(1, 5000)), &[], b"to nobody");
    let refused = last_change(&mut pair, 0, client);
    assert_eq!(refused, (5, 0, vec![6, 0, 0, 4]));

    let server = pair.server(Style::OneToMany);
    pair.deliver_with(0, client, Some(address(1, 5000)), &[], b"hello");
    assert_eq!(last_change(&mut pair, 0, client).0, 1);
    let hello = pair.read(1, server).unwrap();
    assert_eq!(hello.payload, "hello");
    // FreeBSD's number of SCTP_SNDRCV.
    let mut abort = sndrcv(0, 0x200, 0, 0);
    abort[12..16].copy_from_slice(&2_i32.to_ne_bytes());
    pair.deliver_with(1, server, hello.name, &abort, b"why");
    let lost = last_change(&mut pair, 0, client);
    let chunk = [&[6, 0, 0, 11, 0, 12, 0, 7][..], b"why"].concat();
    assert_eq!(lost, (2, 12, chunk));
}

/// The body of an ABORT with two causes, "Protocol Violation" and "No User Data".
const CAUSES: [u8; 16] = [0, 13, 0, 7, b'w', b'h', b'y', 0, 0, 9, 0, 8, 0, 0, 0, 7];

#[test]
fn section_6_1_1_all_causes_of_an_abort_are_shown() {
    let abort = [&[6, 0, 0, 20][..], &CAUSES].concat();
    let (mut pair, client, _) = Pair::up();
    pair.subscribe(0, client, &[1]);
    pair.hear(0, &abort);
    // Without the chunk header, as in Linux.
    let lost = last_change(&mut pair, 0, client);
    assert_eq!(lost, (1, 13_u16.to_be(), CAUSES.to_vec()));

    let mut pair = Pair::of(Abi::USRSCTP, &Profile::Linux.options());
    let (client, _) = pair.connected();
    pair.set(0, client, 0x1e, &free_bsd_event(1)).unwrap();
    pair.hear(0, &abort);
    assert_eq!(last_change(&mut pair, 0, client), (2, 13, abort));
}

#[test]
fn section_6_1_4_messages_fail_behind_the_end_as_linux_tells_and_before_it_as_free_bsd_does() {
    const FREE_BSD_SEND_FAILED: u16 = 14;
    let abort = [&[6, 0, 0, 20][..], &CAUSES].concat();
    let told = |mut pair: Pair, client: SocketId| -> Vec<u16> {
        pair.wire = Wire::Cut;
        for message in [b"one", b"two"] {
            pair.send(0, client, message).unwrap();
        }
        pair.hear(0, &abort);
        let reads = std::iter::from_fn(|| pair.read(0, client).ok());
        reads.map(|read| u16_at(&read.payload, 0)).collect()
    };
    let (mut pair, client, _) = Pair::up();
    pair.subscribe(0, client, &[1, 3]);
    assert_eq!(told(pair, client), [0x8001, 0x8003, 0x8003]);

    let mut pair = Pair::of(Abi::USRSCTP, &Profile::Linux.options());
    let (client, _) = pair.connected();
    for kind in [1, FREE_BSD_SEND_FAILED] {
        pair.set(0, client, 0x1e, &free_bsd_event(kind)).unwrap();
    }
    let failed = FREE_BSD_SEND_FAILED;
    assert_eq!(told(pair, client), [failed, failed, 1]);
}

#[test]
fn section_6_1_2_paths_that_fail_and_come_back_are_told() {
    let (mut pair, client, _) = Pair::up();
    pair.subscribe(0, client, &[2]);
    // Path.Max.Retrans 1, one heartbeat per second.
    let mut params = vec![0; 156];
    params[132..136].copy_from_slice(&1000_u32.to_ne_bytes());
    params[136..138].copy_from_slice(&1_u16.to_ne_bytes());
    params[146..150].copy_from_slice(&1_u32.to_ne_bytes());
    pair.set(0, client, 9, &params).unwrap();
    pair.wire = Wire::Cut;
    pair.pass(Duration::from_secs(20));
    let down = pair.read(0, client).unwrap().payload;
    let told = (u16_at(&down, 0), i32_at(&down, 4), i32_at(&down, 136));
    assert_eq!(told, (0x8002, 148, 1));
    let abi = pair.ends[0].abi();
    assert_eq!(abi.address(&down[8..136]), Ok(address(1, 5000)));
    pair.wire = Wire::Up;
    pair.pass(Duration::from_secs(60));
    assert_eq!(i32_at(&pair.read(0, client).unwrap().payload, 136), 0);
}

#[test]
fn section_6_1_1_free_bsd_tells_which_extensions_an_association_has() {
    const RECONFIGURATION: u8 = 5;
    let up_with = |reconfiguration: bool| {
        let mut options = Profile::Linux.options();
        options.partial_reliability = PartialReliability::On;
        if !reconfiguration {
            options.reconfiguration = Reconfiguration::Off;
        }
        let mut pair = Pair::of(Abi::USRSCTP, &options);
        let server = pair.server(Style::OneToMany);
        pair.set(1, server, 0x1e, &free_bsd_event(1)).unwrap();
        pair.set(1, server, 0x29, &[0, 0, 0, 0, 1, 0, 0, 0])
            .unwrap();
        let client = pair.socket(0, Style::OneToMany);
        if reconfiguration {
            pair.set(0, client, 0x29, &[0, 0, 0, 0, 1, 0, 0, 0])
                .unwrap();
        }
        pair.deliver_with(0, client, Some(address(1, 5000)), &[], b"hello");
        let up = pair.read(1, server).unwrap().payload;
        assert_eq!((u16_at(&up, 0), u16_at(&up, 8)), (1, 1));
        assert_eq!(i32_at(&up, 4), i32::try_from(up.len()).unwrap());
        up[20..].to_vec()
    };
    // Supported features: partial reliability, multiple buffers.
    assert_eq!(up_with(false), [1, 4]);
    assert_eq!(up_with(true), [1, 4, RECONFIGURATION]);
}

/// An ERROR chunk with two causes: "Invalid Stream Identifier" and "Protocol Violation".
const ERROR: [u8; 20] = [
    9, 0, 0, 19, 0, 1, 0, 8, 0, 7, 0, 0, 0, 13, 0, 7, b'w', b'h', b'y', 0,
];

#[test]
fn section_6_1_3_each_error_that_the_peer_reports_is_told() {
    let (mut pair, client, _) = Pair::up();
    pair.subscribe(0, client, &[4]);
    pair.hear(0, &ERROR);
    let told = [0; 2].map(|_| {
        let told = pair.read(0, client).unwrap();
        assert_eq!(told.flags, NOTIFICATION | EOR);
        let body = told.payload;
        assert_eq!((u16_at(&body, 0), u16_at(&body, 2)), (0x8004, 0));
        assert_eq!(i32_at(&body, 4), i32::try_from(body.len()).unwrap());
        (u16_at(&body, 8), body[16..].to_vec())
    });
    // The codes are in network byte order; the cause's data follows.
    assert_eq!(told[0], (1_u16.to_be(), vec![0, 7, 0, 0]));
    assert_eq!(told[1], (13_u16.to_be(), b"why".to_vec()));
    // The association still works.
    assert_eq!(pair.send(0, client, b"x"), Ok(1));
}

#[test]
fn section_6_1_3_free_bsd_shows_an_error_as_the_chunk_that_brought_it() {
    let mut pair = Pair::of(Abi::USRSCTP, &Profile::Linux.options());
    let (client, _) = pair.connected();
    pair.set(0, client, 0x1e, &free_bsd_event(3)).unwrap();
    pair.hear(0, &ERROR);
    let told = [0; 2].map(|_| {
        let body = pair.read(0, client).unwrap().payload;
        assert_eq!(u16_at(&body, 0), 3);
        assert_eq!(i32_at(&body, 4), i32::try_from(body.len()).unwrap());
        (u16_at(&body, 8), body[16..].to_vec())
    });
    assert_eq!(told[0], (1, vec![9, 0, 0, 12, 0, 1, 0, 8, 0, 7, 0, 0]));
    let violation = [&[9, 0, 0, 11, 0, 13, 0, 7][..], b"why"].concat();
    assert_eq!(told[1], (13, violation));
}

/// Sends `errors` error causes to an end, which reports them.
fn flood(pair: &mut Pair, end: usize, errors: usize) {
    // 50 causes per packet.
    let causes = [0, 1, 0, 8, 0, 7, 0, 0].repeat(50);
    let chunk = [&[9, 0, 1, 148][..], &causes].concat();
    for _ in 0..errors / 50 {
        pair.hear(end, &chunk);
    }
}

#[test]
fn section_6_1_10_the_end_of_an_association_is_told_though_errors_are_no_more() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(0, client, &[1, 4]);
    flood(&mut pair, 0, 10_000);
    pair.abort(1, accepted);
    pair.settle();
    let told: Vec<_> = pair.drain(0, client);
    assert!((1000..5000).contains(&told.len()), "{}", told.len());
    let last = &told.last().unwrap().payload;
    assert_eq!((u16_at(last, 0), u16_at(last, 8)), (0x8001, 1));
}

#[test]
fn section_6_1_10_whoever_wants_to_hears_that_notifications_have_stopped() {
    const STOPPED: u16 = 11;
    let mut pair = Pair::of(Abi::USRSCTP, &Profile::Linux.options());
    let (client, _) = pair.connected();
    for kind in [3, STOPPED] {
        pair.set(0, client, 0x1e, &free_bsd_event(kind)).unwrap();
    }
    let flooded = |pair: &mut Pair| {
        flood(pair, 0, 10_000);
        let told: Vec<_> = pair.drain(0, client);
        let stopped = |at: usize| u16_at(&told[at].payload, 0) == STOPPED;
        let count = (0..told.len()).filter(|at| stopped(*at)).count();
        if let Some(last) = told.last() {
            assert!(stopped(told.len() - 1));
            // Only a header.
            assert_eq!((i32_at(&last.payload, 4), last.payload.len()), (8, 8));
        }
        count
    };
    assert_eq!(flooded(&mut pair), 1);
    // The notification is disabled until the program subscribes again.
    let is_on = |pair: &mut Pair, kind| {
        let answer = pair.get(0, client, 0x1e, &free_bsd_event(kind));
        answer.unwrap()[6]
    };
    assert_eq!(is_on(&mut pair, 3), 0);
    assert_eq!(flooded(&mut pair), 0);
    for kind in [3, STOPPED] {
        pair.set(0, client, 0x1e, &free_bsd_event(kind)).unwrap();
    }
    assert_eq!(flooded(&mut pair), 1);
}

#[test]
fn sections_6_1_4_and_6_1_11_a_message_that_is_lost_comes_back_in_both_forms() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(0, client, &[3, 13]);
    pair.wire = Wire::Cut;
    pair.send(0, client, b"unacknowledged").unwrap();
    pair.pass(Duration::from_millis(10));
    pair.wire = Wire::Up;
    pair.abort(1, accepted);
    pair.pass(Duration::from_millis(100));
    let failed = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&failed, 0), u16_at(&failed, 2)), (0x8003, 1));
    assert_eq!(&failed[48..], b"unacknowledged");
    let failed = pair.read(0, client).unwrap().payload;
    assert_eq!(u16_at(&failed, 0), 0x800d);
    assert_eq!(&failed[32..], b"unacknowledged");
}

/// Adds a context and a time to live, ms, to a message description.
fn with_context(mut described: Vec<u8>, context: u32, time_to_live: u32) -> Vec<u8> {
    described[16 + 12..16 + 16].copy_from_slice(&context.to_ne_bytes());
    described[16 + 16..16 + 20].copy_from_slice(&time_to_live.to_ne_bytes());
    described
}

#[test]
fn section_6_1_4_a_message_that_comes_back_is_described_as_it_was_sent() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(0, client, &[3, 13]);
    let described = with_context(sndrcv(7, UNORDERED, 0x0102_0304, 0), 99, 60_000);
    pair.wire = Wire::Cut;
    pair.send_with(0, client, None, &described, b"lost")
        .unwrap();
    pair.pass(Duration::from_millis(10));
    pair.wire = Wire::Up;
    pair.abort(1, accepted);
    pair.pass(Duration::from_millis(100));

    const WHOLE: u16 = 3;
    const UNORDERED_DATA: u16 = 4;
    const USER_INITIATED_ABORT: [u8; 4] = [0, 12, 0, 0];
    let failed = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&failed, 0), u16_at(&failed, 2)), (0x8003, 1));
    assert_eq!(failed[8..12], USER_INITIATED_ABORT);
    let info = &failed[12..44];
    assert_eq!(u16_at(info, 0), 7);
    assert_eq!(u16_at(info, 4), WHOLE | UNORDERED_DATA);
    assert_eq!(info[8..12], [1, 2, 3, 4]);
    assert_eq!((i32_at(info, 12), i32_at(info, 16)), (99, 60_000));
    assert_eq!(i32_at(info, 28), i32_at(&failed, 44), "the association");

    let failed = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&failed, 0), u16_at(&failed, 2)), (0x800d, 1));
    assert_eq!(failed[8..12], USER_INITIATED_ABORT);
    let info = &failed[12..28];
    assert_eq!(u16_at(info, 0), 7);
    assert_eq!(u16_at(info, 2), WHOLE | UNORDERED_DATA);
    assert_eq!(info[4..8], [1, 2, 3, 4]);
    assert_eq!(i32_at(info, 8), 99);
}

#[test]
fn section_6_1_4_a_message_whose_time_is_over_comes_back_without_a_cause() {
    let mut options = Profile::Linux.options();
    options.partial_reliability = PartialReliability::On;
    let mut pair = Pair::with(&options);
    let (client, _accepted) = pair.connected();
    pair.subscribe(0, client, &[3]);
    pair.wire = Wire::Cut;
    let described = with_context(sndrcv(1, 0, 0, 0), 0, 500);
    pair.send_with(0, client, None, &described, b"late")
        .unwrap();
    pair.pass(Duration::from_secs(5));
    pair.wire = Wire::Up;
    pair.pass(Duration::from_secs(20));
    let failed = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&failed, 0), u16_at(&failed, 2)), (0x8003, 1));
    assert_eq!((i32_at(&failed, 8), u16_at(&failed, 16)), (0, 3));
    assert_eq!(i32_at(&failed, 12 + 16), 500);
    assert_eq!(&failed[48..], b"late");
}

#[test]
fn section_6_1_5_the_peers_shutdown_comes_behind_its_messages() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(1, accepted, &[5]);
    pair.send(0, client, b"last").unwrap();
    pair.shutdown(0, client, How::Write).unwrap();
    pair.settle();
    assert_eq!(pair.read(1, accepted).unwrap().payload, "last");
    let shutdown = pair.read(1, accepted).unwrap();
    let told = (u16_at(&shutdown.payload, 0), shutdown.payload.len());
    assert_eq!(told, (0x8005, 12));
}

#[test]
fn section_6_1_6_the_peers_adaptation_is_told() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.subscribe(1, server, &[7]);
    let client = pair.socket(0, Style::OneToOne);
    pair.set(0, client, 7, &0xfeed_u32.to_ne_bytes()).unwrap();
    pair.establish(client);
    let told = pair.read(1, server).unwrap().payload;
    assert_eq!((u16_at(&told, 0), i32_at(&told, 8)), (0x8007, 0xfeed));
}

#[test]
fn section_6_1_9_a_sender_that_has_run_dry_is_told_and_one_that_is_dry_at_once() {
    let (mut pair, client, _) = Pair::up();
    pair.subscribe(0, client, &[9]);
    let dry = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&dry, 0), dry.len()), (0x8009, 12));
    assert!(pair.read(0, client).is_err());
    pair.deliver(0, client, b"x");
    assert_eq!(u16_at(&pair.read(0, client).unwrap().payload, 0), 0x8009);
}

#[test]
fn sections_6_2_1_and_8_1_14_subscriptions_of_every_age_have_their_length() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    for length in [8, 9, 10, 11, 13, 14] {
        pair.set(0, socket, 11, &vec![1; length]).unwrap();
        let answer = pair.get(0, socket, 11, &vec![0; length]);
        assert_eq!(answer, Ok(vec![1; length]));
    }
    assert!(pair.set(0, socket, 11, &[1; 15]).is_err());
    // A larger buffer gets the current struct's length.
    assert_eq!(pair.get(0, socket, 11, &[0; 64]).unwrap().len(), 14);
    // A shorter struct leaves the other subscriptions unchanged.
    pair.set(0, socket, 11, &[0; 8]).unwrap();
    let answer = pair.get(0, socket, 11, &[0; 10]).unwrap();
    assert_eq!(answer, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
}

#[test]
fn sections_6_2_2_and_8_1_28_a_type_is_subscribed_to_for_one_association_alone() {
    let (mut pair, client, _) = Pair::up();
    let event = |kind: u16, on: u8| -> Vec<u8> {
        [&0_i32.to_ne_bytes()[..], &kind.to_ne_bytes(), &[on, 0]].concat()
    };
    pair.set(0, client, 127, &event(0x8009, 1)).unwrap();
    assert_eq!(pair.get(0, client, 127, &event(0x8009, 0)).unwrap()[6], 1);
    assert!(pair.set(0, client, 127, &event(0x800e, 1)).is_err());
    assert_eq!(u16_at(&pair.read(0, client).unwrap().payload, 0), 0x8009);
}

#[test]
fn a_notification_larger_than_the_buffer_comes_in_parts() {
    let (mut pair, client, _) = Pair::up();
    pair.subscribe(0, client, &[9]);
    let first = pair.read_with(0, client, limits(8)).unwrap();
    assert_eq!((first.payload.len(), first.flags), (8, NOTIFICATION));
    let second = pair.read_with(0, client, limits(8)).unwrap();
    let told = (second.payload.len(), second.flags);
    assert_eq!(told, (4, NOTIFICATION | EOR));
}
