//! The choice of the local address a path leaves from: the one that the route to the peer gives, in
//! such a way that no two paths share one if that can be (RFC 9260 §6.4.1).

use core::net::IpAddr;

use super::tcb::Tcb;
use crate::value::ids::PathIndex;
use crate::{Routes, scope};

/// The local address to reach the `nth` remote address from: the nth of its family and scope, or the
/// next one after it to which the route leads, so that the paths are as disjoint as routes and lists
/// allow. Where the scopes have nothing in common, one of its family.
pub(crate) fn pair(
    routes: Option<&dyn Routes>,
    local: &[IpAddr],
    remote: IpAddr,
    nth: usize,
) -> Option<IpAddr> {
    let sources = scope::sources(local, remote);
    let Some(first) = nth.checked_rem(sources.clone().count()) else {
        let of_family = || local.iter().filter(|ip| ip.is_ipv4() == remote.is_ipv4());
        let nth = nth.checked_rem(of_family().count())?;
        return of_family().nth(nth).copied();
    };
    let mut in_turn = sources.clone().skip(first).chain(sources.take(first));
    let nth = in_turn.clone().next();
    let routes = routes.filter(|_| in_turn.clone().count() > 1);
    let routed = routes.and_then(|routes| in_turn.find(|ip| routes.lead(*ip, remote)));
    routed.or(nth)
}

impl Tcb {
    /// Returns the local address the next heartbeat leaves from, if not the path's own.
    ///
    /// A path that does not answer may do so from another of ours, and is asked from each in turn. A
    /// displaced path is asked every other time whether it can go home.
    pub(super) fn probe_source(&self, index: PathIndex) -> Option<IpAddr> {
        let path = self.paths.get(index)?;
        let turn = path.counters.heartbeats_sent as usize;
        if path.errors > path.max_retrans(&self.options) {
            return self.next_source(index, turn);
        }
        let asks =
            turn % 2 == 1 && path.is_active() && path.check().is_none() && self.is_displaced(index);
        asks.then(|| path.home())
    }

    /// Our addresses in turn, but for those that active paths leave from.
    fn next_source(&self, index: PathIndex, turn: usize) -> Option<IpAddr> {
        let path = self.paths.get(index)?;
        let usable = |ip: &IpAddr| *ip == path.local || !self.paths.is_taken(*ip, index);
        let sources = || scope::sources(&self.local, path.remote.ip).filter(usable);
        let own = sources().position(|ip| ip == path.local)?;
        let next = (own + turn).checked_rem(sources().count())?;
        sources().nth(next)
    }

    /// Whether one of several paths left its own address while that failed. It may share that of
    /// another now, or what leads there.
    pub(super) fn is_displaced(&self, index: PathIndex) -> bool {
        let path = self.paths.get(index);
        self.paths.len() > 1 && path.is_some_and(|path| path.home() != path.local)
    }

    /// Whether packets may leave from an address of ours: the peer knows it, and is not being told that
    /// it goes.
    pub(super) fn may_leave_from(&self, ip: IpAddr) -> bool {
        self.local.contains(&ip) && !self.is_leaving(ip)
    }

    /// The source address of the next packet, if it is not its path's own address. An answer leaves
    /// from where the question came to: a translator lets no other through.
    pub(super) fn source_override(&self, now: crate::Time) -> Option<IpAddr> {
        use super::control::Control;
        match self.control.front() {
            Some((_, Control::Asconf(_))) => self.control.front_source(),
            Some((index, Control::Heartbeat)) => self.probe_source(index),
            Some(_) => self
                .control
                .front_source()
                .filter(|ip| self.may_leave_from(*ip)),
            None => {
                let source = self.sack_source()?;
                let due = self.acknowledger.is_due(now) && self.phase.receives_data();
                due.then_some(source)
            }
        }
    }

    /// The address of ours that SACKs leave from, if it is not their path's own.
    pub(super) fn sack_source(&self) -> Option<IpAddr> {
        self.paths
            .sack_source()
            .filter(|ip| self.may_leave_from(*ip))
    }
}
