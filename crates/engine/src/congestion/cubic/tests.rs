use core::time::Duration;

use super::*;

const PMDCS: u64 = 1452;
const RTT: Duration = Duration::from_millis(100);

fn cubic(cwnd: u64) -> Cubic {
    let mut cubic = Cubic::new(PMDCS, WindowRules::Rfc9260, 4404);
    cubic.reno.set(cwnd * PMDCS, 1);
    cubic
}

fn ack(now: Time, bytes: u64, window: u64) -> Ack {
    Ack {
        now,
        srtt: Some(RTT),
        ..Ack::of(bytes, window)
    }
}

/// Uses the whole window for so long, a SACK for each two packets.
fn run(cubic: &mut Cubic, from: Time, time: Duration) -> Time {
    run_at(cubic, RTT, from, time)
}

fn run_at(cubic: &mut Cubic, rtt: Duration, from: Time, time: Duration) -> Time {
    let mut now = from;
    while now.since(from) < time {
        let window = cubic.cwnd();
        let sacks = (window / (2 * PMDCS)).max(1);
        for _ in 0..sacks {
            now = now + rtt / u32::try_from(sacks).unwrap();
            // As it is where the sender fills the window whenever there is a chance.
            let full = cubic.cwnd();
            cubic.on_ack(&Ack {
                srtt: Some(rtt),
                ..ack(now, 2 * PMDCS, full)
            });
        }
    }
    now
}

#[test]
fn a_loss_takes_three_tenths() {
    let mut cubic = cubic(1000);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!(cubic.cwnd(), 700 * PMDCS);
    assert_eq!(cubic.ssthresh(), 700 * PMDCS);
}

#[test]
fn the_window_follows_the_cube_of_the_time_since_the_loss() {
    let mut cubic = cubic(1000);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    // As for a sender whose recovery is over at once.
    let k = (1000.0_f64 * 0.3 / 0.4).cbrt();
    let mut now = Time::ZERO;
    for seconds in [2.0, 5.0, k, 12.0] {
        let wait = Duration::from_secs_f64(seconds).saturating_sub(now.since(Time::ZERO));
        now = run(&mut cubic, now, wait);
        // RFC 9438 §4.2, figure 1
        let t = now.as_secs_f64();
        let expected = 0.4 * (t - k).powi(3) + 1000.0;
        let window = cubic.packets(cubic.cwnd());
        let off = (window / expected - 1.0).abs();
        assert!(off < 0.02, "after {t} s: {window}, formula {expected}");
    }
}

#[test]
fn in_a_small_window_it_grows_as_new_reno_would() {
    let mut cubic = cubic(10);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    let before = cubic.packets(cubic.cwnd());
    let rtt = RTT / 100;
    run_at(&mut cubic, rtt, Time::ZERO, rtt * 9 / 2);
    let grown = cubic.packets(cubic.cwnd()) - before;
    // RFC 9438 §4.3: 9/17 of a packet per round trip, until the window of the loss is reached.
    assert!((grown - 5.0 * ALPHA).abs() < 0.6, "{grown}");
}

#[test]
fn a_second_loss_below_the_first_gives_way_to_others() {
    let mut cubic = cubic(1000);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    assert!((cubic.course.w_max - 1000.0).abs() < 1e-9);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    // RFC 9438 §4.7
    let w_max = cubic.course.w_max;
    assert!((w_max - 700.0 * 0.85).abs() < 1e-9, "{w_max}");
}

#[test]
fn after_a_timeout_it_starts_slowly_and_then_on_a_plateau() {
    let mut cubic = cubic(100);
    cubic.on_loss(Time::ZERO, Loss::Timeout);
    assert_eq!((cubic.cwnd(), cubic.ssthresh()), (PMDCS, 70 * PMDCS));
    cubic.reno.set(71 * PMDCS, 70 * PMDCS);
    cubic.on_ack(&ack(Time::ZERO, PMDCS, 71 * PMDCS));
    let Epoch::Running(curve) = cubic.course.epoch else {
        panic!("{cubic:?}")
    };
    assert!(curve.k == 0.0, "{curve:?}");
    assert!((curve.origin - 71.0).abs() < 1e-9, "{curve:?}");
}

#[test]
fn a_spurious_cut_is_undone_and_so_is_a_spurious_timeout() {
    let mut cubic = cubic(1000);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    cubic.on_spurious_loss(Time::ZERO);
    assert_eq!(cubic.cwnd(), 1000 * PMDCS);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    let cut = cubic.cwnd();
    cubic.on_loss(Time::ZERO, Loss::Timeout);
    assert_eq!(cubic.cwnd(), PMDCS);
    cubic.on_spurious_loss(Time::ZERO);
    assert_eq!(cubic.cwnd(), cut);
    // Only the last one is.
    cubic.on_spurious_loss(Time::ZERO);
    assert_eq!(cubic.cwnd(), cut);
}

#[test]
fn time_in_which_the_window_is_not_used_does_not_count() {
    let mut cubic = cubic(100);
    cubic.on_loss(Time::ZERO, Loss::GapReports);
    let now = run(&mut cubic, Time::ZERO, RTT);
    let before = cubic.cwnd();
    let mut later = now;
    for _ in 0..100 {
        later = later + RTT;
        cubic.on_ack(&ack(later, PMDCS, PMDCS));
    }
    assert_eq!(cubic.cwnd(), before);
    run(&mut cubic, later, RTT);
    assert!(cubic.cwnd() < before + 6 * PMDCS, "{}", cubic.cwnd());
}

#[test]
fn an_echo_never_widens_the_window() {
    let mut cubic = cubic(2);
    cubic.on_mark(Time::ZERO);
    assert_eq!(cubic.cwnd(), 2 * PMDCS);
}
