//! The local address that a path sends from.

use alloc::boxed::Box;
use core::net::IpAddr;
use core::time::Duration;

use super::{HeartbeatLength, Path, fresh_congestion};
use crate::Options;
use crate::delivery_rate::DeliveryRate;
use crate::rto::RtoEstimator;
use crate::standing_queue::StandingQueue;

/// The preferred local address that a path left and returns to if possible.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    address: IpAddr,
    /// Heartbeats sent since the path left the address.
    heartbeats: u8,
    /// Length of the heartbeats from there: full where data timed out before the path left.
    length: HeartbeatLength,
}

impl Path {
    /// The local address that the path prefers.
    pub(crate) fn home(&self) -> IpAddr {
        let home = self.extensions.get(|extensions| &extensions.home);
        home.map_or(self.local, |home| home.address)
    }

    pub(crate) fn set_home(&mut self, address: IpAddr) {
        let before = self.extensions.get(|extensions| &extensions.home);
        let same = before.filter(|home| home.address == address);
        let home = same.copied().unwrap_or(Home {
            address,
            heartbeats: 0,
            length: HeartbeatLength::Short,
        });
        let elsewhere = (address != self.local).then(|| Box::new(home));
        self.extensions
            .put(|extensions| &mut extensions.home, elsewhere);
    }

    /// Length of a heartbeat from the preferred address, where the path does not send from it.
    pub(super) fn length_from(&self, source: IpAddr) -> Option<HeartbeatLength> {
        let home = self.extensions.get(|extensions| &extensions.home)?;
        (home.address == source).then_some(home.length)
    }

    /// Counts a heartbeat sent while the path is not using its preferred address.
    pub(super) fn count_away(&mut self) {
        if let Some(home) = self.extensions.part(|extensions| &mut extensions.home) {
            home.heartbeats = home.heartbeats.saturating_add(1);
        }
    }

    /// Time to the next heartbeat, given the regular `interval`. A path off its preferred address
    /// checks after one RTO whether it can return, doubling the wait each time up to the interval.
    pub(crate) fn interval_away(&self, interval: Duration) -> Duration {
        let home = self.extensions.get(|extensions| &extensions.home);
        let factor = home.map(|home| 1_u32.checked_shl(home.heartbeats.into()));
        let wait = factor.map(|factor| self.rto.rto().saturating_mul(factor.unwrap_or(u32::MAX)));
        wait.unwrap_or(interval).min(interval)
    }

    /// Sends from another local address from which the peer is reachable.
    pub(crate) fn leave_from(&mut self, local: IpAddr) {
        self.away_from_home(|path| path.local = local);
    }

    /// A heartbeat sent from another local address was answered: the path moves to that address,
    /// with a fresh round trip and window.
    pub(crate) fn move_to(&mut self, local: IpAddr, options: &Options) {
        self.away_from_home(|path| path.reroute(local, options));
        self.rto = RtoEstimator::new(options);
    }

    /// Changes the local address, and keeps the preferred one with what is known of it.
    fn away_from_home(&mut self, change: impl FnOnce(&mut Self)) {
        let home = self.home();
        let length = self.heartbeat_length(home);
        change(self);
        self.set_home(home);
        if let Some(home) = self.extensions.part(|extensions| &mut extensions.home) {
            home.length = length;
        }
    }

    /// Sends from another local address permanently; nothing is known about that route (RFC 9260
    /// §7.2.5.2).
    pub(crate) fn reroute(&mut self, local: IpAddr, options: &Options) {
        self.local = local;
        self.set_home(local);
        self.end_doubt();
        self.extensions
            .put(|extensions| &mut extensions.mtu_search, None);
        self.forget_capacity(options);
    }

    /// Forgets everything learnt about the route's capacity.
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
