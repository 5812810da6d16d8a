//! Shares of the bandwidth among streams (RFC 8260 §3.5, §3.6), and a scheduler of the user's own.

use core::num::NonZeroU16;

use crate::prelude::*;

use super::{i_data, interleaved};

/// User bytes of streams 1 and 2 among the first half that leaves, where 1 sends messages of 50,000
/// bytes and 2 of 2000, as many bytes of either.
fn shares(
    scheduler: StreamScheduler,
    interleaving: Interleaving,
    prepare: impl Fn(&mut World),
) -> (usize, usize) {
    let mut setup = interleaved(scheduler);
    setup.a.interleaving = interleaving;
    setup.a.send_buffer = 8 << 20;
    let mut world = setup.established();
    prepare(&mut world);
    let large = (0..40).map(|_| blob(1, 50_000));
    let small = (0..1000).map(|_| blob(2, 2000));
    world.send_together(A, large.chain(small).collect());
    world.run_for(secs(60));
    assert_eq!(world.messages(Z).len(), 1040);
    let mut sent = (0, 0);
    for record in world.sent(A) {
        let interleaved = i_data(record).into_iter();
        let interleaved = interleaved.map(|(stream, .., len)| (stream, len));
        let data = record.data().into_iter();
        let data = data.map(|data| (data.stream.0, data.payload.len()));
        for (stream, len) in interleaved.chain(data) {
            match stream {
                1 => sent.0 += len,
                _ => sent.1 += len,
            }
        }
        if sent.0 + sent.1 > 1_000_000 {
            break;
        }
    }
    sent
}

#[track_caller]
fn assert_ratio((one, two): (usize, usize), expected: f64, tolerance: f64) {
    let ratio = two as f64 / one as f64;
    assert!((ratio / expected - 1.0).abs() < tolerance, "{one} : {two}");
}

#[test]
fn fair_bandwidth_gives_streams_equal_shares() {
    for (interleaving, tolerance) in [(Interleaving::On, 0.02), (Interleaving::Off, 0.12)] {
        let shares = shares(StreamScheduler::FairBandwidth, interleaving, |_| {});
        assert_ratio(shares, 1.0, tolerance);
    }
}

#[test]
fn weighted_fair_queueing_gives_streams_shares_by_weight() {
    let weigh = |world: &mut World| {
        let weight = NonZeroU16::new(3).unwrap();
        let outcome = world.call(A, |it, now| it.set_stream_weight(now, StreamId(2), weight));
        assert_eq!(outcome, Ok(()));
    };
    for (interleaving, tolerance) in [(Interleaving::On, 0.03), (Interleaving::Off, 0.2)] {
        let shares = shares(StreamScheduler::WeightedFairQueueing, interleaving, weigh);
        assert_ratio(shares, 3.0, tolerance);
    }
}

#[test]
fn round_robin_counts_messages_unless_they_are_interleaved() {
    let by_message = shares(StreamScheduler::RoundRobin, Interleaving::Off, |_| {});
    assert_ratio(by_message, 2000.0 / 50_000.0, 0.1);
    let by_chunk = shares(StreamScheduler::RoundRobin, Interleaving::On, |_| {});
    assert!(by_chunk.1 * 2 > by_chunk.0, "{by_chunk:?}");
}

/// The highest stream that has something.
#[derive(Clone, Debug, Default)]
struct Highest(std::collections::BTreeSet<StreamId>);

impl Schedule for Highest {
    fn on_ready(&mut self, stream: StreamId) {
        self.0.insert(stream);
    }

    fn next(&self) -> Option<StreamId> {
        self.0.last().copied()
    }

    fn on_sent(&mut self, stream: StreamId, _bytes: usize, more: HasMore) {
        if more == HasMore::No {
            self.0.remove(&stream);
        }
    }

    fn on_withdrawn(&mut self, stream: StreamId) {
        self.0.remove(&stream);
    }
}

#[test]
fn a_scheduler_of_the_users_own_is_asked() {
    let custom = CustomScheduler {
        name: "highest first",
        make: || Box::<Highest>::default(),
    };
    let mut world = interleaved(StreamScheduler::Custom(custom)).established();
    world.send_together(A, [3, 9, 1, 9].map(|stream| blob(stream, 5000)).to_vec());
    world.run_for(secs(5));
    assert_eq!(super::order(&world), [9, 9, 3, 1]);
}
