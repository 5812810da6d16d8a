use core::time::Duration;

use sheave::events::SendFailure;
use sheave::options::PartialReliability;
use sheave::stats::Policy;
use sheave::{Event, Message, Options, SendOptions, StreamId};

use crate::pair::{LONG, Pair, next, quick, within};

fn partial() -> Options {
    Options {
        partial_reliability: PartialReliability::On,
        receive_buffer: 16_384,
        ..quick()
    }
}

#[test]
fn a_message_that_grows_stale_behind_a_slow_reader_is_given_up_and_told() {
    let pair = Pair::new(partial());
    assert_eq!(pair.near.partial_reliability(), PartialReliability::On);
    let events = pair.near.events();
    let large = vec![7; 100_000];
    pair.near
        .send(Message::new(StreamId(0), large.clone()))
        .unwrap();
    let stale = Message::new(StreamId(1), "stale");
    let options = SendOptions::default().with_lifetime(Duration::from_millis(50));
    pair.near.send_with(stale.clone(), options).unwrap();
    let expected = Event::Abandoned {
        message: stale,
        context: 0,
        policy: Policy::Timed,
        failure: SendFailure::Unsent,
    };
    within(
        LONG,
        move || while events.next() != Some(expected.clone()) {},
    );
    assert_eq!(pair.near.abandonments(Policy::Timed).unsent, 1);
    assert_eq!(
        pair.near
            .abandonments_on(StreamId(1), Policy::Timed)
            .total(),
        1
    );
    pair.near.send(Message::new(StreamId(1), "fresh")).unwrap();
    let mut read = 0;
    while read < large.len() {
        read += next(&pair.far).message.payload.len();
    }
    assert_eq!(next(&pair.far).message.payload, "fresh");
}

#[test]
fn without_agreement_partial_reliability_reads_off() {
    let pair = Pair::new(quick());
    assert_eq!(pair.near.partial_reliability(), PartialReliability::Off);
}
