use core::time::Duration;

use sheave_engine::Time;

use super::{BitErrorRate, Errors, Gilbert, Hit, Pattern, Reading, State};
use crate::{Probability, Random};

const N: u32 = 1_000_000;

/// Share of selected packets among `N` packets of 1500 bytes sent every `gap`.
fn share(errors: &Errors, gap: Duration) -> f64 {
    let mut model = errors.model(Random::new(11)).expect("a model");
    let mut now = Time::ZERO;
    let mut hits = 0;
    for _ in 0..N {
        now = now + gap;
        hits += u32::from(model.judge(now, 1500) == Hit::Hit);
    }
    f64::from(hits) / f64::from(N)
}

fn gilbert(reading: Reading) -> Errors {
    let state = |millis, stay, hit| State {
        period: Duration::from_millis(millis),
        stay: Probability::new(stay),
        hit: Probability::new(hit),
    };
    Errors::Gilbert(Gilbert {
        good: state(25, 0.9, 0.0),
        bad: state(5, 0.3, 0.25),
        reading,
    })
}

fn assert_near(found: f64, expected: f64, share: f64) {
    let is_near = (found - expected).abs() < share * expected;
    assert!(is_near, "{found} of {expected}");
}

#[test]
fn uniform_losses_are_binomial() {
    let p = 0.02;
    let found = share(
        &Errors::Uniform(Probability::new(p)),
        Duration::from_micros(1),
    );
    let deviation = (p * (1.0 - p) / f64::from(N)).sqrt();
    assert!((found - p).abs() < 4.0 * deviation, "{found}");
}

#[test]
fn bit_errors_hit_packets_by_their_length() {
    let rate = 1e-6;
    let errors = Errors::BitErrors(BitErrorRate(Probability::new(rate)));
    let expected = 1.0 - (1.0 - rate).powi(12_000);
    let found = share(&errors, Duration::from_micros(1));
    assert_near(found, expected, 0.02);
}

#[test]
fn an_exponential_channel_is_bad_for_its_share_of_time() {
    let found = share(&gilbert(Reading::Exponential), Duration::from_micros(500));
    let expected = 0.25 * 5.0 / 30.0;
    assert_near(found, expected, 0.03);
}

#[test]
fn a_periodic_channel_follows_its_matrix() {
    // The number of periods in a state is geometric, with mean 1 / (1 - stay).
    let (good, bad) = (25.0 / 0.1, 5.0 / 0.7);
    let expected = 0.25 * bad / (good + bad);
    let found = share(&gilbert(Reading::Periodic), Duration::from_micros(500));
    assert_near(found, expected, 0.05);
}

#[test]
fn the_ns2_channel_draws_at_each_packet_after_the_period() {
    // With a packet every 0.5 ms, a state ends a geometric number of packets after its period; the
    // first draw is for the packet at the very end of the period.
    let (good, bad) = (
        25.0 + 0.5 * (1.0 / 0.1 - 1.0),
        5.0 + 0.5 * (1.0 / 0.7 - 1.0),
    );
    let expected = 0.25 * bad / (good + bad);
    let found = share(&gilbert(Reading::Ns2), Duration::from_micros(500));
    assert_near(found, expected, 0.03);
}

#[test]
fn patterns_repeat_and_numbers_do_not() {
    let play = |pattern: Pattern| {
        let mut model = Errors::Pattern(pattern)
            .model(Random::new(1))
            .expect("a model");
        (1..=8)
            .filter(|_| model.judge(Time::ZERO, 40) == Hit::Hit)
            .count()
    };
    assert_eq!(play(Pattern::parse("00 10").expect("a pattern")), 2);
    assert_eq!(play(Pattern::numbers(&[3, 7])), 2);
    assert_eq!(play(Pattern::numbers(&[2])), 1);
    assert_eq!(Pattern::parse("0x"), None);
    assert_eq!(Pattern::parse(" "), None);
}
