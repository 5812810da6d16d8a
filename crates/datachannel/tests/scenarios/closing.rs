//! Channels that end (RFC 8831 §6.7).

use sheave_datachannel::{
    ChannelConfig, ChannelEvent, ChannelState, ClosedReason, Message, SendError,
};
use sheave_engine::wire::StreamId;
use sheave_engine::{Event, Reconfiguration, ReconfigurationFailure};

use crate::world::{A, End, Pair, Reading, Setup, Z};

fn resets(pair: &mut Pair, end: End) -> usize {
    let events = pair.host(end).events.iter();
    events
        .filter(|event| matches!(event, Event::StreamsReset { .. }))
        .count()
}

#[test]
fn a_channel_is_closed_at_both_ends() {
    let (mut pair, here, there) = Setup::default().opened(A, ChannelConfig::new("short"));
    pair.close(A, here);
    assert_eq!(pair.channel(A, here).state(), ChannelState::Closing);
    pair.run(2);
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Peer));
    for end in [A, Z] {
        assert_eq!(resets(&mut pair, end), 2);
        let stats = pair.stats(end);
        assert_eq!(stats.entries()[1], ("dataChannelsClosed", 1));
    }
}

#[test]
fn the_end_that_did_not_open_a_channel_closes_it_as_well() {
    let (mut pair, here, there) = Setup::default().opened(A, ChannelConfig::new("short"));
    pair.close(Z, there);
    pair.run(2);
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Local));
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Peer));
    let closing = ChannelEvent::Closing { channel: here };
    assert_eq!(pair.count(A, |event| *event == closing), 1);
}

#[test]
fn messages_that_wait_for_a_reader_are_read_before_the_end() {
    let (mut pair, here, there) = Setup::default().opened(A, ChannelConfig::new("slow"));
    pair.set_reading(Z, Reading::Stopped);
    pair.send(A, here, Message::text("last words"));
    pair.close(A, here);
    pair.run(5);
    assert_eq!(pair.closed(A, here), None);
    pair.set_reading(Z, Reading::Eager);
    pair.run(5);
    assert_eq!(pair.messages(Z, there), [Message::text("last words")]);
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Peer));
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
}

#[test]
fn a_channel_that_begins_and_ends_unread_is_read_all_the_same() {
    let mut pair = Setup::default().established();
    pair.set_reading(Z, Reading::Stopped);
    for round in 0..3 {
        let id = pair.open(A, ChannelConfig::new("brief"));
        pair.send(A, id, Message::text(format!("{round}")));
        pair.close(A, id);
        pair.run(2);
    }
    pair.set_reading(Z, Reading::Eager);
    pair.run(5);
    let texts: Vec<_> = pair
        .host(Z)
        .log
        .iter()
        .filter_map(|event| match event {
            ChannelEvent::Message { message, .. } => message.as_text().map(str::to_owned),
            _ => None,
        })
        .collect();
    assert_eq!(texts, ["0", "1", "2"]);
    for end in [A, Z] {
        assert_eq!(pair.channel_count(end), 0);
    }
}

#[test]
fn an_id_that_the_peer_uses_again_before_its_reset_is_read_is_a_new_channel() {
    let (mut pair, first, there) = Setup::default().opened(A, ChannelConfig::new("first"));
    pair.set_reading(Z, Reading::Stopped);
    pair.send(A, first, Message::text("old"));
    pair.run(1);
    pair.close(Z, there);
    pair.run(2);
    assert_eq!(pair.closed(A, first), Some(ClosedReason::Peer));
    let second = pair.open(A, ChannelConfig::new("second"));
    assert_eq!(second.stream(), first.stream());
    pair.send(A, second, Message::text("new"));
    pair.run(2);
    pair.set_reading(Z, Reading::Eager);
    pair.run(2);
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Local));
    let there = pair.host(Z).channel_at(second.stream()).unwrap();
    assert_eq!(pair.messages(Z, there), [Message::text("new")]);
}

#[test]
fn messages_that_come_after_closing_are_dropped() {
    let (mut pair, here, there) = Setup::default().opened(A, ChannelConfig::new("deaf"));
    pair.close(A, here);
    pair.send(Z, there, Message::text("too late"));
    pair.run(2);
    assert_eq!(pair.messages(A, here), []);
    assert_eq!(pair.stats(A).messages_discarded, 1);
}

#[test]
fn both_ends_may_close_at_the_same_time() {
    let (mut pair, here, there) = Setup::default().opened(A, ChannelConfig::new("mutual"));
    pair.close(A, here);
    pair.close(Z, there);
    pair.run(2);
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
    assert_eq!(pair.closed(Z, there), Some(ClosedReason::Local));
}

#[test]
fn an_id_is_used_again_once_both_ends_have_reset_its_stream() {
    let (mut pair, first, _) = Setup::default().opened(A, ChannelConfig::new("first"));
    pair.close(A, first);
    let meanwhile = pair.open(A, ChannelConfig::new("meanwhile"));
    assert_eq!(meanwhile.stream(), StreamId(2));
    pair.run(2);
    let (again, there) = pair.opened(A, ChannelConfig::new("again"));
    assert_eq!(again.stream(), StreamId(0));
    assert_ne!(again, first);
    pair.send(A, again, Message::text("new"));
    pair.send(A, first, Message::text("stale"));
    pair.run(1);
    assert_eq!(pair.messages(Z, there), [Message::text("new")]);
    assert_eq!(pair.host(A).errors, [SendError::NoChannel]);
}

#[test]
fn many_closings_are_batched_and_none_is_lost() {
    let mut pair = Setup::default().lossy(0.01).established();
    let ids = pair.open_many(A, 600);
    pair.run(10);
    for id in &ids {
        pair.close(A, *id);
    }
    pair.run(30);
    for id in &ids {
        assert_eq!(pair.closed(A, *id), Some(ClosedReason::Local));
    }
    assert_eq!(pair.channel_count(Z), 0);
    let resets = resets(&mut pair, Z);
    assert!(resets < 40, "{resets} resets");
}

#[test]
fn a_channel_that_nobody_knows_of_is_closed_at_once() {
    let mut pair = Setup::default().connecting();
    let id = pair.open(A, ChannelConfig::new("never"));
    pair.close(A, id);
    assert_eq!(pair.closed(A, id), Some(ClosedReason::Local));
    pair.run(2);
    assert_eq!(pair.host(Z).log, []);
}

#[test]
fn without_stream_resets_a_channel_ends_here_and_its_id_is_spent() {
    let mut setup = Setup::default();
    setup.z.reconfiguration = Reconfiguration::Off;
    let mut pair = setup.established();
    let (here, there) = pair.opened(A, ChannelConfig::new("once"));
    pair.close(A, here);
    pair.run(2);
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
    assert_eq!(pair.closed(Z, there), None);
    assert_eq!(pair.next_id(A), StreamId(2));
}

#[test]
fn a_negotiated_channel_is_closed_and_opened_again() {
    let mut pair = Setup::default().established();
    let config = ChannelConfig::new("agreed").negotiated(StreamId(7));
    for round in 0..3 {
        let [here, there] = [A, Z].map(|end| pair.open(end, config.clone()));
        pair.send(Z, there, Message::text(format!("{round}")));
        pair.run(2);
        assert_eq!(pair.messages(A, here), [Message::text(format!("{round}"))]);
        pair.close(A, here);
        pair.run(2);
        assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
        assert_eq!(pair.closed(Z, there), Some(ClosedReason::Peer));
    }
}

#[test]
fn a_busy_peer_is_asked_again() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("patient"));
    pair.close(A, here);
    tell(&mut pair, failed(ReconfigurationFailure::PeerBusy));
    pair.run(5);
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
    assert_eq!(pair.next_id(A), StreamId(0));
}

#[test]
fn a_peer_that_denies_a_reset_costs_the_id() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("denied"));
    pair.close(A, here);
    tell(&mut pair, failed(ReconfigurationFailure::Denied));
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Local));
    assert_eq!(pair.next_id(A), StreamId(2));
}

#[test]
fn a_restart_of_the_peer_ends_every_channel() {
    let (mut pair, here, _) = Setup::default().opened(A, ChannelConfig::new("one"));
    let waiting = pair.open(A, ChannelConfig::new("two"));
    tell(&mut pair, Event::Restarted);
    assert_eq!(pair.closed(A, here), Some(ClosedReason::Restarted));
    assert_eq!(pair.closed(A, waiting), Some(ClosedReason::Restarted));
    assert_eq!(pair.channel_count(A), 0);
}

#[test]
fn messages_of_before_a_restart_are_dropped() {
    let (mut pair, _, there) = Setup::default().opened(Z, ChannelConfig::new("one"));
    pair.set_reading(A, Reading::Stopped);
    let sender = pair.host(Z).channel_at(there.stream()).unwrap();
    pair.send(Z, sender, Message::text("old"));
    pair.run(1);
    tell(&mut pair, Event::Restarted);
    pair.set_reading(A, Reading::Eager);
    assert_eq!(pair.closed(A, there), Some(ClosedReason::Restarted));
    assert_eq!(pair.messages(A, there), []);
    let stats = pair.stats(A);
    assert_eq!((stats.messages_discarded, stats.faults), (1, 0));
}

fn failed(failure: ReconfigurationFailure) -> Event {
    Event::ReconfigurationFailed { failure }
}

/// Tells the channels of A of an event that the engine would have.
fn tell(pair: &mut Pair, event: Event) {
    let now = pair.now();
    let host = pair.host(A);
    let channels = host.channels();
    channels
        .channels
        .handle_event(now, channels.endpoint, event);
    host.pump(now);
}
