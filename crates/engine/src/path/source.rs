//! The address of ours that a path leaves from.

use alloc::boxed::Box;
use core::net::IpAddr;

use super::{Path, fresh_congestion};
use crate::Options;
use crate::delivery_rate::DeliveryRate;
use crate::rto::RtoEstimator;
use crate::standing_queue::StandingQueue;

impl Path {
    /// The address that the path leaves from as long as nothing speaks against it.
    pub(crate) fn home(&self) -> IpAddr {
        let home = self.extensions.get(|extensions| &extensions.home);
        home.copied().unwrap_or(self.local)
    }

    pub(crate) fn set_home(&mut self, home: IpAddr) {
        let elsewhere = (home != self.local).then(|| Box::new(home));
        self.extensions
            .put(|extensions| &mut extensions.home, elsewhere);
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
