use alloc::boxed::Box;

use super::doubt::Doubt;
use super::hedge::Hedge;
use super::source::Home;
use super::unreported::Unreported;
use super::{HeartbeatProbe, MtuSearch, PathTuning};
use crate::delivery_rate::DeliveryRate;
use crate::group::{Group, Parts};
use crate::pacing::Pacer;
use crate::standing_queue::StandingQueue;

/// Path state that exists by choice, or for a while.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathParts {
    /// The heartbeat that awaits its answer.
    pub(crate) probe: Option<Box<HeartbeatProbe>>,
    /// Doubt whether data gets through.
    pub(super) doubt: Option<Box<Doubt>>,
    /// MTU search, where the MTU is discovered, and data flows.
    pub(crate) mtu_search: Option<Box<MtuSearch>>,
    /// Pacer, where new data is paced.
    pub(crate) pacer: Option<Box<Pacer>>,
    /// Delivery rates, where the congestion control uses them.
    pub(crate) rates: Option<Box<DeliveryRate>>,
    /// Bound of the queue that data stands in, where there is one.
    pub(crate) standing_queue: Option<Box<StandingQueue>>,
    /// Settings of the path alone, where there are some.
    pub(crate) tuning: Option<Box<PathTuning>>,
    /// Data that SACKs have no room to tell of, while they have none.
    pub(super) unreported: Option<Box<Unreported>>,
    /// Address to leave from, while the path leaves from another.
    pub(super) home: Option<Box<Home>>,
    /// The wait for acknowledgements, while data is in flight or hedges have proved needless.
    pub(super) hedge: Option<Box<Hedge>>,
}

impl Parts for PathParts {
    const NONE: &'static Self = &Self {
        probe: None,
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
    pub(crate) fn probe(&mut self) -> Option<&mut HeartbeatProbe> {
        self.part(|extensions| &mut extensions.probe)
    }

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
