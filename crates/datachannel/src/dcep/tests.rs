use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::time::Duration;

use proptest::prelude::*;
use sheave_engine::Delivery;

use super::{Dcep, DcepError, Open, counted};
use crate::{Priority, Reliability};

/// An OPEN in bytes: unordered, 3893 ms, priority 255, label "foo", protocol "bar".
const OPEN: &[u8] = &[
    0x03, 0x82, 0x00, 0xFF, 0x00, 0x00, 0x0F, 0x35, 0x00, 0x03, 0x00, 0x03, b'f', b'o', b'o', b'b',
    b'a', b'r',
];

fn foobar() -> Open<'static> {
    Open {
        delivery: Delivery::Unordered,
        reliability: Reliability::Lifetime(Duration::from_millis(3893)),
        priority: Priority(255),
        label: "foo",
        protocol: "bar",
    }
}

fn written(dcep: Dcep<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    dcep.write(&mut bytes);
    bytes
}

/// The bytes of an OPEN with another channel type.
fn of_type(channel_type: u8) -> Vec<u8> {
    let mut bytes = OPEN.to_vec();
    bytes[1] = channel_type;
    bytes
}

#[test]
fn an_open_is_these_bytes() {
    assert_eq!(Dcep::parse(OPEN), Ok(Dcep::Open(foobar())));
    assert_eq!(written(Dcep::Open(foobar())), OPEN);
}

#[test]
fn an_ack_is_one_byte() {
    for bytes in [&[2][..], &[2, 0, 0, 0]] {
        assert_eq!(Dcep::parse(bytes), Ok(Dcep::Ack));
    }
    assert_eq!(written(Dcep::Ack), [2]);
}

#[test]
fn the_six_channel_types_are_known_and_no_others() {
    let known = [0x00, 0x01, 0x02, 0x80, 0x81, 0x82];
    for channel_type in 0..=u8::MAX {
        let bytes = of_type(channel_type);
        let parsed = Dcep::parse(&bytes);
        match known.contains(&channel_type) {
            true => assert!(parsed.is_ok(), "{channel_type:#x}"),
            false => assert_eq!(parsed, Err(DcepError::UnknownChannelType(channel_type))),
        }
    }
}

#[test]
fn the_parameter_of_a_reliable_channel_is_ignored_and_written_as_0() {
    let bytes = of_type(0);
    let parsed = Dcep::parse(&bytes).unwrap();
    let Dcep::Open(open) = parsed else {
        panic!("{parsed:?}");
    };
    assert_eq!(open.reliability, Reliability::Reliable);
    assert_eq!(written(parsed)[4..8], [0; 4]);
}

#[test]
fn every_other_message_type_is_unknown() {
    for message_type in (0..=u8::MAX).filter(|found| ![2, 3].contains(found)) {
        let mut bytes = OPEN.to_vec();
        bytes[0] = message_type;
        let unknown = Err(DcepError::UnknownType(message_type));
        assert_eq!(Dcep::parse(&bytes), unknown);
    }
}

#[test]
fn an_open_that_is_cut_anywhere_is_refused() {
    assert_eq!(Dcep::parse(&[]), Err(DcepError::Empty));
    for len in 1..OPEN.len() {
        assert_eq!(Dcep::parse(&OPEN[..len]), Err(DcepError::Truncated));
    }
}

#[test]
fn lengths_beyond_the_message_are_refused() {
    for place in [8, 10] {
        let mut bytes = OPEN.to_vec();
        bytes[place] = 0xFF;
        assert_eq!(Dcep::parse(&bytes), Err(DcepError::Truncated));
    }
}

#[test]
fn a_label_too_long_to_count_is_cut_at_a_character() {
    let text = "x".repeat(65_534) + "ö";
    assert_eq!(counted(&text).0, 65_534);
}

fn reliability() -> impl Strategy<Value = Reliability> {
    prop_oneof![
        Just(Reliability::Reliable),
        any::<u32>().prop_map(Reliability::Retransmissions),
        any::<u32>().prop_map(|millis| Reliability::Lifetime(Duration::from_millis(millis.into()))),
    ]
}

proptest! {
    #[test]
    fn written_values_are_read_again(
        unordered: bool,
        reliability in reliability(),
        priority: u16,
        label: String,
        protocol: String,
    ) {
        let delivery = if unordered { Delivery::Unordered } else { Delivery::Ordered };
        let open = Open {
            delivery,
            reliability,
            priority: Priority(priority),
            label: &label,
            protocol: &protocol,
        };
        let bytes = written(Dcep::Open(open));
        prop_assert_eq!(Dcep::parse(&bytes), Ok(Dcep::Open(open)));
    }

    #[test]
    fn whatever_is_read_is_written_as_it_was(
        bytes in prop::collection::vec(any::<u8>(), 0..40),
        channel_type in prop::sample::select(vec![0_u8, 1, 2, 0x80, 0x81, 0x82]),
        lens in (0_u8..12, 0_u8..12),
    ) {
        let mut bytes = bytes;
        if bytes.len() >= 12 {
            bytes[..2].copy_from_slice(&[3, channel_type]);
            bytes[8..12].copy_from_slice(&[0, lens.0, 0, lens.1]);
        }
        if let Ok(dcep) = Dcep::parse(&bytes) {
            let mut expected = bytes.clone();
            if channel_type & 0x7F == 0 && bytes.len() >= 12 {
                expected[4..8].fill(0);
            }
            prop_assert_eq!(written(dcep), expected);
        }
    }
}
