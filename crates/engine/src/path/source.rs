//! The address of ours that a path leaves from.

use alloc::boxed::Box;
use core::net::IpAddr;
use core::time::Duration;

use super::{Path, fresh_congestion};
use crate::Options;
use crate::delivery_rate::DeliveryRate;
use crate::rto::RtoEstimator;
use crate::standing_queue::StandingQueue;

/// The address that a path left, and wants to leave from again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    address: IpAddr,
    /// Heartbeats since the path left there.
    heartbeats: u8,
}

impl Path {
    /// The address that the path leaves from as long as nothing speaks against it.
    pub(crate) fn home(&self) -> IpAddr {
        let home = self.extensions.get(|extensions| &extensions.home);
        home.map_or(self.local, |home| home.address)
    }

    pub(crate) fn set_home(&mut self, address: IpAddr) {
        let before = self.extensions.get(|extensions| &extensions.home);
        let same = before.filter(|home| home.address == address);
        let heartbeats = same.map_or(0, |home| home.heartbeats);
        let home = Home {
            address,
            heartbeats,
        };
        let elsewhere = (address != self.local).then(|| Box::new(home));
        self.extensions
            .put(|extensions| &mut extensions.home, elsewhere);
    }

    /// A heartbeat leaves, if the path is away from home.
    pub(super) fn count_away(&mut self) {
        if let Some(home) = self.extensions.part(|extensions| &mut extensions.home) {
            home.heartbeats = home.heartbeats.saturating_add(1);
        }
    }

    /// Time to the next heartbeat where regular ones are `interval` apart: a path away from home asks
    /// after an RTO whether it can go back, and waits twice as long each time, up to the interval.
    pub(crate) fn interval_away(&self, interval: Duration) -> Duration {
        let home = self.extensions.get(|extensions| &extensions.home);
        let factor = home.map(|home| 1_u32.checked_shl(home.heartbeats.into()));
        let wait = factor.map(|factor| self.rto.rto().saturating_mul(factor.unwrap_or(u32::MAX)));
        wait.unwrap_or(interval).min(interval)
    }

    /// Leaves from another of our addresses, where the peer can be reached.
    pub(crate) fn leave_from(&mut self, local: IpAddr) {
        let home = self.home();
        self.local = local;
        self.set_home(home);
    }

    /// A heartbeat that left from another of our addresses was answered: the path leaves from there, with
    /// a round trip and a window of their own.
    pub(crate) fn move_to(&mut self, local: IpAddr, options: &Options) {
        let home = self.home();
        self.reroute(local, options);
        self.set_home(home);
        self.rto = RtoEstimator::new(options);
    }

    /// Leaves from another of our addresses for good: of that route nothing is known (RFC 9260
    /// §7.2.5.2).
    pub(crate) fn reroute(&mut self, local: IpAddr, options: &Options) {
        self.local = local;
        self.set_home(local);
        self.end_doubt();
        self.extensions
            .put(|extensions| &mut extensions.mtu_search, None);
        self.forget_capacity(options);
    }

    /// Nothing that was learnt of the route's capacity counts any more.
    pub(super) fn forget_capacity(&mut self, options: &Options) {
        self.congestion = fresh_congestion(self.remote, self.pmdcs(), options);
        let rates = DeliveryRate::chosen(options);
        self.extensions
            .put(|extensions| &mut extensions.rates, rates);
        let bound = StandingQueue::chosen(options);
        self.extensions
            .put(|extensions| &mut extensions.standing_queue, bound);
    }
}
