//! RFC 6458 §5: ancillary data.

use sheave_sockets::{Errno, Limits, Style};

use crate::pair::{Pair, address, control, i32_at, limits, sndrcv, u16_at};

const UNORDERED: u16 = 1;
const CTRUNC: i32 = 0x08;

#[test]
fn section_5_3_1_init_sets_the_streams_of_an_association_that_a_message_begins() {
    let mut pair = Pair::new();
    let server = pair.server(Style::OneToMany);
    pair.subscribe(1, server, &[1]);
    let client = pair.socket(0, Style::OneToMany);
    let init = control(0, &[3_u16, 5, 0, 0].map(u16::to_ne_bytes).concat());
    let to = Some(address(1, 5000));
    let bad = [init.clone(), sndrcv(3, 0, 0, 0)].concat();
    assert_eq!(
        pair.send_with(0, client, to, &bad, b"x"),
        Err(Errno::EINVAL)
    );
    pair.send_with(0, client, to, &init, b"x").unwrap();
    pair.settle();
    let up = pair.read(1, server).unwrap().payload;
    assert_eq!((u16_at(&up, 12), u16_at(&up, 14)), (5, 3));
}

#[test]
fn section_5_3_2_sndrcv_describes_a_message_on_both_sides() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.connected();
    pair.subscribe(1, accepted, &[0]);
    let described = sndrcv(7, UNORDERED, 0x0102_0304, 0);
    pair.send_with(0, client, None, &described, b"x").unwrap();
    pair.settle();
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
    let mut pair = Pair::new();
    let (client, accepted) = pair.connected();
    pair.set(1, accepted, 32, &1_i32.to_ne_bytes()).unwrap();
    let mut info = vec![0; 16];
    info[..2].copy_from_slice(&2_u16.to_ne_bytes());
    info[4..8].copy_from_slice(&[9, 8, 7, 6]);
    pair.send_with(0, client, None, &control(2, &info), b"x")
        .unwrap();
    pair.settle();
    let read = pair.read(1, accepted).unwrap().control;
    assert_eq!((i32_at(&read, 0), i32_at(&read, 12)), (44, 3));
    assert_eq!(u16_at(&read, 16), 2);
    assert_eq!(read[24..28], [9, 8, 7, 6]);
}

#[test]
fn sections_5_3_6_and_8_1_30_nxtinfo_describes_the_message_behind() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.connected();
    pair.set(1, accepted, 33, &1_i32.to_ne_bytes()).unwrap();
    pair.send(0, client, b"first").unwrap();
    pair.send_with(0, client, None, &sndrcv(4, 0, 0, 0), b"second one")
        .unwrap();
    pair.settle();
    let first = pair.read(1, accepted).unwrap();
    assert_eq!(
        (i32_at(&first.control, 12), u16_at(&first.control, 16)),
        (4, 4)
    );
    assert_eq!(i32_at(&first.control, 24), 10);
    let second = pair.read(1, accepted).unwrap();
    assert_eq!(
        (&second.payload[..], second.control.len()),
        (&b"second one"[..], 0)
    );
}

#[test]
fn section_5_3_9_more_addresses_of_a_peer_come_beside_its_first_message() {
    let mut pair = Pair::new();
    let server = pair.server(Style::OneToMany);
    let client = pair.socket(0, Style::OneToMany);
    // The first address leads nowhere; the second does.
    let more = control(7, &[192, 0, 2, 2]);
    let nowhere = Some("203.0.113.9:5000".parse().unwrap());
    pair.send_with(0, client, nowhere, &more, b"found").unwrap();
    pair.pass(std::time::Duration::from_secs(30));
    assert_eq!(pair.read(1, server).unwrap().payload, "found");
}

#[test]
fn section_5_2_3_ancillary_data_without_room_is_cut_and_flagged() {
    let mut pair = Pair::new();
    let (client, accepted) = pair.connected();
    pair.subscribe(1, accepted, &[0]);
    pair.send(0, client, b"x").unwrap();
    pair.settle();
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
    let mut pair = Pair::new();
    let (client, _) = pair.connected();
    let mut refused = |control: &[u8]| {
        assert_eq!(
            pair.send_with(0, client, None, control, b"x"),
            Err(Errno::EINVAL)
        );
    };
    refused(&control(1, &[0; 31]));
    refused(&control(99, &[0; 16]));
    refused(&control(3, &[0; 28]));
    // A flag that there is not.
    refused(&sndrcv(0, 0x4000, 0, 0));
    // Longer than the whole.
    let mut long = sndrcv(0, 0, 0, 0);
    long[0] = 200;
    refused(&long);
    // Another level is none of our business.
    let mut other = sndrcv(0, 0, 0, 0);
    other[8] = 1;
    assert_eq!(pair.send_with(0, client, None, &other, b"x"), Ok(1));
}

#[test]
fn a_stream_that_does_not_exist_and_an_empty_message_are_refused() {
    let mut pair = Pair::new();
    let (client, _) = pair.connected();
    assert_eq!(
        pair.send_with(0, client, None, &sndrcv(10, 0, 0, 0), b"x"),
        Err(Errno::EINVAL)
    );
    assert_eq!(
        pair.send_with(0, client, None, &sndrcv(9, 0, 0, 0), b"x"),
        Ok(1)
    );
    assert_eq!(pair.send(0, client, b""), Err(Errno::EINVAL));
}
