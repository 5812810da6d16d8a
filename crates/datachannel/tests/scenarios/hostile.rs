//! Peers that break the rules of RFC 8831 and RFC 8832, or wear their user out.

use sheave_datachannel::dcep::{Dcep, Open};
use sheave_datachannel::{
    ChannelConfig, ChannelEvent, ClosedReason, DcepError, Fault, Message, Priority, Reliability,
};
use sheave_engine::wire::StreamId;
use sheave_engine::{Delivery, StreamDirection};

use crate::world::{A, Pair, Reading, Setup, Z};

/// A pair whose end A speaks plain SCTP, as DTLS client.
fn hostile() -> Setup {
    Setup {
        plain: Some(A),
        ..Setup::default()
    }
}

fn open(label: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    Dcep::Open(Open {
        delivery: Delivery::Ordered,
        reliability: Reliability::Reliable,
        priority: Priority::NORMAL,
        label,
        protocol: "",
    })
    .write(&mut bytes);
    bytes
}

fn control(pair: &mut Pair, stream: u16, payload: &[u8]) {
    pair.send_plain(A, stream, 50, Delivery::Ordered, payload);
}

/// Resets streams of A, all of those that it sends on if there are none.
fn reset(pair: &mut Pair, streams: &[u16]) {
    let streams: Vec<_> = streams.iter().copied().map(StreamId).collect();
    pair.with_endpoint(A, |endpoint, assoc, now| {
        let mut assoc = endpoint.assoc(assoc).unwrap();
        let outcome = assoc.reset_streams(now, &streams, StreamDirection::Outgoing);
        assert_eq!(outcome, Ok(()));
    });
    pair.run(1);
}

fn refused(stream: u16, fault: Fault) -> ChannelEvent {
    ChannelEvent::Refused {
        stream: StreamId(stream),
        fault,
    }
}

/// Streams that Z has reset, as A was told.
fn resets_of_z(pair: &mut Pair) -> Vec<StreamId> {
    let mut all = Vec::new();
    for event in &pair.host(A).events {
        if let sheave_engine::Event::StreamsReset {
            direction: StreamDirection::Incoming,
            streams,
        } = event
        {
            all.extend(streams.iter().copied());
        }
    }
    all
}

#[test]
fn messages_of_every_wrong_kind_are_refused_by_a_reset() {
    let mut truncated = open("label");
    truncated.pop();
    let mut trailing = open("label");
    trailing.push(0);
    let mut channel_type = open("label");
    channel_type[1] = 3;
    let mut label = open("label");
    label[12] = 0xFF;
    let mut protocol = open("a");
    (protocol[9], protocol[11], protocol[12]) = (0, 1, 0xC0);
    let malformed = [
        (vec![7], DcepError::UnknownType(7)),
        (vec![0], DcepError::UnknownType(0)),
        (vec![2, 2], DcepError::TrailingBytes),
        (vec![3; 11], DcepError::Truncated),
        (truncated, DcepError::Truncated),
        (trailing, DcepError::TrailingBytes),
        (channel_type, DcepError::UnknownChannelType(3)),
        (label, DcepError::LabelNotUtf8),
        (protocol, DcepError::ProtocolNotUtf8),
    ];
    let ordered = Delivery::Ordered;
    let even = (0..).step_by(2).map(|stream| (stream, ordered, 50));
    let malformed = even.zip(malformed.map(|(bytes, error)| (bytes, Fault::Dcep(error))));
    let mine = [
        ((51, ordered, 50), (open("mine"), Fault::WrongParity)),
        (
            (52, Delivery::Unordered, 50),
            (open("swift"), Fault::UnorderedControl),
        ),
        ((54, ordered, 51), (b"anybody?".to_vec(), Fault::NoChannel)),
    ];
    let mut pair = hostile().established();
    let mut streams = Vec::new();
    for ((stream, delivery, ppid), (bytes, fault)) in malformed.chain(mine) {
        // A second message before the reset is refused with the first.
        for _ in 0..2 {
            pair.send_plain(A, stream, ppid, delivery, &bytes);
        }
        pair.run(1);
        let told = refused(stream, fault);
        assert_eq!(pair.count(Z, |event| *event == told), 1, "{told:?}");
        streams.push(StreamId(stream));
    }
    assert_eq!(resets_of_z(&mut pair), streams);
    assert_eq!(pair.host(A).received, []);
}

#[test]
fn a_second_open_or_an_unordered_message_closes_an_ordered_channel() {
    for (delivery, ppid, payload, fault) in [
        (Delivery::Ordered, 50, open("two"), Fault::StreamInUse),
        (Delivery::Unordered, 51, b"jump".to_vec(), Fault::Unordered),
    ] {
        let mut pair = hostile().established();
        control(&mut pair, 0, &open("one"));
        pair.run(1);
        let there = pair.channel_of_z(0);
        pair.send_plain(A, 0, ppid, delivery, &payload);
        pair.run(1);
        reset(&mut pair, &[0]);
        assert_eq!(pair.closed(Z, there), Some(ClosedReason::Fault(fault)));
    }
}

#[test]
fn a_repeated_open_is_ignored() {
    let mut pair = hostile().established();
    control(&mut pair, 0, &open("one"));
    control(&mut pair, 0, &open("one"));
    pair.run(1);
    let there = pair.channel_of_z(0);
    assert_eq!(pair.closed(Z, there), None);
    assert_eq!(resets_of_z(&mut pair), []);
}

#[test]
fn a_refused_stream_can_be_used_after_both_resets() {
    let mut pair = hostile().established();
    pair.send_plain(A, 8, 51, Delivery::Ordered, b"anybody?");
    pair.run(1);
    reset(&mut pair, &[8]);
    control(&mut pair, 8, &open("properly"));
    pair.run(1);
    let there = pair.host(Z).channel_at(StreamId(8));
    assert!(there.is_some());
    let last = pair.host(A).received.last().unwrap().clone();
    assert_eq!(&last.message.payload[..], [2]);
}

#[test]
fn acknowledgements_that_nobody_asked_for_change_nothing() {
    let mut pair = hostile().established();
    control(&mut pair, 0, &open("mine"));
    control(&mut pair, 0, &[2]);
    control(&mut pair, 1, &[2]);
    control(&mut pair, 4, &[2]);
    pair.run(1);
    assert!(pair.host(Z).channel_at(StreamId(0)).is_some());
    assert_eq!(pair.host(Z).log.len(), 1);
    assert_eq!(pair.stats(Z).messages_discarded, 3);
}

#[test]
fn a_channel_that_the_peer_refuses_is_told_apart() {
    let mut pair = hostile().established();
    let id = pair.open(Z, ChannelConfig::new("unwanted"));
    pair.run(1);
    reset(&mut pair, &[1]);
    assert_eq!(pair.closed(Z, id), Some(ClosedReason::Refused));
}

#[test]
fn a_peer_that_never_resets_its_stream_keeps_no_other_channel_from_closing() {
    let mut pair = hostile().established();
    let ids = pair.open_many(Z, 4);
    pair.run(1);
    for id in &ids {
        pair.close(Z, *id);
    }
    pair.run(1);
    assert_eq!(resets_of_z(&mut pair).len(), 4);
    reset(&mut pair, &[5]);
    assert_eq!(pair.closed(Z, ids[2]), Some(ClosedReason::Local));
    assert_eq!(pair.closed(Z, ids[0]), None);
}

#[test]
fn labels_of_64_kib_are_taken_up_to_a_limit() {
    let mut setup = hostile();
    setup.limits.max_label_bytes = 200_000;
    let mut pair = setup.established();
    let label = "l".repeat(65_535);
    for n in 0..10 {
        control(&mut pair, n * 2, &open(&label));
        pair.run(1);
    }
    let count = pair.channel_count(Z);
    assert_eq!(count, 3);
    let refusals = pair.count(Z, |event| {
        matches!(
            event,
            ChannelEvent::Refused {
                fault: Fault::TooManyLabels,
                ..
            }
        )
    });
    assert_eq!(refusals, 7);
}

#[test]
fn channels_are_taken_up_to_a_limit() {
    let mut setup = hostile();
    setup.limits.max_channels = 100;
    let mut pair = setup.established();
    for n in 0..1000 {
        control(&mut pair, n * 2, &open("one more"));
        if n % 50 == 0 {
            pair.run(1);
        }
    }
    pair.run(5);
    let count = pair.channel_count(Z);
    assert_eq!(count, 100);
    assert_eq!(resets_of_z(&mut pair).len(), 900);
}

#[test]
fn every_stream_that_there_is_may_be_opened_and_dropped() {
    let mut pair = hostile().established();
    for first in (0..65_534_u16).step_by(512) {
        let streams: Vec<u16> = (first..=first.saturating_add(511).min(65_534))
            .step_by(2)
            .collect();
        for stream in &streams {
            control(&mut pair, *stream, &open("x"));
        }
        pair.run(1);
        reset(&mut pair, &streams);
        pair.run(1);
        assert_eq!(pair.channel_count(Z), 0);
    }
    let stats = pair.stats(Z);
    assert_eq!(stats.data_channels_opened, 32_768);
    assert_eq!(stats.data_channels_closed, 32_768);
}

#[test]
fn resets_of_everything_over_and_over_do_no_harm() {
    let mut pair = hostile().established();
    for round in 0..50 {
        for n in 0..20 {
            control(&mut pair, n * 2, &open(&format!("{round}")));
        }
        // No streams are all streams.
        reset(&mut pair, &[]);
        pair.run(1);
    }
    assert_eq!(pair.channel_count(Z), 0);
    let opened = pair.count(Z, |event| matches!(event, ChannelEvent::Incoming { .. }));
    assert_eq!(opened, 1000);
}

#[test]
fn a_peer_that_never_reads_stops_nothing_but_itself() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("data"));
    pair.set_reading(Z, Reading::Stopped);
    for _ in 0..100 {
        pair.send(A, here, Message::binary(vec![7; 60_000]));
    }
    pair.run(60);
    let held = pair.host(A).channels().buffered(here);
    assert!(held <= 3 << 20, "{held} bytes are held");
    assert!(!pair.host(A).outbox.is_empty());
    let there = pair.host(Z).assoc;
    assert!(there.is_some_and(|id| pair.host(Z).endpoint.assoc(id).is_some()));
}
