//! The cost per item must not grow with the number of items. Compares the minimum CPU time of
//! several rounds, to reduce noise from caches and other programs. Code that visited every item
//! each time would cost 100 times as much; the bound is 20.

use std::time::Duration;

use sheave_engine::{Options, Profile};
use sheave_measure::cpu_time;
use sheave_measure::pair::{Pair, Setup, SheavePair, UserData};

/// Maximum ratio of the costs per item with 100 times as many items.
const BOUND: f64 = 20.0;
/// Rounds, of which the fastest counts.
const ROUNDS: usize = 5;
/// Messages per round.
const MESSAGES: u64 = 10_000;

fn data() -> UserData {
    UserData::fresh(64)
}

/// Minimum time per message over all rounds.
fn least(mut round: impl FnMut()) -> f64 {
    let rounds = (0..ROUNDS).map(|_| {
        let begin = cpu_time();
        round();
        cpu_time() - begin
    });
    let least: Duration = rounds.min().unwrap();
    least.as_secs_f64()
}

/// Seconds per message if `messages` are queued before any packet is carried.
fn queued(messages: u64) -> f64 {
    let mut pair = SheavePair::new(Options {
        send_buffer: 1 << 28,
        receive_buffer: 1 << 28,
        ..Profile::Datacenter.options()
    });
    pair.connect();
    let rounds = MESSAGES.max(messages) / messages;
    let spent = least(|| {
        for _ in 0..rounds {
            pair.transfer(&mut data(), messages);
        }
    });
    spent / (rounds * messages) as f64
}

/// Seconds per message if `streams` streams take turns.
fn streamed(streams: u16) -> f64 {
    let mut pair = SheavePair::with(Setup {
        streams,
        ..Setup::new(Profile::Datacenter.options())
    });
    pair.connect();
    pair.transfer(&mut data(), u64::from(streams));
    least(|| {
        pair.transfer(&mut data(), MESSAGES);
    }) / MESSAGES as f64
}

/// Seconds per message with `associations` idle associations present.
fn beside(associations: u32) -> f64 {
    let mut pair = SheavePair::new(Profile::Rfc9260.options());
    for _ in 0..=associations {
        pair.connect();
    }
    least(|| {
        pair.transfer(&mut data(), MESSAGES);
    }) / MESSAGES as f64
}

#[test]
fn a_message_costs_no_more_behind_a_hundred_thousand_others() {
    let (few, many) = (queued(1000), queued(100_000));
    assert!(many < BOUND * few, "{few} s, {many} s");
}

#[test]
fn a_message_costs_no_more_on_one_of_ten_thousand_streams() {
    let (few, many) = (streamed(100), streamed(10_000));
    assert!(many < BOUND * few, "{few} s, {many} s");
}

#[test]
fn a_message_costs_no_more_beside_ten_thousand_associations() {
    let (few, many) = (beside(100), beside(10_000));
    assert!(many < BOUND * few, "{few} s, {many} s");
}
