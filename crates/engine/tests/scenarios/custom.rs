//! User-defined congestion controls and acknowledgement policies.

use crate::prelude::*;

/// A window that grows by acknowledged bytes and resets at each loss.
#[derive(Clone, Debug)]
struct Eager {
    pmdcs: u64,
    cwnd: u64,
}

impl Eager {
    const NAME: &str = "eager";

    fn chosen() -> CongestionAlgorithm {
        CongestionAlgorithm::Custom(CustomCongestion {
            name: Self::NAME,
            signals: CongestionSignals::Acknowledgements,
            make: |path: &NewPath| {
                Box::new(Self {
                    pmdcs: path.pmdcs,
                    cwnd: 3 * path.pmdcs,
                })
            },
        })
    }
}

impl CongestionControl for Eager {
    fn on_ack(&mut self, ack: &Ack) {
        self.cwnd += ack.bytes;
    }

    fn on_loss(&mut self, _now: Time, _loss: Loss) {
        self.cwnd = 3 * self.pmdcs;
    }

    fn on_mark(&mut self, _now: Time) {
        self.cwnd = 3 * self.pmdcs;
    }

    fn on_idle(&mut self, _rtos: u32) {}

    fn on_pmdcs(&mut self, pmdcs: u64) {
        self.pmdcs = pmdcs;
    }

    fn cwnd(&self) -> u64 {
        self.cwnd
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }
}

/// No limit on window or rate.
#[derive(Clone, Debug)]
struct Boundless;

impl Boundless {
    fn chosen(signals: CongestionSignals) -> CongestionAlgorithm {
        CongestionAlgorithm::Custom(CustomCongestion {
            name: "boundless",
            signals,
            make: |_: &NewPath| Box::new(Self),
        })
    }
}

impl CongestionControl for Boundless {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, _now: Time, _loss: Loss) {}

    fn on_mark(&mut self, _now: Time) {}

    fn on_idle(&mut self, _rtos: u32) {}

    fn on_pmdcs(&mut self, _pmdcs: u64) {}
    fn cwnd(&self) -> u64 {
        u64::MAX
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    fn pacing(&self) -> Option<Rate> {
        Some(Rate {
            bytes_per_second: u64::MAX,
        })
    }
}

#[test]
fn a_congestion_control_without_bounds_sends_at_once() {
    let signals = [
        CongestionSignals::Acknowledgements,
        CongestionSignals::DeliveryRates,
    ];
    for (signals, profile) in signals.into_iter().flat_map(|signals| {
        let profiles = [Profile::Rfc9260, Profile::Modern];
        profiles.map(move |profile| (signals, profile))
    }) {
        for multipath in [
            Multipath::Off,
            Multipath::Concurrent(ConcurrentTransfer::default()),
        ] {
            let setup = Setup::with(Options {
                congestion: Boundless::chosen(signals),
                multipath,
                pacing: Pacing::On,
                buffers: BufferSizes::AUTO,
                standing_queue: Some(ms(5)),
                ..profile.options()
            });
            let mut world = setup.paths(2).established();
            world.send_times(A, 200, &blob(0, 1452));
            world.run_for(secs(1));
            assert_eq!(world.messages(Z).len(), 200, "{signals:?}, {multipath:?}");
        }
    }
}

fn with(congestion: CongestionAlgorithm) -> World {
    let setup = Setup::quiet(|options| {
        options.congestion = congestion;
        options.max_burst = None;
    });
    setup.established()
}

fn cwnd(world: &mut World) -> u64 {
    world.first_path(A).cwnd
}

#[test]
fn a_congestion_control_of_the_users_own_sets_the_window_and_hears_of_losses() {
    let mut world = with(Eager::chosen());
    assert_eq!(cwnd(&mut world), 3 * 1468);
    world.send_times(A, 10, &blob(0, 1452));
    world.run_for(secs(1));
    assert_eq!(cwnd(&mut world), 13 * 1468);
    world.edit_link(address(A, 1), address(Z, 1), |link| link.loss = 1000);
    world.send(A, blob(0, 1452));
    world.run_for(secs(2));
    assert_eq!(cwnd(&mut world), 3 * 1468);
}

#[test]
fn a_congestion_control_that_counts_marks_needs_ecn() {
    let CongestionAlgorithm::Custom(custom) = Eager::chosen() else {
        unreachable!()
    };
    let mut options = Options {
        congestion: CongestionAlgorithm::Custom(CustomCongestion {
            signals: CongestionSignals::Marks,
            ..custom
        }),
        ..Options::default()
    };
    let error = options.validate().unwrap_err();
    assert_eq!(error.to_string(), "congestion = eager: needs ecn = on");
    options.ecn = ExplicitCongestion::On;
    assert_eq!(options.validate(), Ok(()));
}

/// Twice the path's delivery rate, once measured.
#[derive(Clone, Debug)]
struct ByRate(Option<Rate>);

impl CongestionControl for ByRate {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, _now: Time, _loss: Loss) {}

    fn on_mark(&mut self, _now: Time) {}

    fn on_idle(&mut self, _rtos: u32) {}

    fn on_delivery(&mut self, _ack: &Ack, sample: &RateSample) -> Limit {
        let measured = sample.newest.and_then(|newest| newest.rate);
        self.0 = self.0.max(measured.map(|rate| Rate {
            bytes_per_second: rate.bytes_per_second * 2,
        }));
        Limit::Network
    }

    fn on_pmdcs(&mut self, _pmdcs: u64) {}

    fn cwnd(&self) -> u64 {
        match self.0 {
            None => 4 * 1468,
            Some(_) => 400_000,
        }
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    fn pacing(&self) -> Option<Rate> {
        self.0
    }
}

#[test]
fn a_congestion_control_that_asks_for_delivery_rates_is_told_of_them() {
    let mut world = with(CongestionAlgorithm::Custom(CustomCongestion {
        name: "by-rate",
        signals: CongestionSignals::DeliveryRates,
        make: |_| Box::new(ByRate(None)),
    }));
    world.send_times(A, 50, &blob(0, 1452));
    world.run_for(secs(2));
    assert_eq!(cwnd(&mut world), 400_000);
    assert_eq!(world.stats(Z).bytes_received, 50 * 1452);
}

/// A SACK for every fifth packet, after 30 ms at most, whatever the order.
#[derive(Clone, Debug)]
struct EveryFifth {
    sacks: u32,
}

impl Acknowledge for EveryFifth {
    fn on_packet(&mut self, arrival: &DataArrival) -> AckTiming {
        if arrival.order == ArrivalOrder::Irregular || arrival.unacknowledged >= 5 {
            AckTiming::Now
        } else if self.sacks < 100 {
            AckTiming::Within(ms(30))
        } else {
            AckTiming::Within(secs(60))
        }
    }

    fn on_sack(&mut self, _now: Time) {
        self.sacks += 1;
    }
}

/// Checks when packets on these streams are acknowledged by a policy that has sent SACKs before.
#[track_caller]
fn assert_acknowledged(make: fn() -> Box<dyn Acknowledge>, streams: &[u16], at: &[u64]) {
    let policy = CustomAcknowledgement {
        name: "every-fifth",
        make,
    };
    let options = quiet_but(|options| {
        options.acknowledgement_policy = AcknowledgementPolicy::Custom(policy);
    });
    let (mut world, mut peer) = Peer::serving(options);
    let began = world.now();
    for stream in streams {
        peer.send_data(&mut world, *stream, 0, b"x");
    }
    world.run_for(secs(2));
    let expected: Vec<_> = at.iter().copied().map(ms).collect();
    assert_eq!(world.delays(A, ChunkType::SACK, began), expected);
}

#[test]
fn an_acknowledgement_policy_of_the_users_own_counts_packets() {
    let fresh = || Box::new(EveryFifth { sacks: 0 }) as Box<dyn Acknowledge>;
    assert_acknowledged(fresh, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], &[10, 10]);
}

#[test]
fn an_acknowledgement_policy_of_the_users_own_sets_the_delay() {
    let fresh = || Box::new(EveryFifth { sacks: 0 }) as Box<dyn Acknowledge>;
    // The second chunk is beyond a gap, which the standard policy would report at once.
    assert_acknowledged(fresh, &[0, 2], &[40]);
}

// RFC 9260 §6.2
#[test]
fn no_acknowledgement_policy_delays_for_more_than_500_ms() {
    let late = || Box::new(EveryFifth { sacks: 100 }) as Box<dyn Acknowledge>;
    assert_acknowledged(late, &[0], &[510]);
}
