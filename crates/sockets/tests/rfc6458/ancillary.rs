//! RFC 6458 §5: ancillary data.

use std::time::Duration;

use sheave_engine::Time;
use sheave_sockets::{Errno, Incoming, Limits, SocketId, Style};

use crate::pair::{Pair, SOCKET, address, control, i32_at, limits, sndrcv, u16_at};

const UNORDERED: u16 = 1;
const CTRUNC: i32 = 0x08;

#[test]
fn section_5_3_1_init_sets_the_streams_of_an_association_that_a_message_begins() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    pair.subscribe(1, server, &[1]);
    let client = pair.socket(0, Style::OneToMany);
    let init = control(0, &[3_u16, 5, 0, 0].map(u16::to_ne_bytes).concat());
    let to = Some(address(1, 5000));
    let bad = [init.clone(), sndrcv(3, 0, 0, 0)].concat();
    let sent = pair.send_with(0, client, to, &bad, b"x");
    assert_eq!(sent, Err(Errno::EINVAL));
    pair.deliver_with(0, client, to, &init, b"x");
    let up = pair.read(1, server).unwrap().payload;
    assert_eq!((u16_at(&up, 12), u16_at(&up, 14)), (5, 3));
}

#[test]
fn section_5_3_2_sndrcv_describes_a_message_on_both_sides() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(1, accepted, &[0]);
    let described = sndrcv(7, UNORDERED, 0x0102_0304, 0);
    pair.deliver_with(0, client, None, &described, b"x");
    let control = pair.read(1, accepted).unwrap().control;
    assert_eq!(
        (
            i32_at(&control, 0),
            i32_at(&control, 8),
            i32_at(&control, 12)
        ),
        (48, 132, 1)
    );
    let body = &control[16..];
    assert_eq!((u16_at(body, 0), u16_at(body, 4)), (7, UNORDERED));
    assert_eq!(body[8..12], [1, 2, 3, 4]);
}

#[test]
fn sections_5_3_4_and_5_3_5_and_8_1_29_sndinfo_goes_in_and_rcvinfo_comes_out() {
    let (mut pair, client, accepted) = Pair::up();
    pair.set(1, accepted, 32, &1_i32.to_ne_bytes()).unwrap();
    let mut info = vec![0; 16];
    info[..2].copy_from_slice(&2_u16.to_ne_bytes());
    info[4..8].copy_from_slice(&[9, 8, 7, 6]);
    pair.deliver_with(0, client, None, &control(2, &info), b"x");
    let read = pair.read(1, accepted).unwrap().control;
    assert_eq!((i32_at(&read, 0), i32_at(&read, 12)), (44, 3));
    assert_eq!(u16_at(&read, 16), 2);
    assert_eq!(read[24..28], [9, 8, 7, 6]);
}

#[test]
fn sections_5_3_6_and_8_1_30_nxtinfo_describes_the_message_behind() {
    let (mut pair, client, accepted) = Pair::up();
    pair.set(1, accepted, 33, &1_i32.to_ne_bytes()).unwrap();
    pair.send(0, client, b"first").unwrap();
    pair.deliver_with(0, client, None, &sndrcv(4, 0, 0, 0), b"second one");
    let first = pair.read(1, accepted).unwrap();
    let told = (i32_at(&first.control, 12), u16_at(&first.control, 16));
    assert_eq!(told, (4, 4));
    assert_eq!(i32_at(&first.control, 24), 10);
    let second = pair.read(1, accepted).unwrap();
    let told = (&second.payload[..], second.control.len());
    assert_eq!(told, (&b"second one"[..], 0));
}

#[test]
fn section_5_3_9_more_addresses_of_a_peer_come_beside_its_first_message() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    let client = pair.socket(0, Style::OneToMany);
    // The first address is unreachable; the second is reachable.
    let more = control(7, &[192, 0, 2, 2]);
    let nowhere = Some("203.0.113.9:5000".parse().unwrap());
    pair.send_with(0, client, nowhere, &more, b"found").unwrap();
    pair.pass(Duration::from_secs(30));
    assert_eq!(pair.read(1, server).unwrap().payload, "found");
}

#[test]
fn section_5_2_3_ancillary_data_without_room_is_cut_and_flagged() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(1, accepted, &[0]);
    pair.deliver(0, client, b"x");
    let read = pair
        .read_with(
            1,
            accepted,
            Limits {
                control: 40,
                ..limits(10)
            },
        )
        .unwrap();
    assert_eq!((read.control.len(), read.flags & CTRUNC), (40, CTRUNC));
    assert_eq!(i32_at(&read.control, 0), 40);
}

#[test]
fn section_5_1_malformed_ancillary_data_is_refused() {
    let (mut pair, client, _) = Pair::up();
    let mut refused = |control: &[u8]| {
        let sent = pair.send_with(0, client, None, control, b"x");
        assert_eq!(sent, Err(Errno::EINVAL));
    };
    refused(&control(1, &[0; 31]));
    refused(&control(99, &[0; 16]));
    refused(&control(3, &[0; 28]));
    // An undefined flag.
    refused(&sndrcv(0, 0x4000, 0, 0));
    // Longer than the buffer.
    let mut long = sndrcv(0, 0, 0, 0);
    long[0] = 200;
    refused(&long);
    // Other levels are ignored.
    let mut other = sndrcv(0, 0, 0, 0);
    other[8] = 1;
    assert_eq!(pair.send_with(0, client, None, &other, b"x"), Ok(1));
}

#[test]
fn a_stream_that_does_not_exist_and_an_empty_message_are_refused() {
    let (mut pair, client, _) = Pair::up();
    let sent = pair.send_with(0, client, None, &sndrcv(10, 0, 0, 0), b"x");
    assert_eq!(sent, Err(Errno::EINVAL));
    let sent = pair.send_with(0, client, None, &sndrcv(9, 0, 0, 0), b"x");
    assert_eq!(sent, Ok(1));
    assert_eq!(pair.send(0, client, b""), Err(Errno::EINVAL));
}

const TIMESTAMP: i32 = 29;
const TIMESTAMP_NS: i32 = 35;
const TIMESTAMP_NEW: i32 = 63;
const TIMESTAMP_NS_NEW: i32 = 64;
const TIMESTAMPS: [i32; 4] = [TIMESTAMP, TIMESTAMP_NS, TIMESTAMP_NEW, TIMESTAMP_NS_NEW];
/// Wall-clock time at the start.
const EPOCH: Duration = Duration::new(1_700_000_000, 123_456_789);

impl Pair {
    /// Connects sockets; the second reports arrival times of messages.
    fn timed(&mut self, option: i32) -> (SocketId, SocketId) {
        let (client, accepted) = self.connected();
        self.ends[1].set_wall_clock(Time::ZERO, EPOCH);
        self.ask_for_times(accepted, option, 1).unwrap();
        (client, accepted)
    }

    fn ask_for_times(&mut self, id: SocketId, option: i32, on: i32) -> Result<(), Errno> {
        self.set_socket(1, id, option, &on.to_ne_bytes())
    }

    /// Reads `count` messages, the first sent at `began` and each later one a second after the
    /// previous.
    fn expect_a_second_apart(&mut self, id: SocketId, began: Time, count: u64) {
        let arrival = EPOCH + began.since(Time::ZERO) + Duration::from_millis(5);
        for second in 0..count {
            let read = self.read(1, id).unwrap();
            assert_eq!(first_control(&read).1[0], arrival.as_secs() + second);
        }
    }

    fn shown(&mut self, id: SocketId) -> [i32; 4] {
        TIMESTAMPS.map(|option| {
            let value = self.get_socket(1, id, option, &[0; 4]);
            i32_at(&value.unwrap(), 0)
        })
    }
}

/// Length, level, type and the two values of the first control message.
fn first_control(read: &Incoming) -> ([i32; 3], [u64; 2]) {
    let control = &read.control;
    let eight = |at: usize| u64::from_ne_bytes(control[at..at + 8].try_into().unwrap());
    let header = [0, 8, 12].map(|at| i32_at(control, at));
    (header, [eight(16), eight(24)])
}

#[test]
fn a_message_comes_with_the_time_of_its_arrival_in_the_form_that_was_asked_for() {
    for option in TIMESTAMPS {
        let mut pair = Pair::new();
        let (client, accepted) = pair.timed(option);
        let sent = pair.now;
        pair.deliver(0, client, b"x");
        let read = pair.read(1, accepted).unwrap();
        // The link delays by 5 ms.
        let time = EPOCH + sent.since(Time::ZERO) + Duration::from_millis(5);
        let fraction = match option {
            TIMESTAMP | TIMESTAMP_NEW => time.subsec_micros(),
            _ => time.subsec_nanos(),
        };
        assert_eq!(
            first_control(&read),
            ([32, SOCKET, option], [time.as_secs(), fraction.into()])
        );
        assert_eq!(read.control.len(), 32);
    }
}

#[test]
fn messages_that_wait_keep_the_times_of_their_arrival() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.timed(TIMESTAMP_NS);
    let began = pair.now;
    for _ in 0..3 {
        pair.deliver(0, client, b"x");
    }
    pair.expect_a_second_apart(accepted, began, 3);
}

#[test]
fn messages_of_an_association_that_has_ended_keep_the_times_of_their_arrival() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.timed(TIMESTAMP_NS);
    let began = pair.now;
    pair.deliver(0, client, b"x");
    pair.deliver(0, client, b"y");
    pair.close(0, client);
    pair.pass(Duration::from_secs(10));
    pair.expect_a_second_apart(accepted, began, 2);
}

#[test]
fn times_precede_the_description_of_a_message_and_end_when_they_are_turned_off() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.timed(TIMESTAMP);
    pair.subscribe(1, accepted, &[0]);
    pair.send(0, client, b"x").unwrap();
    pair.deliver(0, client, b"y");
    let control = pair.read(1, accepted).unwrap().control;
    assert_eq!([12, 44].map(|at| i32_at(&control, at)), [TIMESTAMP, 1]);
    pair.ask_for_times(accepted, TIMESTAMP_NS_NEW, 0).unwrap();
    let control = pair.read(1, accepted).unwrap().control;
    assert_eq!((control.len(), i32_at(&control, 12)), (48, 1));
}

#[test]
fn a_notification_comes_with_the_time_at_which_it_is_read() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.timed(TIMESTAMP_NS);
    pair.subscribe(1, accepted, &[5]);
    pair.close(0, client);
    pair.pass(Duration::from_secs(7));
    let read = pair.read(1, accepted).unwrap();
    let now = EPOCH + pair.now.since(Time::ZERO);
    assert_eq!(first_control(&read).1[0], now.as_secs());
}

#[test]
fn the_option_for_times_that_was_set_last_holds() {
    let (mut pair, _, accepted) = Pair::up();
    assert_eq!(pair.shown(accepted), [0, 0, 0, 0]);
    let mut set = |option, on| {
        pair.ask_for_times(accepted, option, on).unwrap();
        pair.shown(accepted)
    };
    assert_eq!(set(TIMESTAMP, 1), [1, 0, 0, 0]);
    assert_eq!(set(TIMESTAMP_NS, 5), [0, 1, 0, 0]);
    assert_eq!(set(TIMESTAMP_NEW, 1), [0, 0, 1, 0]);
    // As in Linux.
    assert_eq!(set(TIMESTAMP_NS_NEW, 1), [0, 0, 1, 1]);
    assert_eq!(set(TIMESTAMP, 0), [0, 0, 0, 0]);
}
