use sheave::{
    Event, Message, Options, PeerRequests, Reconfiguration, ReconfigurationError, StreamDirection,
    StreamId,
};

use crate::pair::{LONG, Pair, next, quick, within};

fn granting() -> Options {
    Options {
        reconfiguration: Reconfiguration::On(PeerRequests::ALL),
        ..quick()
    }
}

#[test]
fn streams_are_reset_and_messages_go_on() {
    let pair = Pair::new(granting());
    let events = pair.near.events();
    pair.near.send(Message::new(StreamId(1), "old")).unwrap();
    let streams = [StreamId(1)];
    pair.near
        .reset_streams(&streams, StreamDirection::Outgoing)
        .unwrap();
    pair.near.send(Message::new(StreamId(1), "new")).unwrap();
    assert_eq!(next(&pair.far).message.payload, "old");
    assert_eq!(next(&pair.far).message.payload, "new");
    let expected = Event::StreamsReset {
        direction: StreamDirection::Outgoing,
        streams: streams.to_vec(),
    };
    within(
        LONG,
        move || while events.next() != Some(expected.clone()) {},
    );
}

#[test]
fn streams_are_added_and_counted() {
    let pair = Pair::new(granting());
    let before = pair.near.outbound_streams();
    let events = pair.near.events();
    pair.near.add_streams(4, StreamDirection::Outgoing).unwrap();
    let changed = |event: Option<Event>| matches!(event, Some(Event::StreamsChanged { .. }));
    within(LONG, move || while !changed(events.next()) {});
    assert_eq!(pair.near.outbound_streams(), before + 4);
    let message = Message::new(StreamId(before + 3), "on the last");
    pair.near.send(message).unwrap();
    assert_eq!(next(&pair.far).message.payload, "on the last");
    assert_eq!(pair.far.inbound_streams(), before + 4);
}

#[test]
fn what_was_not_chosen_cannot_be_asked_for() {
    let pair = Pair::new(quick());
    assert_eq!(
        pair.near.reset_tsns(),
        Err(ReconfigurationError::Unavailable)
    );
}
