use core::time::Duration;

use super::*;

const SMSS: u64 = 1000;

fn cubic() -> Cubic {
    let start = SlowStart {
        smss: SMSS,
        initial: 100 * SMSS,
        limit: SMSS,
    };
    Cubic::new(start, SlowStartExit::Loss)
}

/// Acknowledges a full window every `rtt` ms, from `from` ms on, for `rounds` round trips.
fn run(cubic: &mut Cubic, from: u64, rtt: u64, rounds: u64) {
    for round in 0..rounds {
        for _ in 0..cubic.cwnd() / SMSS {
            cubic.on_ack(&Ack {
                now: Time::from_millis(from + round * rtt),
                bytes: SMSS,
                flight: cubic.cwnd(),
                rtt: Some(Duration::from_millis(rtt)),
                use_of_window: UseOfWindow::Full,
                srtt: Some(Duration::from_millis(rtt)),
            });
        }
    }
}

#[test]
fn the_cube_root_is_one() {
    for x in [0.0, 0.001, 0.5, 1.0, 2.0, 27.0, 1e9] {
        let root = cube_root(x);
        assert!((root * root * root - x).abs() <= 1e-9 * x.max(1e-3), "{x}");
    }
}

#[test]
fn a_loss_takes_three_tenths() {
    let mut cubic = cubic();
    cubic.on_loss(Loss::Duplicates, 100 * SMSS);
    assert_eq!(cubic.cwnd(), 70 * SMSS);
    assert_eq!(cubic.ssthresh(), 70 * SMSS);
}

#[test]
fn the_window_is_back_after_k_seconds_and_lingers_there() {
    // K = cbrt(30 / 0.4) = 4.217 s; Reno is slower than that with round trips of 200 ms.
    let mut cubic = cubic();
    cubic.on_loss(Loss::Duplicates, 100 * SMSS);
    run(&mut cubic, 0, 200, 12);
    let half_way = cubic.cwnd();
    assert!((92_000..99_000).contains(&half_way), "{half_way}");
    run(&mut cubic, 2400, 200, 9);
    let plateau = cubic.cwnd();
    assert!((98_500..=100_500).contains(&plateau), "{plateau}");
    run(&mut cubic, 4200, 200, 20);
    let beyond = cubic.cwnd();
    assert!((115_000..130_000).contains(&beyond), "{beyond}");
}

#[test]
fn on_short_round_trips_it_is_as_fast_as_reno() {
    // In 100 round trips of 5 ms, the cubic function barely grows. Reno's estimate grows by alpha
    // (0.53) segments per round trip, or by one above the old window.
    let mut cubic = cubic();
    cubic.on_loss(Loss::Duplicates, 100 * SMSS);
    run(&mut cubic, 0, 5, 100);
    let cwnd = cubic.cwnd();
    assert!((140_000..145_000).contains(&cwnd), "{cwnd}");
}

#[test]
fn a_second_loss_below_the_first_makes_room() {
    let mut cubic = cubic();
    cubic.on_loss(Loss::Duplicates, 100 * SMSS);
    cubic.on_loss(Loss::Duplicates, 70 * SMSS);
    assert!((cubic.w_max - 59.5).abs() < 1e-9);
}

#[test]
fn after_a_timeout_it_begins_with_one_segment() {
    let mut cubic = cubic();
    cubic.on_loss(Loss::Timeout, 100 * SMSS);
    assert_eq!(cubic.cwnd(), SMSS);
    assert_eq!(cubic.ssthresh(), 70 * SMSS);
    cubic.on_loss(Loss::RepeatedTimeout, SMSS);
    assert_eq!(cubic.ssthresh(), 70 * SMSS);
}

#[test]
fn hystart_ends_slow_start_once_and_again_after_a_timeout() {
    let start = SlowStart {
        smss: SMSS,
        initial: 20 * SMSS,
        limit: SMSS,
    };
    let mut cubic = Cubic::new(start, SlowStartExit::HyStart);
    // A train of acknowledgements 100 us apart exceeds half of 10 ms.
    let grow = |cubic: &mut Cubic, from: u64| {
        for number in 0..100 {
            cubic.on_ack(&Ack {
                now: Time::from_millis(from) + Duration::from_micros(100) * number,
                bytes: SMSS,
                flight: 200 * SMSS,
                rtt: Some(Duration::from_millis(10)),
                use_of_window: UseOfWindow::Full,
                srtt: None,
            });
        }
    };
    grow(&mut cubic, 0);
    assert_eq!(cubic.ssthresh(), 72 * SMSS);
    assert!(cubic.cwnd() < 74 * SMSS, "{}", cubic.cwnd());
    cubic.on_loss(Loss::Timeout, 200 * SMSS);
    grow(&mut cubic, 1000);
    assert_eq!(cubic.ssthresh(), 53 * SMSS);
}
