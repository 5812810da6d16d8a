//! User-defined policies, some of them unreasonable.

use core::time::Duration;

use sheave_engine::{
    Ack, AckTiming, Acknowledge, AcknowledgementPolicy, ArrivalOrder, CongestionAlgorithm,
    CongestionControl, CongestionSignals, CustomAcknowledgement, CustomCongestion, DataArrival,
    Loss, NewPath, Options, Rate, Time,
};

/// A congestion window that ignores acknowledgements and losses.
#[derive(Clone, Debug)]
enum Stubborn {
    Boundless,
    /// A fixed window of a few packets.
    Fixed(u64),
    /// A window that alternates between large and small.
    Flapping {
        acks: u64,
    },
}

impl CongestionControl for Stubborn {
    fn on_ack(&mut self, _: &Ack) {
        if let Self::Flapping { acks } = self {
            *acks += 1;
        }
    }

    fn on_loss(&mut self, _: Time, _: Loss) {}

    fn on_mark(&mut self, _: Time) {}

    fn on_idle(&mut self, _: u32) {}

    fn on_pmdcs(&mut self, _: u64) {}

    fn cwnd(&self) -> u64 {
        match *self {
            Self::Boundless => u64::MAX,
            Self::Fixed(bytes) => bytes,
            Self::Flapping { acks } if acks % 7 < 4 => 2000,
            Self::Flapping { .. } => 50_000,
        }
    }

    fn ssthresh(&self) -> u64 {
        self.cwnd()
    }

    fn pacing(&self) -> Option<Rate> {
        let bytes_per_second = match self {
            Self::Boundless => u64::MAX,
            Self::Fixed(_) | Self::Flapping { .. } => return None,
        };
        Some(Rate { bytes_per_second })
    }
}

type Make = fn(&NewPath) -> Box<dyn CongestionControl>;

/// 0: unlimited, 1: four packets, 2: alternating large and small; 3 to 5: the same with rates.
pub(crate) fn congestion(options: &mut Options, value: u32) {
    let (name, make): (_, Make) = match value % 3 {
        0 => ("boundless", |_| Box::new(Stubborn::Boundless)),
        1 => ("fixed", |path| Box::new(Stubborn::Fixed(4 * path.pmdcs))),
        _ => ("flapping", |_| Box::new(Stubborn::Flapping { acks: 0 })),
    };
    let signals = match value / 3 {
        0 => CongestionSignals::Acknowledgements,
        _ => CongestionSignals::DeliveryRates,
    };
    options.congestion = CongestionAlgorithm::Custom(CustomCongestion {
        name,
        signals,
        make,
    });
}

/// An acknowledgement policy: at once, late, or for every nth packet.
#[derive(Clone, Debug)]
struct Sparing {
    frequency: u8,
}

impl Acknowledge for Sparing {
    fn on_packet(&mut self, arrival: &DataArrival) -> AckTiming {
        let due = arrival.unacknowledged >= self.frequency;
        if due || arrival.order != ArrivalOrder::InOrder {
            AckTiming::Now
        } else {
            AckTiming::Within(Duration::from_millis(100))
        }
    }
}

/// 0: a SACK for each packet, 1: for every fourth, others: for every 255th.
pub(crate) fn acknowledgement(options: &mut Options, value: u32) {
    let (name, make): (_, fn() -> Box<dyn Acknowledge>) = match value {
        0 => ("each", || Box::new(Sparing { frequency: 1 })),
        1 => ("few", || Box::new(Sparing { frequency: 4 })),
        _ => ("none", || Box::new(Sparing { frequency: 255 })),
    };
    options.acknowledgement_policy =
        AcknowledgementPolicy::Custom(CustomAcknowledgement { name, make });
}
