//! Channels that begin (RFC 8832 §6).

use core::time::Duration;

use sheave_datachannel::{
    ChannelConfig, ChannelEvent, ChannelState, ClosedReason, Message, OpenError, Origin, Priority,
    Reliability, Role, SendError,
};
use sheave_engine::wire::StreamId;
use sheave_engine::{Delivery, Event, Part};

use crate::world::{A, Setup, Z};

fn chat() -> ChannelConfig {
    ChannelConfig::new("chat")
        .with_protocol("irc")
        .with_priority(Priority::HIGH)
        .with_lifetime(Duration::from_millis(1500))
        .unordered()
}

#[test]
fn a_channel_has_the_same_properties_at_both_ends() {
    let (mut pair, _, there) = Setup::default().opened(A, chat());
    assert_eq!(
        pair.count(Z, |event| *event
            == ChannelEvent::Incoming { channel: there }),
        1
    );
    let channel = pair.channel(Z, there);
    assert_eq!(channel.label(), "chat");
    assert_eq!(channel.protocol(), "irc");
    assert_eq!(channel.priority(), Priority::HIGH);
    assert_eq!(channel.delivery(), Delivery::Unordered);
    let lifetime = Duration::from_millis(1500);
    assert_eq!(channel.reliability(), Reliability::Lifetime(lifetime));
    assert_eq!(channel.origin(), Origin::Peer);
    assert_eq!(channel.state(), ChannelState::Open);
}

#[test]
fn the_client_takes_even_ids_and_the_server_odd_ones() {
    for role in [Role::Client, Role::Server] {
        let mut pair = Setup {
            role,
            ..Setup::default()
        }
        .established();
        let ids = [A, Z].map(|end| [0; 3].map(|_| pair.open(end, chat()).stream().0));
        let (even, odd) = match role {
            Role::Client => (ids[0], ids[1]),
            Role::Server => (ids[1], ids[0]),
        };
        assert_eq!((even, odd), ([0, 2, 4], [1, 3, 5]));
    }
}

#[test]
fn a_channel_that_is_opened_early_waits_for_the_association() {
    let mut pair = Setup::default().connecting();
    let id = pair.open(A, chat());
    let now = pair.now();
    let refused = pair
        .host(A)
        .channels()
        .send(now, id, Message::text("early"));
    assert_eq!(refused, Err(SendError::NotReady(Message::text("early"))));
    pair.run(2);
    assert!(pair.is_open(A, id));
}

#[test]
fn messages_are_sent_before_the_acknowledgement_and_in_order() {
    let mut pair = Setup {
        plain: Some(Z),
        ..Setup::default()
    }
    .established();
    let id = pair.open(A, ChannelConfig::new("fast").unordered());
    pair.send(A, id, Message::text("at once"));
    pair.run(1);
    let received = &pair.host(Z).received;
    let seen: Vec<_> = received
        .iter()
        .map(|received| (received.message.ppid.0, received.message.delivery))
        .collect();
    assert_eq!(seen, [(50, Delivery::Ordered), (51, Delivery::Ordered)]);
    assert!(received.iter().all(|received| received.part == Part::Whole));
}

#[test]
fn messages_are_unordered_after_the_acknowledgement() {
    let mut pair = Setup {
        plain: Some(Z),
        ..Setup::default()
    }
    .established();
    let id = pair.open(A, ChannelConfig::new("fast").unordered());
    pair.run(1);
    pair.send_plain(Z, id.stream().0, 50, Delivery::Ordered, &[2]);
    pair.run(1);
    pair.send(A, id, Message::text("as it comes"));
    pair.run(1);
    let last = pair.host(Z).received.last().unwrap().clone();
    assert_eq!(last.message.delivery, Delivery::Unordered);
}

#[test]
fn a_negotiated_channel_is_open_at_once_and_announced_to_nobody() {
    let mut pair = Setup::default().established();
    let config = ChannelConfig::new("agreed").negotiated(StreamId(77));
    let [here, there] = [A, Z].map(|end| pair.open(end, config.clone()));
    assert!(pair.is_open(A, here));
    pair.send(A, here, Message::text("hello"));
    pair.run(1);
    assert_eq!(pair.messages(Z, there), [Message::text("hello")]);
    assert_eq!(
        pair.count(Z, |event| matches!(event, ChannelEvent::Incoming { .. })),
        0
    );
}

#[test]
fn two_hundred_and_fifty_six_channels_of_each_end_carry_their_own_messages() {
    let mut pair = Setup::default().established();
    let mut all = Vec::new();
    for n in 0..256 {
        for end in [A, Z] {
            all.push((
                end,
                pair.open(end, ChannelConfig::new(format!("{end:?} {n}"))),
            ));
        }
    }
    for (end, id) in &all {
        let text = format!("{end:?} {}", id.stream().0);
        pair.send(*end, *id, Message::text(text));
    }
    pair.run(10);
    for (end, id) in all {
        let there = pair.host(end.other()).channel_at(id.stream()).unwrap();
        let text = format!("{end:?} {}", id.stream().0);
        assert_eq!(pair.messages(end.other(), there), [Message::text(text)]);
    }
    let stats = pair.stats(A);
    assert_eq!(stats.entries()[0], ("dataChannelsOpened", 512));
}

#[test]
fn an_id_that_is_taken_or_none_is_not_given_twice() {
    let mut pair = Setup::default().established();
    pair.open(A, ChannelConfig::new("first"));
    let now = pair.now();
    let mut host = pair.host(A).channels();
    let again = host.open(now, ChannelConfig::new("again").negotiated(StreamId(0)));
    assert_eq!(again, Err(OpenError::InUse));
    let none = host.open(now, ChannelConfig::new("none").negotiated(StreamId(65_535)));
    assert_eq!(none, Err(OpenError::BadId));
    let long = host.open(now, ChannelConfig::new("x".repeat(65_536)));
    assert_eq!(long, Err(OpenError::TooLong));
}

#[test]
fn ids_pass_over_negotiated_ones() {
    let mut pair = Setup::default().established();
    pair.open(A, ChannelConfig::new("agreed").negotiated(StreamId(2)));
    let ids = [0; 3].map(|_| pair.open(A, chat()).stream().0);
    assert_eq!(ids, [0, 4, 6]);
}

#[test]
fn labels_of_64_kib_arrive() {
    let mut setup = Setup::default();
    setup.limits.max_label_bytes = 1 << 17;
    let mut pair = setup.established();
    let label = "l".repeat(65_535);
    let config = ChannelConfig::new(label.clone()).with_protocol("p".repeat(65_535));
    let (_, there) = pair.opened(A, config);
    let channel = pair.channel(Z, there);
    assert_eq!(
        (channel.label(), channel.protocol().len()),
        (&*label, 65_535)
    );
}

#[test]
fn the_end_of_the_association_is_the_end_of_its_channels() {
    let (mut pair, here, there) = Setup::default().opened(A, chat());
    pair.with_endpoint(A, |endpoint, assoc, now| {
        endpoint.assoc(assoc).unwrap().abort(now, "gone".into());
    });
    pair.run(1);
    for (end, id) in [(A, here), (Z, there)] {
        let reason = pair.closed(end, id);
        assert!(
            matches!(reason, Some(ClosedReason::Association(_))),
            "{reason:?}"
        );
        let now = pair.now();
        let mut host = pair.host(end).channels();
        let refused = host.open(now, ChannelConfig::new("late"));
        assert_eq!(refused, Err(OpenError::Ended));
    }
    let events = &pair.host(A).events;
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Closed { .. }))
    );
}
