use alloc::boxed::Box;

use super::{MtuSearch, Probe};
use crate::delivery_rate::DeliveryRate;
use crate::group::{Group, Parts};
use crate::pacing::Pacer;

/// What a path has by choice, or for a while.
#[derive(Debug, Default)]
pub(crate) struct Rare {
    /// The heartbeat that awaits its answer.
    pub(crate) probe: Option<Box<Probe>>,
    /// Where the MTU is found out, and data flows.
    pub(crate) mtu_search: Option<Box<MtuSearch>>,
    /// Where new data is paced.
    pub(crate) pacer: Option<Box<Pacer>>,
    /// Where the congestion control goes by rates.
    pub(crate) rates: Option<Box<DeliveryRate>>,
}

impl Parts for Rare {
    const NONE: &'static Self = &Self {
        probe: None,
        mtu_search: None,
        pacer: None,
        rates: None,
    };

    fn is_empty(&self) -> bool {
        self.probe.is_none()
            && self.mtu_search.is_none()
            && self.pacer.is_none()
            && self.rates.is_none()
    }
}

impl Group<Rare> {
    #[inline]
    pub(crate) fn probe(&mut self) -> Option<&mut Probe> {
        self.part(|rare| &mut rare.probe)
    }

    #[inline]
    pub(crate) fn mtu_search(&mut self) -> Option<&mut MtuSearch> {
        self.part(|rare| &mut rare.mtu_search)
    }

    #[inline]
    pub(crate) fn pacer(&mut self) -> Option<&mut Pacer> {
        self.part(|rare| &mut rare.pacer)
    }

    #[inline]
    pub(crate) fn rates(&mut self) -> Option<&mut DeliveryRate> {
        self.part(|rare| &mut rare.rates)
    }
}
