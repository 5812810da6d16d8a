use alloc::boxed::Box;

use super::doubt::Doubt;
use super::heartbeat::Unanswered;
use super::hedge::Hedge;
use super::source::Home;
use super::unreported::Unreported;
use super::{HeartbeatProbe, MtuSearch, PathTuning};
use crate::delivery_rate::DeliveryRate;
use crate::group::{Group, Parts};
use crate::pacing::Pacer;
use crate::standing_queue::StandingQueue;

/// Optional or temporary path state.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathParts {
    /// The pending heartbeat.
    pub(crate) probe: Option<Box<HeartbeatProbe>>,
    /// Unanswered heartbeats of a path that is not active.
    pub(super) unanswered: Option<Box<Unanswered>>,
    /// Present while it is uncertain whether data gets through.
    pub(super) doubt: Option<Box<Doubt>>,
    /// The MTU search, if the MTU is discovered and data flows.
    pub(crate) mtu_search: Option<Box<MtuSearch>>,
    /// The pacer, if new data is paced.
    pub(crate) pacer: Option<Box<Pacer>>,
    /// Delivery rates, if the congestion control uses them.
    pub(crate) rates: Option<Box<DeliveryRate>>,
    /// Bound of the standing queue, if set.
    pub(crate) standing_queue: Option<Box<StandingQueue>>,
    /// Settings of this path alone.
    pub(crate) tuning: Option<Box<PathTuning>>,
    /// Data received by the peer that its full SACKs cannot report.
    pub(super) unreported: Option<Box<Unreported>>,
    /// The preferred source address, while the path uses another one.
    pub(super) home: Option<Box<Home>>,
    /// The wait for acknowledgements, while data is in flight or after needless hedges.
    pub(super) hedge: Option<Box<Hedge>>,
}

impl Parts for PathParts {
    const NONE: &'static Self = &Self {
        probe: None,
        unanswered: None,
        doubt: None,
        mtu_search: None,
        pacer: None,
        rates: None,
        standing_queue: None,
        tuning: None,
        unreported: None,
        home: None,
        hedge: None,
    };

    fn is_empty(&self) -> bool {
        self.probe.is_none()
            && self.unanswered.is_none()
            && self.doubt.is_none()
            && self.mtu_search.is_none()
            && self.pacer.is_none()
            && self.rates.is_none()
            && self.standing_queue.is_none()
            && self.tuning.is_none()
            && self.unreported.is_none()
            && self.home.is_none()
            && self.hedge.is_none()
    }
}

impl Group<PathParts> {
    #[inline]
    pub(crate) fn mtu_search(&mut self) -> Option<&mut MtuSearch> {
        self.part(|extensions| &mut extensions.mtu_search)
    }

    #[inline]
    pub(crate) fn pacer(&mut self) -> Option<&mut Pacer> {
        self.part(|extensions| &mut extensions.pacer)
    }

    #[inline]
    pub(crate) fn rates(&mut self) -> Option<&mut DeliveryRate> {
        self.part(|extensions| &mut extensions.rates)
    }

    #[inline]
    pub(crate) fn standing_queue(&mut self) -> Option<&mut StandingQueue> {
        self.part(|extensions| &mut extensions.standing_queue)
    }

    pub(super) fn unreported(&mut self) -> Option<&mut Unreported> {
        self.part(|extensions| &mut extensions.unreported)
    }
}
