//! The seam behind which congestion controls stand, one per path.

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

/// The content of a SACK for one path.
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
    /// The round trip of the last sent of the chunks newly acknowledged, of those that were sent
    /// once.
    pub rtt: Option<Duration>,
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

/// The way in which a loss showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// By gap reports, on entering Fast Recovery.
    GapReports,
    /// Gap reports like [`GapReports`](Self::GapReports), where ECN is in use and no packet of the
    /// same window of data was marked.
    Unmarked,
    /// By a T3-rtx expiry.
    Timeout,
}

/// Decides how much may be in flight on one path.
///
/// Sizes are bytes of DATA chunks, headers and padding included. Whatever the window, one packet may be
/// in flight; after a timeout no more than one, until something is acknowledged. The engine calls `on_ack` for
/// every path on which a SACK acknowledged something, before `on_loss` for the same SACK
/// (RFC 9260 §7.2.4, note).
pub trait CongestionControl: CloneControl + Debug + Send {
    /// A SACK acknowledged data that was sent on this path.
    fn on_ack(&mut self, ack: &Ack);

    /// Data sent on this path was lost.
    fn on_loss(&mut self, now: Time, loss: Loss);

    /// A packet sent on this path was marked by a router (RFC 3168), for the first time in a window
    /// of data of which no loss was found either. Never widens the window.
    fn on_mark(&mut self, now: Time);

    /// The peer tells of one more packet on this path that a router has marked, with about `bytes`
    /// of DATA chunks: of every one that it tells of, unlike [`on_mark`](Self::on_mark).
    fn on_marked_packet(&mut self, _bytes: u64) {}

    /// Undoes the last cut: all the losses it was made for were spurious, since what was sent again
    /// had arrived; or the timeout was, since what was in flight had only been slow.
    fn on_spurious_loss(&mut self, _now: Time) {}

    /// Nothing was sent for `rtos` whole retransmission timeouts (RFC 9260 §7.2.1).
    fn on_idle(&mut self, rtos: u32);

    /// A heartbeat on this path was not answered within an RTO (RFC 9260 §8.3).
    fn on_probe_unanswered(&mut self) {}

    /// A heartbeat on this path was answered.
    fn on_probe_answered(&mut self) {}

    /// Sums over the paths of the association; told before `on_ack` and `on_loss` where
    /// [`Coupling`](crate::Coupling) asks for it.
    fn on_siblings(&mut self, _siblings: &Siblings) {}

    /// Goes on with windows that another endpoint has left, bytes, with nothing in flight. Those
    /// that are not told of it begin anew.
    fn on_resume(&mut self, _cwnd: u64, _ssthresh: u64) {}

    /// The rate at which the path delivers was measured, or a loss was found: told after `on_ack`
    /// and before `on_loss`, and only to [`CongestionAlgorithm::Bbr`] and to controls that ask for
    /// [`CongestionSignals::DeliveryRates`]. Whether the
    /// control itself holds so much back that rates of what it sends next tell nothing.
    fn on_delivery(&mut self, _ack: &Ack, _sample: &RateSample) -> Limit {
        Limit::Network
    }

    /// Data is about to leave on a path that has none in flight, because of `limit`. `chance` is
    /// another one for each association, and drawn from the seed of the endpoint.
    fn on_restart(&mut self, _now: Time, _limit: Limit, _chance: u32) {}

    /// The largest DATA chunk of this path (PMDCS) changed, bytes.
    fn on_pmdcs(&mut self, pmdcs: u64);

    /// Congestion window, bytes.
    fn cwnd(&self) -> u64;

    /// Slow-start threshold, bytes.
    fn ssthresh(&self) -> u64;

    /// Bytes of memory that it takes, those on the heap included; for the books of the endpoint.
    fn footprint(&self) -> usize {
        size_of_val(self)
    }

    /// The rate at which packets should leave; `None` to send as the window allows.
    fn pacing(&self) -> Option<Rate> {
        None
    }
}

/// Clones a [`CongestionControl`] behind its box; implemented for all that are `Clone`.
pub trait CloneControl {
    /// A clone, boxed.
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
