use sheave::error::ReconfigurationError;
use sheave::options::{PeerRequests, Reconfiguration};
use sheave::streams::{StreamDirection, StreamScheduler};
use sheave::{Event, Message, Options, StreamId};

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
fn a_reconfiguration_without_the_option_is_refused() {
    let pair = Pair::new(quick());
    assert_eq!(
        pair.near.reset_tsns(),
        Err(ReconfigurationError::Unavailable)
    );
}

#[test]
fn the_scheduler_changes_while_messages_wait() {
    let options = Options {
        send_buffer: 4 << 20,
        receive_buffer: 64 << 10,
        ..quick()
    };
    let pair = Pair::new(options);
    let (bulk, urgent) = (StreamId(1), StreamId(2));
    // More than the receive buffer holds, so that most of it waits here.
    for _ in 0..40 {
        pair.near.send(Message::new(bulk, vec![0; 50_000])).unwrap();
    }
    pair.near.set_stream_priority(bulk, 1).unwrap();
    pair.near.set_stream_scheduler(StreamScheduler::Priority);
    let chosen = pair.near.stream_scheduler();
    assert_eq!(chosen, Some(StreamScheduler::Priority));
    pair.near.send(Message::new(urgent, "now")).unwrap();
    let far = pair.far;
    within(LONG, move || {
        let next = || far.receive_whole(1 << 20).unwrap().unwrap();
        let before = std::iter::repeat_with(next).take_while(|message| message.stream != urgent);
        let before = before.count();
        assert!(before < 10, "{before} of 40 messages came first");
        for _ in before..40 {
            assert_eq!(next().payload.len(), 50_000);
        }
    });
    pair.near.shutdown().unwrap();
    assert_eq!(pair.near.stream_scheduler(), None);
}
