use super::*;
use crate::tcp::congestion::UseOfWindow;

const SMSS: u64 = 1000;

fn ack(at: Time, flight: u64, rtt: Duration) -> Ack {
    Ack {
        now: at,
        bytes: SMSS,
        flight,
        rtt: Some(rtt),
        use_of_window: UseOfWindow::Full,
        srtt: Some(rtt),
    }
}

fn micros(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// Simulates a round of `count` acknowledgements, `gap` apart, with a constant round trip and a
/// window of `cwnd` segments. Returns the number of acknowledgements after which slow start ended,
/// if it did.
fn round(
    hystart: &mut HyStart,
    from: Duration,
    count: u64,
    gap: Duration,
    rtt: Duration,
    cwnd: f64,
) -> Option<u64> {
    (0..count).find(|number| {
        let at = Time::ZERO + from + gap * u32::try_from(*number).unwrap();
        let ack = ack(at, (count - 1) * SMSS, rtt);
        hystart.on_ack(&ack, cwnd, SMSS as f64) == SlowStartStage::IsOver
    })
}

const BEGIN: Duration = Duration::ZERO;

#[test]
fn a_train_as_long_as_half_a_round_trip_ends_it() {
    let (rtt, gap) = (micros(20_000), micros(100));
    let mut hystart = HyStart::new();
    assert_eq!(round(&mut hystart, BEGIN, 90, gap, rtt, 180.0), None);
    // Half of 20 ms and the allowance of 1 ms are 105 gaps.
    assert_eq!(round(&mut hystart, rtt, 200, gap, rtt, 360.0), Some(106));
}

#[test]
fn a_train_with_a_pause_in_it_is_none() {
    let rtt = micros(20_000);
    let mut hystart = HyStart::new();
    assert_eq!(round(&mut hystart, BEGIN, 9, micros(2100), rtt, 18.0), None);
}

#[test]
fn a_round_whose_round_trips_are_an_eighth_longer_ends_it() {
    let (rtt, gap) = (micros(80_000), micros(10));
    let mut hystart = HyStart::new();
    assert_eq!(round(&mut hystart, BEGIN, 20, gap, rtt, 40.0), None);
    let longer = rtt * 9 / 8;
    assert_eq!(round(&mut hystart, rtt, 20, gap, longer, 40.0), None);
    // The decision needs eight samples.
    let longer = longer + micros(1);
    assert_eq!(round(&mut hystart, rtt * 2, 20, gap, longer, 40.0), Some(8));
}

#[test]
fn short_round_trips_may_grow_by_4_ms_and_long_ones_by_16() {
    for (rtt, growth) in [(1000, 4000), (300_000, 16_000)] {
        let (rtt, growth, gap) = (micros(rtt), micros(growth), micros(1));
        let mut hystart = HyStart::new();
        assert_eq!(round(&mut hystart, BEGIN, 20, gap, rtt, 40.0), None);
        assert_eq!(round(&mut hystart, rtt, 20, gap, rtt + growth, 40.0), None);
        let more = rtt + growth + micros(1);
        assert_eq!(round(&mut hystart, rtt * 2, 20, gap, more, 40.0), Some(8));
    }
}

#[test]
fn a_small_window_goes_on() {
    let (rtt, gap) = (micros(10_000), micros(1000));
    let mut hystart = HyStart::new();
    assert_eq!(round(&mut hystart, BEGIN, 15, gap, rtt, 15.9), None);
    assert_eq!(round(&mut hystart, rtt, 15, gap, rtt * 2, 15.9), None);
}

/// The allowance for four bursts at the sender's rate is added if the round trip is known.
#[test]
fn what_is_handed_over_in_one_piece_lengthens_the_train() {
    let (rtt, gap) = (micros(20_000), micros(100));
    let paced = |srtt| {
        let mut hystart = HyStart::new();
        (0..300).find(|number| {
            let ack = Ack {
                srtt,
                ..ack(Time::ZERO + gap * *number, 300 * SMSS, rtt)
            };
            hystart.on_ack(&ack, 150.0, SMSS as f64) == SlowStartStage::IsOver
        })
    };
    assert_eq!((paced(None), paced(Some(rtt))), (Some(101), Some(106)));
}
