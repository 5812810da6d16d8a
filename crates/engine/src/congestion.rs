//! Congestion control of one path: the trait, its inputs, and the built-in algorithms.

/// Methods of a control that the [`NewReno`] in its field `reno` answers.
macro_rules! as_new_reno {
    () => {
        fn on_idle(&mut self, rtos: u32) {
            self.reno.on_idle(rtos);
        }

        fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
            self.reno.on_resume(cwnd, ssthresh);
        }

        fn on_pmdcs(&mut self, pmdcs: u64) {
            self.reno.on_pmdcs(pmdcs);
        }

        fn cwnd(&self) -> u64 {
            self.reno.cwnd()
        }

        fn ssthresh(&self) -> u64 {
            self.reno.ssthresh()
        }
    };
}
use as_new_reno;

mod algorithm;
mod bbr;
mod coupled;
mod cubic;
mod custom;
mod dctcp;
mod early_decrease;
mod ecn_discrimination;
mod high_speed;
mod hystart;
mod new_reno;
mod rate;
mod window_rules;

use alloc::boxed::Box;
use core::fmt::Debug;
use core::time::Duration;

pub use algorithm::CongestionAlgorithm;
pub use bbr::Bbr;
pub use coupled::{Coupled, Siblings};
pub use cubic::Cubic;
pub use custom::{CongestionSignals, CustomCongestion, NewPath};
pub use dctcp::Dctcp;
pub use early_decrease::EarlyDecrease;
pub use ecn_discrimination::EcnDiscrimination;
pub use high_speed::HighSpeed;
pub use new_reno::NewReno;
pub use rate::{Excess, Flown, Limit, Rate, RateSample};
pub use window_rules::{DecreaseTrigger, WindowRules};

use crate::Time;

/// Facts about one path from one SACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// When the SACK arrived.
    pub now: Time,
    /// Bytes of DATA chunks newly acknowledged on this path, headers and padding included.
    pub bytes: u64,
    /// Bytes in flight on this path before the SACK.
    pub flight_before: u64,
    /// Bytes in flight on this path after it.
    pub flight: u64,
    /// Whether the Cumulative TSN Ack Point moved.
    pub cumulative: Cumulative,
    /// Whether a loss is being repaired.
    pub recovery: Recovery,
    /// Smoothed round-trip time of the path, once measured.
    pub srtt: Option<Duration>,
    /// Round trip of the most recently sent chunk among those newly acknowledged, counting only
    /// chunks sent once (Karn's rule).
    pub rtt: Option<Duration>,
}

#[cfg(test)]
impl Ack {
    /// A SACK for `bytes` of a window in which `flight_before` were in flight.
    pub(crate) const fn of(bytes: u64, flight_before: u64) -> Self {
        Self {
            now: Time::ZERO,
            bytes,
            flight_before,
            flight: flight_before.saturating_sub(bytes),
            cumulative: Cumulative::Advanced,
            recovery: Recovery::Open,
            srtt: None,
            rtt: None,
        }
    }
}

/// Whether a SACK moved the Cumulative TSN Ack Point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cumulative {
    /// The cumulative TSN moved forward.
    Advanced,
    /// The cumulative TSN stayed.
    Unmoved,
}

/// Whether the association is in Fast Recovery (RFC 9260 §7.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// No recovery is under way.
    Open,
    /// Fast Recovery is under way.
    Fast,
}

/// Detection of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Gap reports showed the loss; the sender enters Fast Recovery.
    GapReports,
    /// Gap reports like [`GapReports`](Self::GapReports), where ECN is in use and no packet of the
    /// same window of data was marked.
    Unmarked,
    /// T3-rtx expired.
    Timeout,
}

/// Decides how much may be in flight on one path.
///
/// Sizes are bytes of DATA chunks, headers and padding included. One packet may be in flight
/// however small the window; after a timeout, only one until something is acknowledged. For each
/// SACK, the engine calls `on_ack` for every path on which data was acknowledged, then `on_loss`
/// (RFC 9260 §7.2.4, note).
pub trait CongestionControl: CloneControl + Debug + Send {
    /// A SACK acknowledged data that was sent on this path.
    fn on_ack(&mut self, ack: &Ack);

    /// Data sent on this path was lost.
    fn on_loss(&mut self, now: Time, loss: Loss);

    /// A router marked a packet sent on this path (RFC 3168). Called for the first mark in a window
    /// of data, unless a loss was found in the same window. Never widens the window.
    fn on_mark(&mut self, now: Time);

    /// The peer reported one more marked packet on this path, with about `bytes` of DATA chunks.
    /// Called for every reported packet, unlike [`on_mark`](Self::on_mark).
    fn on_marked_packet(&mut self, _bytes: u64) {}

    /// Undoes the last cut, which was spurious: either every chunk counted as lost had arrived
    /// before its retransmission, or the timeout fired although the data in flight was only
    /// delayed.
    fn on_spurious_loss(&mut self, _now: Time) {}

    /// Nothing was sent for `rtos` whole retransmission timeouts (RFC 9260 §7.2.1).
    fn on_idle(&mut self, rtos: u32);

    /// A heartbeat on this path was not answered within an RTO (RFC 9260 §8.3).
    fn on_probe_unanswered(&mut self) {}

    /// A heartbeat on this path was answered.
    fn on_probe_answered(&mut self) {}

    /// Sums over the paths of the association; called before `on_ack` and `on_loss`, and only if
    /// [`Coupling`](crate::Coupling) needs them.
    fn on_siblings(&mut self, _siblings: &Siblings) {}

    /// Restores the windows (bytes) of an association imported from another endpoint, with nothing
    /// in flight. The default implementation ignores them and starts afresh.
    fn on_resume(&mut self, _cwnd: u64, _ssthresh: u64) {}

    /// A delivery rate was measured or a loss was found. Called after `on_ack` and before
    /// `on_loss`, only for [`CongestionAlgorithm::Bbr`] and controls that ask for
    /// [`CongestionSignals::DeliveryRates`]. Returns [`Limit::Supply`] if the control itself limits
    /// sending so much that the next rate samples do not reflect the network.
    fn on_delivery(&mut self, _ack: &Ack, _sample: &RateSample) -> Limit {
        Limit::Network
    }

    /// Data is about to leave on a path with nothing in flight; `limit` says why it was idle.
    /// `chance` is a random number, different for each association, drawn from the endpoint's seed.
    fn on_restart(&mut self, _now: Time, _limit: Limit, _chance: u32) {}

    /// The largest DATA chunk of this path (PMDCS) changed, bytes.
    fn on_pmdcs(&mut self, pmdcs: u64);

    /// Congestion window, bytes.
    fn cwnd(&self) -> u64;

    /// Slow-start threshold, bytes.
    fn ssthresh(&self) -> u64;

    /// Bytes of memory used, heap included; the endpoint's memory accounting adds them up.
    fn footprint(&self) -> usize {
        size_of_val(self)
    }

    /// The rate at which packets should leave; `None` to send as the window allows.
    fn pacing(&self) -> Option<Rate> {
        None
    }
}

/// Clones a boxed [`CongestionControl`]; implemented for every `Clone` type.
pub trait CloneControl {
    /// A boxed clone.
    fn clone_boxed(&self) -> Box<dyn CongestionControl>;
}

impl<T: CongestionControl + Clone + 'static> CloneControl for T {
    fn clone_boxed(&self) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn CongestionControl> {
    fn clone(&self) -> Self {
        (**self).clone_boxed()
    }
}
