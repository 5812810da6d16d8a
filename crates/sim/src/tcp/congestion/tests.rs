use super::*;
use crate::tcp::Counting;

const SMSS: u64 = 1460;

fn new_reno(options: &Options) -> Box<dyn CongestionControl> {
    start(options, SMSS, SynLoss::None)
}

fn ack(bytes: u64) -> Ack {
    Ack {
        now: Time::ZERO,
        bytes,
        flight: 0,
        rtt: None,
        use_of_window: UseOfWindow::Full,
        srtt: None,
    }
}

#[test]
fn the_first_window_is_that_of_the_option() {
    let rfc = |smss| initial_window(InitialWindow::Rfc5681, smss, SynLoss::None) / smss;
    assert_eq!((rfc(536), rfc(1460), rfc(4000)), (4, 3, 2));
    let ten = |smss| initial_window(InitialWindow::Rfc6928, smss, SynLoss::None);
    assert_eq!((ten(536), ten(1460), ten(8000)), (5360, 14_600, 16_000));
    assert_eq!(
        initial_window(InitialWindow::Rfc6928, 1460, SynLoss::Lost),
        1460
    );
}

#[test]
fn slow_start_adds_a_segment_an_acknowledgement() {
    let mut cc = new_reno(&Options::default());
    cc.on_ack(&ack(2 * SMSS));
    assert_eq!(cc.cwnd(), 4 * SMSS);
    cc.on_ack(&ack(100));
    assert_eq!(cc.cwnd(), 4 * SMSS + 100);
}

#[test]
fn slow_start_may_add_two() {
    let options = Options {
        slow_start_limit: 2,
        ..Options::default()
    };
    let mut cc = new_reno(&options);
    cc.on_ack(&ack(2 * SMSS));
    assert_eq!(cc.cwnd(), 5 * SMSS);
}

#[test]
fn congestion_avoidance_adds_a_segment_a_window() {
    let mut cc = new_reno(&Options::default());
    cc.on_loss(Loss::Duplicates, 20 * SMSS);
    assert_eq!(cc.cwnd(), 10 * SMSS);
    for _ in 0..4 {
        cc.on_ack(&ack(2 * SMSS));
    }
    assert_eq!(cc.cwnd(), 10 * SMSS);
    cc.on_ack(&ack(2 * SMSS));
    assert_eq!(cc.cwnd(), 11 * SMSS);
}

#[test]
fn counting_acknowledgements_it_adds_half_where_every_second_segment_is_acknowledged() {
    let options = Options {
        counting: Counting::Acknowledgements,
        ..Options::default()
    };
    let mut cc = new_reno(&options);
    cc.on_loss(Loss::Duplicates, 20 * SMSS);
    for _ in 0..5 {
        cc.on_ack(&ack(2 * SMSS));
    }
    let grown = cc.cwnd() - 10 * SMSS;
    assert!((700..=730).contains(&grown), "{grown}");
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut cc = new_reno(&Options::default());
    cc.on_ack(&Ack {
        use_of_window: UseOfWindow::Partial,
        ..ack(SMSS)
    });
    assert_eq!(cc.cwnd(), 3 * SMSS);
}

#[test]
fn a_timeout_leaves_one_segment_and_a_repeated_one_keeps_the_threshold() {
    let mut cc = new_reno(&Options::default());
    cc.on_loss(Loss::Timeout, 20 * SMSS);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (SMSS, 10 * SMSS));
    cc.on_loss(Loss::RepeatedTimeout, SMSS);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (SMSS, 10 * SMSS));
}

#[test]
fn the_threshold_is_two_segments_at_least() {
    let mut cc = new_reno(&Options::default());
    cc.on_loss(Loss::Duplicates, SMSS);
    assert_eq!(cc.ssthresh(), 2 * SMSS);
}

#[test]
fn after_an_idle_time_it_begins_again_with_the_first_window() {
    let mut cc = new_reno(&Options::default());
    for _ in 0..40 {
        cc.on_ack(&ack(SMSS));
    }
    cc.on_idle();
    assert_eq!(cc.cwnd(), 3 * SMSS);
}
