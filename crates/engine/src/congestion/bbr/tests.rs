use super::*;
use crate::Excess;

const PMDCS: u64 = 1000;
const RTT: Duration = Duration::from_millis(40);

/// BBR, and a path that delivers round trip by round trip.
struct Bench {
    bbr: Bbr,
    now: Time,
    delivered: u64,
    recovery: Recovery,
}

/// The events of a round trip.
#[derive(Clone, Copy)]
struct Round {
    /// Delivery rate of the path, bytes per second.
    rate: u64,
    lost: u64,
    lost_runs: u32,
    limit: Limit,
    /// Bytes in flight afterwards.
    flight: u64,
}

const STEADY: Round = Round {
    rate: 10_000_000,
    lost: 0,
    lost_runs: 0,
    limit: Limit::Network,
    flight: 400_000,
};

impl Bench {
    fn new() -> Self {
        let mut bbr = Bbr::new(PMDCS, WindowRules::Rfc9260, 4404);
        bbr.on_restart(Time::ZERO, Limit::Network, 1);
        Self {
            bbr,
            now: Time::from_millis(1000),
            delivered: 0,
            recovery: Recovery::Open,
        }
    }

    /// A control that has seen 10 MB/s and its queue run empty.
    fn cruising() -> Self {
        let mut bench = Self::new();
        for _ in 0..20 {
            bench.round(STEADY);
        }
        while bench.bbr.phase != BbrPhase::Cruise {
            bench.round(STEADY);
        }
        bench
    }

    fn round(&mut self, round: Round) {
        let bytes = share(round.rate, 4);
        let before = self.delivered;
        self.delivered += bytes;
        self.now = self.now + RTT;
        let ack = Ack {
            flight: round.flight.min(self.bbr.cwnd),
            recovery: self.recovery,
            ..self.ack(bytes)
        };
        let tolerated = !Bbr::is_too_lossy(round.lost, self.bbr.cwnd);
        let sample = RateSample {
            delivered: self.delivered,
            newly_acked: bytes,
            newly_lost: round.lost,
            lost_runs: round.lost_runs,
            round_trip: Some(RTT),
            newest: Some(Flown {
                delivered_before: before,
                volume: bytes,
                rate: Rate::of(bytes, RTT),
                flight: self.bbr.cwnd,
                lost: round.lost,
                limit: round.limit,
            }),
            excess: (round.lost > 0 && !tolerated).then_some(Excess {
                flight: self.bbr.cwnd,
                limit: round.limit,
            }),
        };
        self.bbr.on_ack(&ack);
        self.bbr.on_delivery(&ack, &sample);
    }

    /// Acknowledges a window of `bytes` and all that is in flight.
    fn ack(&self, bytes: u64) -> Ack {
        Ack {
            now: self.now,
            srtt: Some(RTT),
            ..Ack::of(bytes, self.bbr.cwnd)
        }
    }

    fn until(&mut self, phase: BbrPhase, round: Round) {
        for _ in 0..500 {
            if self.bbr.phase == phase {
                return;
            }
            self.round(round);
        }
        panic!("{phase:?} never comes: {:?}", self.bbr);
    }

    fn most(&self) -> u64 {
        self.bbr.bandwidth.most().unwrap().bytes_per_second
    }
}

/// Appendix A.1.
#[test]
fn startup_ends_after_three_round_trips_without_growth() {
    let mut bench = Bench::new();
    for doubled in 0..6 {
        bench.round(Round {
            rate: 300_000 << doubled,
            ..STEADY
        });
        assert_eq!(bench.bbr.phase, BbrPhase::Startup, "{doubled}");
    }
    let last = Round {
        rate: 300_000 << 5,
        flight: 1_000_000,
        ..STEADY
    };
    bench.round(last);
    bench.round(last);
    assert_eq!(bench.bbr.phase, BbrPhase::Startup);
    bench.round(last);
    assert_eq!(bench.bbr.phase, BbrPhase::Drain);
}

/// Appendix A.7.
#[test]
fn without_enough_to_send_startup_does_not_end() {
    let mut bench = Bench::new();
    let limited = Round {
        limit: Limit::Supply,
        ..STEADY
    };
    for _ in 0..200 {
        bench.round(limited);
    }
    assert!(!bench.bbr.full_pipe.was_reached());
}

#[test]
fn the_pace_of_startup_is_2_77_times_the_rate_and_never_falls() {
    let mut bench = Bench::new();
    bench.round(STEADY);
    let pace = |bench: &Bench| bench.bbr.pacing().unwrap().bytes_per_second;
    assert_eq!(pace(&bench), 27_423_000);
    bench.round(Round {
        rate: 1_000_000,
        ..STEADY
    });
    assert_eq!(pace(&bench), 27_423_000);
}

/// Appendix A.3 and A.4.
#[test]
fn drain_ends_when_the_queue_is_gone_or_after_three_round_trips() {
    let queue = Round {
        flight: 800_000,
        ..STEADY
    };
    let mut bench = Bench::new();
    bench.until(BbrPhase::Drain, queue);
    bench.round(STEADY);
    // Straight on: nothing is queued.
    assert_eq!(bench.bbr.phase, BbrPhase::Cruise);
    let mut bench = Bench::new();
    bench.until(BbrPhase::Drain, queue);
    for _ in 0..3 {
        bench.round(queue);
        assert_eq!(bench.bbr.phase, BbrPhase::Drain);
    }
    bench.round(queue);
    assert_eq!(bench.bbr.phase, BbrPhase::Down);
}

#[test]
fn the_phases_of_a_cycle_follow_each_other() {
    let mut bench = Bench::cruising();
    for phase in [
        BbrPhase::Refill,
        BbrPhase::Up,
        BbrPhase::Down,
        BbrPhase::Cruise,
    ] {
        let before = bench.bbr.phase;
        while bench.bbr.phase == before {
            bench.round(STEADY);
        }
        assert_eq!(bench.bbr.phase, phase);
    }
}

#[test]
fn a_cycle_lasts_three_seconds_or_63_round_trips_at_most() {
    let mut bench = Bench::cruising();
    bench.until(BbrPhase::Up, STEADY);
    bench.until(BbrPhase::Down, STEADY);
    let began = bench.now;
    bench.until(BbrPhase::Up, STEADY);
    let took = bench.now.since(began);
    let least = Duration::from_secs(2).min(RTT * 61);
    let most = Duration::from_millis(3100);
    assert!((least..=most).contains(&took), "{took:?}");
}

#[test]
fn the_window_is_twice_the_product_of_rate_and_round_trip() {
    let bench = Bench::cruising();
    let extra = bench.bbr.aggregation.extra();
    assert!((800_000..=800_000 + extra).contains(&bench.bbr.cwnd()));
}

#[test]
fn no_path_is_so_slow_that_the_window_is_less_than_four_packets() {
    let mut bench = Bench::new();
    for _ in 0..200 {
        bench.round(Round {
            rate: 25_000,
            flight: 1000,
            ..STEADY
        });
        assert!(bench.bbr.cwnd() >= 4 * PMDCS);
    }
}

#[test]
fn a_rate_that_is_gone_is_forgotten_after_two_cycles() {
    let mut bench = Bench::cruising();
    let half = Round {
        rate: 5_000_000,
        ..STEADY
    };
    for _ in 0..2 {
        bench.until(BbrPhase::Up, half);
        bench.until(BbrPhase::Down, half);
    }
    bench.round(half);
    bench.round(half);
    assert!(bench.most() <= 5_000_000, "{}", bench.most());
}

#[test]
fn a_lack_of_data_makes_no_rate_forgotten() {
    let mut bench = Bench::cruising();
    for _ in 0..1000 {
        bench.round(Round {
            rate: 100_000,
            limit: Limit::Supply,
            flight: 4000,
            ..STEADY
        });
    }
    assert_eq!(bench.most(), 10_000_000);
}

#[test]
fn two_lost_of_a_hundred_end_no_probe_and_three_do() {
    for (lost, ends) in [(16_000, false), (30_000, true)] {
        let mut bench = Bench::cruising();
        bench.until(BbrPhase::Up, STEADY);
        bench.round(Round {
            lost,
            lost_runs: 8,
            ..STEADY
        });
        assert_eq!(bench.bbr.bounds.has_long_term(), ends, "{lost}");
        assert_eq!(bench.bbr.phase != BbrPhase::Up, ends, "{lost}");
    }
}

#[test]
fn losses_while_cruising_cost_three_tenths_a_round_trip_at_most() {
    let mut bench = Bench::cruising();
    let mut before = 10_000_000;
    for _ in 0..16 {
        bench.round(Round {
            rate: 1_000_000,
            lost: PMDCS,
            lost_runs: 1,
            ..STEADY
        });
        let rate = bench.bbr.rate().unwrap().bytes_per_second;
        assert!(rate >= before * 7 / 10, "{rate} after {before}");
        before = rate;
    }
    assert!(before < 2_000_000, "{before}");
}

#[test]
fn many_losses_end_startup() {
    let mut bench = Bench::new();
    bench.recovery = Recovery::Fast;
    for doubled in 0..4 {
        bench.round(Round {
            rate: 500_000 << doubled,
            lost: if doubled < 2 { 0 } else { 40_000 },
            lost_runs: if doubled < 2 { 0 } else { 8 },
            ..STEADY
        });
    }
    assert!(bench.bbr.full_pipe.was_reached());
    assert!(bench.bbr.bounds.has_long_term());
}

#[test]
fn a_timeout_leaves_one_packet_and_the_window_comes_back() {
    let mut bench = Bench::cruising();
    let before = bench.bbr.cwnd();
    bench.bbr.on_loss(bench.now, Loss::Timeout);
    assert_eq!(bench.bbr.cwnd(), PMDCS);
    for _ in 0..3 {
        bench.round(STEADY);
    }
    assert!(bench.bbr.cwnd() >= before * 7 / 10, "{}", bench.bbr.cwnd());
}

#[test]
fn data_that_left_before_a_timeout_widens_no_window_after_it() {
    let mut bench = Bench::cruising();
    bench.bbr.on_loss(bench.now, Loss::Timeout);
    let ack = Ack {
        flight_before: 0,
        flight: 0,
        ..bench.ack(400_000)
    };
    let sample = RateSample {
        delivered: bench.delivered + 400_000,
        newly_acked: 400_000,
        ..RateSample::default()
    };
    bench.bbr.on_ack(&ack);
    bench.bbr.on_delivery(&ack, &sample);
    assert_eq!(bench.bbr.cwnd(), PMDCS);
}

#[test]
fn a_window_cut_for_a_spurious_loss_is_restored() {
    let mut bench = Bench::cruising();
    bench.until(BbrPhase::Up, STEADY);
    let cwnd = bench.bbr.cwnd();
    bench.round(Round {
        lost: 60_000,
        lost_runs: 8,
        ..STEADY
    });
    assert_eq!(bench.bbr.phase, BbrPhase::Cruise);
    bench.bbr.on_spurious_loss(bench.now);
    assert_eq!(bench.bbr.phase, BbrPhase::Refill);
    assert!(!bench.bbr.bounds.has_long_term());
    assert!(bench.bbr.cwnd() >= cwnd);
}

/// Ours: §3.7 leaves it open.
#[test]
fn a_mark_widens_no_window_and_ends_a_probe() {
    for _ in 0..3 {
        let mut bench = Bench::cruising();
        bench.until(BbrPhase::Up, STEADY);
        let before = bench.bbr.cwnd();
        bench.bbr.on_mark(bench.now);
        assert!(bench.bbr.cwnd() <= before);
        assert_eq!(bench.bbr.phase, BbrPhase::Down);
        assert!(bench.bbr.bounds.has_long_term());
    }
    let mut bench = Bench::new();
    bench.round(STEADY);
    bench.bbr.on_mark(bench.now);
    bench.round(STEADY);
    assert_ne!(bench.bbr.phase, BbrPhase::Startup);
}

/// Appendix A.10.
#[test]
fn little_is_in_flight_for_200_ms_every_five_seconds() {
    let mut bench = Bench::cruising();
    for _ in 0..130 {
        bench.round(STEADY);
        if bench.bbr.phase == BbrPhase::ProbeRtt {
            break;
        }
    }
    assert_eq!(bench.bbr.phase, BbrPhase::ProbeRtt);
    assert_eq!(bench.bbr.cwnd(), 200_000);
    let began = bench.now;
    while bench.bbr.phase == BbrPhase::ProbeRtt {
        bench.round(Round {
            flight: 200_000,
            ..STEADY
        });
    }
    assert!(bench.now.since(began) >= Duration::from_millis(200));
    assert_eq!(bench.bbr.phase, BbrPhase::Cruise);
    assert!(bench.bbr.cwnd() > 600_000);
}

/// Appendix A.11.
#[test]
fn a_sender_that_was_idle_need_not_look_for_the_least_round_trip() {
    let mut bench = Bench::cruising();
    bench.now = bench.now + Duration::from_secs(20);
    bench.bbr.on_restart(bench.now, Limit::Supply, 1);
    bench.round(STEADY);
    assert_ne!(bench.bbr.phase, BbrPhase::ProbeRtt);
}

#[test]
fn cycles_of_different_associations_differ() {
    let wait = |seed| {
        let mut draws = FlowRng::default();
        draws.seed(seed);
        draws.draw() % 1_000_000_000
    };
    assert_ne!(wait(1), wait(2));
}
