//! Streams that are added for channels (RFC 8831 §6.2, RFC 6525 §5.1.5).

use sheave_datachannel::{ChannelConfig, ClosedReason, Message, SendError};
use sheave_engine::Reconfiguration;
use sheave_engine::wire::StreamId;

use crate::world::{A, Setup, Z};

/// Both ends begin with four streams each way.
fn narrow() -> Setup {
    let mut setup = Setup::default();
    (setup.a.outbound_streams, setup.z.outbound_streams) = (4, 4);
    setup
}

#[test]
fn streams_are_added_where_channels_need_more() {
    let mut pair = narrow().established();
    let ids = pair.open_many(A, 40);
    pair.run(10);
    for id in ids {
        assert!(pair.is_open(A, id));
    }
    let streams = [A, Z].map(|end| {
        pair.with_endpoint(end, |endpoint, assoc, _| {
            endpoint.assoc(assoc).unwrap().stats().outbound_streams
        })
    });
    // The end that only acknowledges asks for no more than it must, doubled.
    assert!(
        streams.iter().all(|streams| (79..=160).contains(streams)),
        "{streams:?}"
    );
}

#[test]
fn a_peer_that_grants_few_streams_gets_as_many_channels() {
    let mut setup = narrow();
    setup.z.max_inbound_streams = 7;
    let mut pair = setup.established();
    let ids = pair.open_many(A, 3);
    pair.run(5);
    for id in ids {
        assert!(pair.is_open(A, id));
    }
    let fourth = pair.open(A, ChannelConfig::new("3"));
    pair.run(5);
    assert!(pair.is_open(A, fourth));
    let fifth = pair.open(A, ChannelConfig::new("4"));
    pair.run(5);
    assert_eq!(pair.closed(A, fifth), Some(ClosedReason::Unannounced));
}

#[test]
fn a_peer_that_grants_no_streams_leaves_the_other_channels_alone() {
    let mut setup = narrow();
    setup.z.reconfiguration = Reconfiguration::Off;
    let mut pair = setup.established();
    let (first, there) = pair.opened(A, ChannelConfig::new("0"));
    pair.opened(A, ChannelConfig::new("1"));
    let third = pair.open(A, ChannelConfig::new("2"));
    pair.run(5);
    assert_eq!(pair.closed(A, third), Some(ClosedReason::Unannounced));
    pair.send(A, first, Message::text("still here"));
    pair.run(1);
    assert_eq!(pair.messages(Z, there), [Message::text("still here")]);
}

#[test]
fn a_channel_that_waits_for_a_stream_does_not_cost_the_one_below() {
    let mut setup = narrow();
    setup.z.max_inbound_streams = 7;
    let mut pair = setup.established();
    let ids = pair.open_many(A, 6);
    pair.run(10);
    for id in &ids[..4] {
        assert!(pair.is_open(A, *id));
    }
    for id in &ids[4..] {
        assert_eq!(pair.closed(A, *id), Some(ClosedReason::Unannounced));
    }
}

#[test]
fn a_channel_is_closed_before_its_stream_is_there() {
    let mut pair = narrow().established();
    let (last, now) = (pair.open_many(A, 10)[9], pair.now());
    // The other end has got the announcement, and has no stream for the acknowledgement.
    while pair.host(Z).channel_at(last.stream()).is_none() {
        pair.run_ms(1);
    }
    let there = pair.host(Z).channel_at(last.stream()).unwrap();
    let refused = pair
        .host(Z)
        .channels()
        .send(now, there, Message::text("early"));
    assert_eq!(refused, Err(SendError::NotReady(Message::text("early"))));
    pair.close(Z, there);
    pair.run(5);
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Local));
    assert_eq!(pair.closed(A, last), Some(ClosedReason::Refused));
}

/// A negotiated channel on a stream that has to be asked for.
fn far_away() -> ChannelConfig {
    ChannelConfig::new("agreed").negotiated(StreamId(60))
}

#[test]
fn a_negotiated_channel_that_is_closed_before_it_has_a_stream_ends_at_both_ends() {
    let mut pair = narrow().established();
    let [here, there] = [A, Z].map(|end| pair.open(end, far_away()));
    pair.close(A, here);
    pair.run(5);
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Peer));
    for end in [A, Z] {
        pair.open(end, far_away());
    }
}

#[test]
fn a_negotiated_channel_can_be_closed_before_the_peer_has_a_stream_for_it() {
    let mut pair = narrow().established();
    let here = pair.open(A, far_away());
    pair.run(5);
    pair.close(A, here);
    let there = pair.open(Z, far_away());
    pair.run(5);
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Peer));
}

#[test]
fn a_negotiated_channel_that_was_never_used_can_be_opened_again_at_once() {
    let mut pair = narrow().established();
    let [first, there] = [A, Z].map(|end| pair.open(end, far_away()));
    pair.close(A, first);
    let second = pair.open(A, far_away());
    pair.run(5);
    pair.send(A, second, Message::text("hello"));
    pair.run(1);
    assert_eq!(pair.messages(Z, there), [Message::text("hello")]);
    assert_eq!(pair.closed(Z, there), None);
}
