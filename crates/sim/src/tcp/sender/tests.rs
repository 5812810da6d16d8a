#![expect(
    clippy::cast_possible_truncation,
    reason = "the numbers of these tests are small, or meant to be cut"
)]

use core::time::Duration;

use super::*;
use crate::tcp::Acknowledgement;
use crate::tcp::congestion::{Ack, Loss};

const SMSS: u64 = 1000;

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

fn options() -> Options {
    Options {
        mss: 1000,
        acknowledgement: Acknowledgement::Immediate,
        ..Options::default()
    }
}

/// A sender that completed its handshake at time 0, with a peer window of `window` bytes and `data`
/// buffered bytes.
fn sender(options: &Options, selective: Selective, window: u64, data: u64) -> Sender {
    let mut sender = Sender::new(options);
    assert_eq!(sender.poll(Time::ZERO, SMSS), Some(Range::new(0, 1)));
    sender.agree(SMSS, selective);
    ack_with_window(&mut sender, 0, 1, &[], window);
    sender.write(&vec![0; data as usize].into());
    sender
}

fn ack_with_window(sender: &mut Sender, at: u64, ack: u64, blocks: &[Range], window: u64) {
    let news = AckNews {
        ack,
        window,
        seq: 1,
        blocks,
        content: Content::Bare,
    };
    assert_eq!(sender.on_ack(ms(at), &news), Digest::Taken);
}

/// Position of the first byte of segment `n`, counted from 0.
fn at(n: u64) -> u64 {
    1 + n * SMSS
}

/// Acknowledges everything before segment `n`, and SACKs the segments of `sacked`.
fn ack(sender: &mut Sender, time: u64, n: u64, sacked: &[(u64, u64)]) {
    let blocks: Vec<Range> = sacked
        .iter()
        .map(|(from, to)| Range::new(at(*from), at(*to)))
        .collect();
    ack_with_window(sender, time, at(n), &blocks, 1_000_000);
}

/// Numbers of the segments sent now.
fn sent(sender: &mut Sender, time: u64) -> Vec<u64> {
    let mut segments = Vec::new();
    while let Some(range) = sender.poll(ms(time), SMSS) {
        assert_eq!((range.start - 1) % SMSS, 0);
        assert_eq!(range.len(), SMSS);
        segments.push((range.start - 1) / SMSS);
        assert!(segments.len() < 1000);
    }
    segments
}

/// A sender in congestion avoidance with `window` segments in flight, counted from 0.
fn steady(selective: Selective, window: u64) -> Sender {
    let mut sender = sender(&options(), selective, 1_000_000, 500_000);
    sender.congestion = Box::new(Fixed(window * SMSS));
    assert_eq!(sent(&mut sender, 0), (0..window).collect::<Vec<_>>());
    sender
}

/// Halves the window like NewReno but never grows it, which makes transmissions easy to predict.
#[derive(Debug)]
struct Fixed(u64);

impl CongestionControl for Fixed {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, loss: Loss, flight: u64) {
        self.0 = match loss {
            Loss::Duplicates => flight / 2,
            _ => SMSS,
        };
    }

    fn on_recovered(&mut self, flight: u64) {
        self.0 = self.0.min(flight.max(SMSS) + SMSS);
    }

    fn on_idle(&mut self) {}

    fn cwnd(&self) -> u64 {
        self.0
    }

    fn ssthresh(&self) -> u64 {
        self.0
    }
}

/// Checks one loss in a window of ten, no SACK: limited transmit for two duplicates (RFC 3042),
/// fast retransmit on the third, one new segment for each duplicate once half the window has left
/// (RFC 5681 §3.2).
#[test]
fn one_loss_without_sack_goes_as_in_rfc_5681() {
    let mut s = steady(Selective::Off, 10);
    // Segment 0 is lost; 1 to 9 arrive.
    ack(&mut s, 100, 0, &[]);
    assert_eq!(sent(&mut s, 100), [10]);
    ack(&mut s, 101, 0, &[]);
    assert_eq!(sent(&mut s, 101), [11]);
    ack(&mut s, 102, 0, &[]);
    assert_eq!(sent(&mut s, 102), [0]);
    // ssthresh 5, window 5 + 3, and 12 segments in flight.
    for time in 103..107 {
        ack(&mut s, time, 0, &[]);
        assert_eq!(sent(&mut s, time), []);
    }
    ack(&mut s, 107, 0, &[]);
    assert_eq!(sent(&mut s, 107), [12]);
    ack(&mut s, 108, 0, &[]);
    assert_eq!(sent(&mut s, 108), [13]);
    // The retransmission fills the hole; the window is halved.
    ack(&mut s, 200, 12, &[]);
    assert_eq!(s.recovery, Recovery::Open);
    // RFC 6582 §3.2, step 3 (1): min(ssthresh, flight + one).
    assert_eq!(s.cwnd(), 3 * SMSS);
    assert_eq!(sent(&mut s, 200), [14]);
}

/// Two losses in a window, no SACK: a partial acknowledgement retransmits the second at once,
/// without leaving fast recovery and without waiting for duplicates (RFC 6582 §3.2, step 3).
#[test]
fn a_partial_acknowledgement_retransmits_the_next_hole() {
    let mut s = steady(Selective::Off, 10);
    // Segments 0 and 4 are lost.
    for time in 100..103 {
        ack(&mut s, time, 0, &[]);
    }
    assert_eq!(s.nxt(), at(10));
    assert_eq!(sent(&mut s, 102), [0]);
    for time in 103..108 {
        ack(&mut s, time, 0, &[]);
    }
    // Window 5 + 8, with ten segments in flight.
    assert_eq!(sent(&mut s, 108), [10, 11, 12]);
    ack(&mut s, 200, 4, &[]);
    assert!(matches!(s.recovery, Recovery::Reno(_)));
    // The window shrinks by four and grows by one, to 10; nine are in flight, one of them
    // retransmitted.
    assert_eq!(sent(&mut s, 200), [4, 13]);
    assert_eq!(s.cwnd(), 5 * SMSS);
    // Two of the three segments sent in recovery arrive; duplicates still inflate the window.
    ack(&mut s, 201, 4, &[]);
    assert_eq!(sent(&mut s, 201), [14]);
    // Acknowledges everything that was in flight at the start of recovery.
    ack(&mut s, 300, 10, &[]);
    assert_eq!(s.recovery, Recovery::Open);
}

#[test]
fn only_the_first_partial_acknowledgement_restarts_the_timer() {
    let mut s = steady(Selective::Off, 10);
    for time in 100..103 {
        ack(&mut s, time, 0, &[]);
    }
    sent(&mut s, 102);
    ack(&mut s, 200, 2, &[]);
    let first = s.retransmit_at;
    assert_eq!(first, Some(ms(1200)));
    sent(&mut s, 200);
    ack(&mut s, 300, 4, &[]);
    assert_eq!(s.retransmit_at, first);
}

/// After a timeout, go-back-N sends data that has already arrived; the resulting duplicates do not
/// indicate a loss (RFC 6582 §3.2, steps 1 and 4).
#[test]
fn duplicates_of_what_a_timeout_sent_twice_are_no_loss() {
    let mut s = steady(Selective::Off, 10);
    s.on_timeout(ms(1000));
    assert_eq!(s.cwnd(), SMSS);
    assert_eq!(sent(&mut s, 1000), [0]);
    for time in 1100..1105 {
        ack(&mut s, time, 1, &[]);
    }
    assert_eq!(s.counts().fast_retransmits, 0);
}

/// A single loss among ten segments, following RFC 6675 §5 step by step.
#[test]
fn one_loss_with_sack_goes_as_in_rfc_6675() {
    let mut s = steady(Selective::On, 10);
    // Segment 0 is lost. Each SACK allows one new segment (step 3).
    ack(&mut s, 100, 0, &[(1, 2)]);
    assert_eq!(sent(&mut s, 100), [10]);
    ack(&mut s, 101, 0, &[(1, 3)]);
    assert_eq!(sent(&mut s, 101), [11]);
    // Step 4: cwnd 5; 12 sent, 3 SACKed, 1 lost; the pipe has 8, or 9 with the retransmission.
    ack(&mut s, 102, 0, &[(1, 4)]);
    assert_eq!(s.pipe(), 8 * SMSS);
    assert_eq!(sent(&mut s, 102), [0]);
    assert_eq!(s.cwnd(), 5 * SMSS);
    for n in 5..9 {
        ack(&mut s, 98 + n, 0, &[(1, n)]);
        assert_eq!(sent(&mut s, 98 + n), []);
    }
    // The pipe has 5; from now on, each SACK allows one segment (step C).
    ack(&mut s, 107, 0, &[(1, 9)]);
    assert_eq!(sent(&mut s, 107), [12]);
    ack(&mut s, 108, 0, &[(1, 10)]);
    assert_eq!(sent(&mut s, 108), [13]);
    // Recovery ends with half the window, and as much in flight.
    ack(&mut s, 200, 12, &[]);
    assert_eq!(s.recovery, Recovery::Open);
    assert_eq!(sent(&mut s, 200), [14, 15, 16]);
    assert_eq!(s.flight(), 5 * SMSS);
}

/// Three losses in one window are repaired within one round trip, without a timeout.
#[test]
fn several_losses_with_sack_are_repaired_in_one_round_trip() {
    let mut s = steady(Selective::On, 20);
    // Segments 0, 5 and 6 are lost.
    ack(&mut s, 100, 0, &[(1, 2)]);
    ack(&mut s, 101, 0, &[(1, 3)]);
    ack(&mut s, 102, 0, &[(1, 4)]);
    assert_eq!(sent(&mut s, 102), [0]);
    ack(&mut s, 103, 0, &[(1, 5)]);
    let mut again = Vec::new();
    for n in 8..=20 {
        ack(&mut s, 96 + n, 0, &[(7, n), (1, 5)]);
        again.extend(sent(&mut s, 96 + n));
    }
    // Lost segments are sent before new data.
    assert_eq!(again[..2], [5, 6]);
    assert!(again[2..].iter().all(|n| *n >= 20), "{again:?}");
    ack(&mut s, 200, 20, &[]);
    assert_eq!(s.recovery, Recovery::Open);
    assert_eq!(s.counts().timeouts, 0);
    assert_eq!(s.counts().retransmissions, 3);
    assert_eq!(s.counts().fast_retransmits, 1);
}

/// Rule 4 of NextSeg(): the last segments of a transfer are lost, and also an earlier one.
#[test]
fn a_rescue_retransmission_saves_the_tail() {
    let mut s = sender(&options(), Selective::On, 1_000_000, 10 * SMSS);
    s.congestion = Box::new(Fixed(20 * SMSS));
    assert_eq!(sent(&mut s, 0).len(), 10);
    // Segments 0 and 9 are lost; there is no new data.
    for n in 2..=9 {
        ack(&mut s, 100 + n, 0, &[(1, n)]);
    }
    assert_eq!(sent(&mut s, 110), [0]);
    ack(&mut s, 200, 9, &[]);
    assert_eq!(sent(&mut s, 200), [9]);
    ack(&mut s, 300, 10, &[]);
    assert_eq!(s.counts().timeouts, 0);
}

#[test]
fn a_lost_retransmission_needs_the_timer_and_keeps_what_was_sacked() {
    let mut s = steady(Selective::On, 6);
    for n in 2..=6 {
        ack(&mut s, 100 + n, 0, &[(1, n)]);
    }
    assert_eq!(sent(&mut s, 106)[0], 0);
    let due = s.deadline().unwrap();
    assert_eq!(s.on_timeout(due), Expiry::Alive);
    let now = due.as_nanos() / 1_000_000;
    // SACKed segments are not retransmitted.
    assert_eq!(sent(&mut s, now), [0]);
    ack(&mut s, now + 100, 6, &[]);
    assert!(sent(&mut s, now + 100).iter().all(|n| *n >= 6));
}

#[test]
fn timeouts_double_and_the_last_one_gives_up() {
    let options = Options {
        retries: 3,
        ..options()
    };
    let mut s = sender(&options, Selective::On, 1_000_000, SMSS);
    let mut times = Vec::new();
    assert_eq!(sent(&mut s, 0), [0]);
    loop {
        let due = s.deadline().unwrap();
        times.push(due.as_nanos() / 1_000_000);
        if s.on_timeout(due) == Expiry::GaveUp {
            break;
        }
        assert_eq!(s.poll(due, SMSS), Some(Range::new(1, at(1))));
    }
    assert_eq!(times, [1000, 3000, 7000, 15_000]);
}

/// Karn's algorithm (RFC 6298 §3 and §5): retransmitted segments are not timed, and the backed-off
/// timeout remains until there is a new measurement.
#[test]
fn a_backed_off_timeout_stays_until_a_new_measurement() {
    let mut s = sender(&options(), Selective::On, 1_000_000, 3 * SMSS);
    assert_eq!(sent(&mut s, 0), [0, 1, 2]);
    s.on_timeout(ms(1000));
    assert_eq!(sent(&mut s, 1000), [0]);
    ack(&mut s, 1100, 3, &[]);
    assert_eq!(s.rto().rto(), Duration::from_secs(2));
    s.write(&vec![0; 1000].into());
    assert_eq!(sent(&mut s, 1100), [3]);
    ack(&mut s, 1200, 4, &[]);
    assert_eq!(s.rto().rto(), Duration::from_secs(1));
}

#[test]
fn a_lost_syn_makes_the_timeout_three_seconds_and_the_window_one_segment() {
    let mut s = Sender::new(&options());
    s.poll(Time::ZERO, SMSS);
    assert_eq!(s.deadline(), Some(ms(1000)));
    s.on_timeout(ms(1000));
    assert_eq!(s.poll(ms(1000), SMSS), Some(Range::new(0, 1)));
    assert_eq!(s.deadline(), Some(ms(3000)));
    s.agree(SMSS, Selective::On);
    ack_with_window(&mut s, 1100, 1, &[], 1_000_000);
    assert_eq!(s.rto().rto(), Duration::from_secs(3));
    assert_eq!(s.cwnd(), SMSS);
}

#[test]
fn a_closed_window_is_probed_with_one_byte_ever_more_rarely() {
    let mut s = sender(&options(), Selective::On, 2 * SMSS, 5 * SMSS);
    assert_eq!(sent(&mut s, 0), [0, 1]);
    ack_with_window(&mut s, 100, at(2), &[], 0);
    assert_eq!(s.poll(ms(100), SMSS), None);
    let mut times = Vec::new();
    for _ in 0..4 {
        let due = s.deadline().unwrap();
        times.push(due.as_nanos() / 1_000_000);
        s.on_timeout(due);
        assert_eq!(s.poll(due, SMSS), Some(Range::new(at(2), at(2) + 1)));
        assert_eq!(s.poll(due, SMSS), None);
        ack_with_window(&mut s, 7, at(2), &[], 0);
    }
    assert_eq!(times, [1100, 3100, 7100, 15_100]);
    // The peer's user reads: first the byte that did not fit is sent, then the rest.
    ack_with_window(&mut s, 16_000, at(2), &[], 10 * SMSS);
    assert_eq!(s.poll(ms(16_000), SMSS), Some(Range::new(at(2), at(2) + 1)));
    assert_eq!(s.counts().probes, 4);
    assert_eq!(s.counts().timeouts, 0);
    let next = Range::new(at(2) + 1, at(3) + 1);
    ack_with_window(&mut s, 16_100, at(2) + 1, &[], 10 * SMSS);
    assert_eq!(s.poll(ms(16_100), SMSS), Some(next));
}

#[test]
fn a_window_too_small_for_a_segment_is_not_filled_before_its_time() {
    let mut s = sender(&options(), Selective::On, 4 * SMSS, 9 * SMSS);
    assert_eq!(sent(&mut s, 0), [0, 1, 2, 3]);
    ack_with_window(&mut s, 100, at(4), &[], 300);
    assert_eq!(s.poll(ms(100), SMSS), None);
    let due = s.deadline().unwrap();
    s.on_timeout(due);
    // RFC 9293 §3.8.6.2.1: the override timer.
    assert_eq!(s.poll(due, SMSS), Some(Range::new(at(4), at(4) + 300)));
}

#[test]
fn nagle_lets_one_small_segment_go_at_a_time() {
    let mut s = sender(&options(), Selective::On, 1_000_000, 100);
    assert_eq!(s.poll(Time::ZERO, SMSS), Some(Range::new(1, 101)));
    s.write(&vec![0; 100].into());
    s.write(&vec![0; 100].into());
    assert_eq!(s.poll(ms(1), SMSS), None);
    // A full segment is sent at once.
    s.write(&vec![0; 900].into());
    assert_eq!(s.poll(ms(2), SMSS), Some(Range::new(101, 1101)));
    assert_eq!(s.poll(ms(2), SMSS), None);
    ack_with_window(&mut s, 50, 1101, &[], 1_000_000);
    assert_eq!(s.poll(ms(50), SMSS), Some(Range::new(1101, 1201)));
}

#[test]
fn without_nagle_each_write_leaves_at_once() {
    let options = Options {
        nagle: Nagle::Off,
        ..options()
    };
    let mut s = sender(&options, Selective::On, 1_000_000, 100);
    assert_eq!(s.poll(Time::ZERO, SMSS), Some(Range::new(1, 101)));
    s.write(&vec![0; 100].into());
    assert_eq!(s.poll(Time::ZERO, SMSS), Some(Range::new(101, 201)));
}

#[test]
fn the_fin_goes_with_the_last_bytes_and_is_sent_again_with_them() {
    // Nagle's algorithm does not delay a FIN.
    let last = Range::new(at(1), 1502);
    let mut s = sender(&options(), Selective::On, 1_000_000, 1500);
    s.finish();
    assert_eq!(s.poll(ms(0), SMSS), Some(Range::new(1, at(1))));
    assert_eq!(s.poll(ms(0), SMSS), Some(last));
    assert!(s.has_fin(last));
    ack_with_window(&mut s, 10, at(1), &[], 1_000_000);
    let due = s.deadline().unwrap();
    s.on_timeout(due);
    assert_eq!(s.poll(due, SMSS), Some(last));
    assert!(!s.fin_is_acked());
    ack_with_window(&mut s, 5000, 1502, &[], 1_000_000);
    assert!(s.fin_is_acked());
    assert_eq!(s.deadline(), None);
}

#[test]
fn after_an_idle_timeout_the_window_is_the_first_one_again() {
    let mut s = sender(&options(), Selective::On, 1_000_000, 200 * SMSS);
    for round in 0..5_u64 {
        sent(&mut s, round * 100);
        let upto = (s.nxt() - 1) / SMSS;
        let from = (s.una() - 1) / SMSS;
        for n in from..upto {
            ack(&mut s, round * 100 + 99, n + 1, &[]);
        }
    }
    let grown = s.cwnd();
    assert!(grown > 60 * SMSS);
    let all = s.buffer.end();
    while s.una() < all {
        sent(&mut s, 500);
        let n = (s.nxt() - 1) / SMSS;
        ack(&mut s, 500, n, &[]);
    }
    s.write(&vec![0; 100_000].into());
    assert_eq!(sent(&mut s, 3000).len(), 4);
}

#[test]
fn an_acknowledgement_of_what_was_never_sent_is_told() {
    let mut s = steady(Selective::On, 3);
    let news = AckNews {
        ack: at(9),
        window: 5,
        seq: 1,
        blocks: &[],
        content: Content::Bare,
    };
    assert_eq!(s.on_ack(ms(1), &news), Digest::Unsent);
    assert_eq!(s.una(), 1);
}

#[test]
fn blocks_of_what_was_never_sent_are_not_believed() {
    let mut s = steady(Selective::On, 5);
    for n in 0..5 {
        let lie = [Range::new(at(20 + n), at(21 + n))];
        ack_with_window(&mut s, 10 + n, 1, &lie, 1_000_000);
    }
    assert_eq!(s.counts().fast_retransmits, 0);
    assert_eq!(s.counts().dup_acks, 0);
}

#[test]
fn an_old_segment_does_not_bring_back_an_old_window() {
    let mut s = steady(Selective::On, 3);
    let news = |seq, ack, window| AckNews {
        ack,
        window,
        seq,
        blocks: &[],
        content: Content::Bare,
    };
    s.on_ack(ms(1), &news(5, at(1), 9000));
    s.on_ack(ms(2), &news(4, at(1), 100));
    assert_eq!(s.window.edge(), at(1) + 9000);
}

/// A sender with time-based loss detection that has sent `data` bytes as far as the window allows.
fn timed(data: u64) -> Sender {
    let options = Options {
        loss_detection: LossDetection::Rack,
        initial_window: crate::tcp::InitialWindow::Rfc6928,
        ..options()
    };
    sender(&options, Selective::On, 1_000_000, data)
}

/// The ranges sent at that time.
fn leaving(sender: &mut Sender, time: u64) -> Vec<Range> {
    core::iter::from_fn(|| sender.poll(ms(time), SMSS)).collect()
}

fn segment(n: u64) -> Range {
    Range::new(at(n), at(n + 1))
}

#[test]
fn the_tail_of_a_flight_is_probed_long_before_the_timeout() {
    let mut sender = timed(5 * SMSS);
    assert_eq!(leaving(&mut sender, 0).len(), 5);
    ack(&mut sender, 40, 3, &[]);
    // The probe is sent after twice the smoothed round trip, 5 ms because of the handshake's
    // measurement of 0; the timeout would be 1 s.
    assert_eq!(sender.deadline(), Some(ms(50)));
    assert_eq!(sender.on_timeout(ms(50)), Expiry::Alive);
    assert_eq!(leaving(&mut sender, 50), [segment(4)]);
    assert_eq!(sender.counts().tail_probes, 1);
    // The probe reveals that the segment before it is lost, too.
    ack(&mut sender, 90, 3, &[(4, 5)]);
    assert_eq!(leaving(&mut sender, 90), [segment(3)]);
    ack(&mut sender, 130, 5, &[]);
    assert_eq!((sender.flight(), sender.counts().timeouts), (0, 0));
}

#[test]
fn a_probe_that_repaired_a_loss_costs_the_window_its_share() {
    let mut sender = timed(20 * SMSS);
    assert_eq!(leaving(&mut sender, 0).len(), 10);
    ack(&mut sender, 40, 10, &[]);
    let sent = leaving(&mut sender, 40);
    let last = 10 + sent.len() as u64;
    // The last segment of the flight is lost.
    ack(&mut sender, 80, last - 1, &[]);
    let before = sender.cwnd();
    let probe_at = sender.deadline().expect("a probe is due");
    assert_eq!(sender.on_timeout(probe_at), Expiry::Alive);
    let probe = sender.poll(probe_at, SMSS).expect("the probe");
    assert_eq!(probe, segment(last - 1));
    ack(&mut sender, 400, last, &[]);
    sender.write(&vec![0; 1000].into());
    assert_eq!(leaving(&mut sender, 400).len(), 1);
    ack(&mut sender, 440, last + 1, &[]);
    assert!(sender.cwnd() < before, "{} of {before}", sender.cwnd());
    assert_eq!(sender.counts().timeouts, 0);
}

#[test]
fn a_probe_of_what_had_arrived_costs_nothing() {
    let mut sender = timed(5 * SMSS);
    assert_eq!(leaving(&mut sender, 0).len(), 5);
    ack(&mut sender, 40, 4, &[]);
    let before = sender.cwnd();
    let probe_at = sender.deadline().expect("a probe is due");
    sender.on_timeout(probe_at);
    assert_eq!(sender.poll(probe_at, SMSS), Some(segment(4)));
    // The acknowledgement was delayed; a duplicate acknowledges the probe.
    ack(&mut sender, 400, 5, &[]);
    ack(&mut sender, 440, 5, &[]);
    sender.write(&vec![0; 1000].into());
    assert_eq!(leaving(&mut sender, 440).len(), 1);
    ack(&mut sender, 480, 6, &[]);
    assert!(sender.cwnd() >= before, "{} of {before}", sender.cwnd());
}

#[test]
fn a_lost_retransmission_needs_no_timeout() {
    let mut sender = timed(40 * SMSS);
    assert_eq!(leaving(&mut sender, 0).len(), 10);
    ack(&mut sender, 40, 0, &[(1, 4)]);
    assert_eq!(leaving(&mut sender, 40).first(), Some(&segment(0)));
    // Data sent after the retransmission arrives, but the retransmission does not.
    ack(&mut sender, 60, 0, &[(1, 10)]);
    let new = leaving(&mut sender, 60);
    assert!(!new.is_empty());
    let sent = new.len() as u64;
    ack(&mut sender, 100, 0, &[(1, 10 + sent)]);
    assert_eq!(leaving(&mut sender, 100).first(), Some(&segment(0)));
    assert_eq!(sender.counts().timeouts, 0);
}
