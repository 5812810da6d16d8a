use std::collections::BTreeMap;
use std::time::Instant;
use std::vec::Vec;

use super::*;

/// A scheduler and what each stream has left: lengths of chunks, the next one last.
struct Bench {
    schedule: Box<dyn Schedule>,
    left: BTreeMap<u16, Vec<usize>>,
}

impl Bench {
    fn new(scheduler: StreamScheduler) -> Self {
        Self {
            schedule: scheduler.schedule().unwrap(),
            left: BTreeMap::new(),
        }
    }

    fn give(&mut self, stream: u16, chunks: &[usize]) {
        let left = self.left.entry(stream).or_default();
        if left.is_empty() {
            self.schedule.on_ready(StreamId(stream));
        }
        left.splice(0..0, chunks.iter().rev().copied());
    }

    /// Sends one chunk.
    fn send(&mut self) -> Option<(u16, usize)> {
        let stream = self.schedule.next()?;
        let chunks = self.left.get_mut(&stream.0).unwrap();
        let bytes = chunks.pop().expect("a stream that has something");
        let left = if chunks.is_empty() {
            HasMore::No
        } else {
            HasMore::Yes
        };
        self.schedule.on_sent(stream, bytes, left);
        Some((stream.0, bytes))
    }

    fn order(&mut self) -> Vec<u16> {
        core::iter::from_fn(|| self.send())
            .map(|(stream, _)| stream)
            .collect()
    }

    /// Bytes sent of each stream, of `count` chunks.
    fn shares(&mut self, count: usize) -> BTreeMap<u16, usize> {
        let mut shares = BTreeMap::new();
        for _ in 0..count {
            let (stream, bytes) = self.send().unwrap();
            *shares.entry(stream).or_default() += bytes;
        }
        shares
    }
}

const ALL: [StreamScheduler; 5] = [
    StreamScheduler::RoundRobin,
    StreamScheduler::RoundRobinPerPacket,
    StreamScheduler::Priority,
    StreamScheduler::FairBandwidth,
    StreamScheduler::WeightedFairQueueing,
];

fn weight(weight: u16) -> NonZeroU16 {
    NonZeroU16::new(weight).unwrap()
}

#[test]
fn streams_take_turns_in_the_order_in_which_they_came() {
    let mut bench = Bench::new(StreamScheduler::RoundRobin);
    bench.give(3, &[1, 1, 1]);
    bench.give(1, &[1, 1]);
    bench.give(65_535, &[1]);
    assert_eq!(bench.order(), [3, 1, 65_535, 3, 1, 3]);
}

#[test]
fn a_stream_that_comes_late_joins_at_the_end() {
    let mut bench = Bench::new(StreamScheduler::RoundRobin);
    bench.give(5, &[1, 1, 1]);
    bench.give(6, &[1]);
    bench.send();
    bench.give(2, &[1]);
    assert_eq!(bench.order(), [6, 5, 2, 5]);
}

#[test]
fn a_packet_holds_one_stream_and_the_next_packet_another() {
    let mut bench = Bench::new(StreamScheduler::RoundRobinPerPacket);
    bench.give(1, &[1, 1, 1]);
    bench.give(2, &[1]);
    bench.send();
    assert_eq!(bench.schedule.next(), Some(StreamId(1)));
    bench.send();
    bench.schedule.on_packet_end();
    assert_eq!(bench.order(), [2], "a packet that stream 2 does not fill");
    assert_eq!(bench.schedule.next(), None);
    bench.schedule.on_packet_end();
    assert_eq!(bench.order(), [1]);
}

#[test]
fn the_lowest_priority_number_goes_first_and_equal_ones_take_turns() {
    let mut bench = Bench::new(StreamScheduler::Priority);
    for stream in 1..=4 {
        bench.give(stream, &[1, 1]);
    }
    bench.schedule.set_priority(StreamId(2), 9);
    bench.schedule.set_priority(StreamId(3), 4);
    bench.schedule.set_priority(StreamId(1), 4);
    assert_eq!(bench.order(), [4, 4, 3, 1, 3, 1, 2, 2]);
}

#[test]
fn a_priority_holds_for_what_comes_later_and_can_be_taken_back() {
    let mut bench = Bench::new(StreamScheduler::Priority);
    bench.schedule.set_priority(StreamId(1), 5);
    bench.give(1, &[1]);
    bench.give(2, &[1]);
    assert_eq!(bench.schedule.next(), Some(StreamId(2)));
    bench.schedule.set_priority(StreamId(1), 0);
    bench.schedule.set_priority(StreamId(2), 1);
    assert_eq!(bench.order(), [1, 2]);
}

#[test]
fn bandwidth_is_shared_fairly_whatever_the_length_of_chunks() {
    let mut bench = Bench::new(StreamScheduler::FairBandwidth);
    bench.give(1, &[1000; 1000]);
    bench.give(2, &[100; 10_000]);
    bench.schedule.set_weight(StreamId(1), weight(7));
    let shares = bench.shares(5000);
    assert!(shares[&1].abs_diff(shares[&2]) <= 1000, "{shares:?}");
}

#[test]
fn bandwidth_is_shared_by_weight() {
    let mut bench = Bench::new(StreamScheduler::WeightedFairQueueing);
    bench.schedule.set_weight(StreamId(2), weight(3));
    bench.give(1, &[1000; 4000]);
    bench.give(2, &[1000; 4000]);
    let shares = bench.shares(4000);
    assert_eq!((shares[&1], shares[&2]), (1_000_000, 3_000_000));
}

#[test]
fn an_idle_stream_neither_saves_nor_loses_its_share() {
    let mut bench = Bench::new(StreamScheduler::WeightedFairQueueing);
    bench.give(1, &[1000; 1000]);
    bench.shares(500);
    bench.give(2, &[1000; 1000]);
    let shares = bench.shares(100);
    assert!(shares[&1].abs_diff(shares[&2]) <= 1000, "{shares:?}");
    // Stream 2 alone for long, then both again.
    bench.left.clear();
    let mut bench = Bench::new(StreamScheduler::WeightedFairQueueing);
    bench.give(2, &[1000; 500]);
    bench.shares(500);
    bench.give(1, &[1000; 500]);
    bench.give(2, &[1000; 500]);
    let shares = bench.shares(100);
    assert!(shares[&1].abs_diff(shares[&2]) <= 1000, "{shares:?}");
}

#[test]
fn one_that_hands_in_a_message_at_a_time_gets_no_more_than_its_share() {
    let mut bench = Bench::new(StreamScheduler::FairBandwidth);
    bench.give(1, &[1000; 1000]);
    bench.give(2, &[1000]);
    let mut shares = [0; 3];
    for _ in 0..1000 {
        let (stream, bytes) = bench.send().unwrap();
        shares[usize::from(stream)] += bytes;
        if stream == 2 {
            bench.give(2, &[1000]);
        }
    }
    assert!(shares[1].abs_diff(shares[2]) <= 2000, "{shares:?}");
}

#[test]
fn a_withdrawn_stream_is_not_named_again() {
    for scheduler in ALL {
        let mut bench = Bench::new(scheduler);
        for stream in 1..=3 {
            bench.give(stream, &[1]);
        }
        bench.schedule.on_withdrawn(StreamId(1));
        bench.left.remove(&1);
        bench.send();
        bench.schedule.on_packet_end();
        let rest = bench.order();
        assert_eq!(rest.len(), 1, "{scheduler:?}");
        assert_ne!(rest, [1], "{scheduler:?}");
    }
}

/// Not a measurement: a scheduler that walks over all streams takes a thousand times as long with
/// a thousand times as many.
#[test]
fn a_choice_costs_the_same_for_any_number_of_streams() {
    for scheduler in ALL {
        let mut times = Vec::new();
        for streams in [64_u16, 65_535] {
            let mut schedule = scheduler.schedule().unwrap();
            for stream in 0..streams {
                schedule.on_ready(StreamId(stream));
            }
            let start = Instant::now();
            for _ in 0..200_000 {
                let stream = schedule.next().unwrap();
                schedule.on_sent(stream, 1000, HasMore::Yes);
                schedule.on_packet_end();
            }
            times.push(start.elapsed());
        }
        assert!(times[1] < times[0] * 60, "{scheduler:?}: {times:?}");
    }
}
