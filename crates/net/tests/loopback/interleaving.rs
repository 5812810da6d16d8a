//! User data in I-DATA, and who of several streams goes first.
//!
//! No clock decides: the receiver reads only when everything has been handed in, and its buffer holds
//! a small part of it.

use std::num::NonZeroU16;

use sheave::message::Part;
use sheave::options::Interleaving;
use sheave::streams::{CustomScheduler, HasMore, Schedule, StreamScheduler};
use sheave::{Message, Options, StreamId};

use crate::pair::{Pair, next, quick};

/// Bytes of a message that takes long.
const LONG: usize = 1_000_000;

/// Bytes that the receiver holds.
const WINDOW: usize = 65_536;

const FIRST: StreamId = StreamId(1);
const SECOND: StreamId = StreamId(2);

fn interleaving(scheduler: StreamScheduler) -> Options {
    Options {
        interleaving: Interleaving::On,
        scheduler,
        send_buffer: 4 * LONG,
        receive_buffer: WINDOW,
        partial_delivery_point: WINDOW / 4,
        ..quick()
    }
}

/// With the second stream preferred, where the scheduler knows such a thing.
fn pair(scheduler: StreamScheduler) -> Pair {
    let pair = Pair::new(interleaving(scheduler));
    pair.near.set_stream_priority(FIRST, 9).unwrap();
    let weight = NonZeroU16::new(3).unwrap();
    pair.near.set_stream_weight(SECOND, weight).unwrap();
    pair
}

/// Sends a long message and then one of `bytes` on the second stream, all before the first byte is
/// read. Streams in the order in which their messages end, and what was read of the first when the
/// other one ended.
fn race(scheduler: StreamScheduler, bytes: usize) -> ([StreamId; 2], usize) {
    let pair = pair(scheduler);
    for (stream, bytes) in [(FIRST, LONG), (SECOND, bytes)] {
        pair.near
            .send(Message::new(stream, vec![7; bytes]))
            .unwrap();
    }
    let (mut ended, mut read, mut behind) = (Vec::new(), 0, 0);
    while ended.len() < 2 {
        let received = next(&pair.far);
        let stream = received.message.stream;
        if stream == FIRST {
            read += received.message.payload.len();
        }
        if matches!(received.part, Part::Whole | Part::Last) {
            ended.push(stream);
            if stream == SECOND {
                behind = read;
            }
        }
    }
    assert_eq!(read, LONG);
    ([ended[0], ended[1]], behind)
}

/// The user's own: the stream with the highest id goes first.
#[derive(Clone, Debug, Default)]
struct HighestFirst(std::collections::BTreeSet<u16>);

impl Schedule for HighestFirst {
    fn on_ready(&mut self, stream: StreamId) {
        self.0.insert(stream.0);
    }

    fn next(&self) -> Option<StreamId> {
        self.0.last().copied().map(StreamId)
    }

    fn on_sent(&mut self, stream: StreamId, _bytes: usize, more: HasMore) {
        if more == HasMore::No {
            self.0.remove(&stream.0);
        }
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.0.remove(&stream.0);
    }
}

const HIGHEST_FIRST: StreamScheduler = StreamScheduler::Custom(CustomScheduler {
    name: "highest first",
    make: || Box::<HighestFirst>::default(),
});

#[test]
fn a_short_message_does_not_wait_for_a_long_one_whatever_the_scheduler() {
    for scheduler in [
        StreamScheduler::RoundRobin,
        StreamScheduler::RoundRobinPerPacket,
        StreamScheduler::Priority,
        StreamScheduler::FairBandwidth,
        StreamScheduler::WeightedFairQueueing,
        HIGHEST_FIRST,
    ] {
        let (ended, behind) = race(scheduler, 1000);
        assert_eq!(ended, [SECOND, FIRST], "{scheduler:?}");
        // What filled the buffer before the short one came, and what that let in while it was read.
        assert!(behind <= 3 * WINDOW, "{scheduler:?}: {behind}");
    }
}

#[test]
fn first_come_first_served_sends_the_long_message_first() {
    let (ended, _) = race(StreamScheduler::FirstCome, 1000);
    assert_eq!(ended, [FIRST, SECOND]);
}
