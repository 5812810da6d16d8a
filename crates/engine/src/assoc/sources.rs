//! Choice of a path's local address: the one on the route to the peer, and if possible different
//! for each path (RFC 9260 §6.4.1).

use core::net::IpAddr;

use super::tcb::Tcb;
use crate::value::ids::PathIndex;
use crate::{Routes, scope};

/// The local address for the `nth` remote address: the nth of its family and scope, or the next one
/// after it that the route uses, so that paths are as disjoint as routes and lists allow. If the
/// scopes do not match, any of its family.
pub(crate) fn pair(
    routes: Option<&dyn Routes>,
    local: &[IpAddr],
    remote: IpAddr,
    nth: usize,
) -> Option<IpAddr> {
    let Some(mut in_turn) = in_turn(scope::sources(local, remote), nth) else {
        let of_family = local.iter().filter(|ip| ip.is_ipv4() == remote.is_ipv4());
        return in_turn(of_family, nth)?.next().copied();
    };
    let nth = in_turn.clone().next();
    let routes = routes.filter(|_| in_turn.clone().count() > 1);
    let routed = routes.and_then(|routes| in_turn.find(|ip| routes.lead(*ip, remote)));
    routed.or(nth)
}

/// All items, beginning with the `nth`, counted around; `None` if there are none.
fn in_turn<I: Iterator + Clone>(
    items: I,
    nth: usize,
) -> Option<impl Iterator<Item = I::Item> + Clone> {
    let first = nth.checked_rem(items.clone().count())?;
    Some(items.clone().skip(first).chain(items.take(first)))
}

impl Tcb {
    /// Returns the local address for the next heartbeat, if it differs from the path's own.
    ///
    /// A path that does not answer is probed from each local address in turn, since another may
    /// work. A path not on its preferred address probes from that address every other time.
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

    /// Our addresses in turn, except those used by other active paths.
    fn next_source(&self, index: PathIndex, turn: usize) -> Option<IpAddr> {
        let path = self.paths.get(index)?;
        let usable = |ip: &IpAddr| *ip == path.local || !self.paths.is_taken(*ip, index);
        in_turn(scope::sources(&self.local, path.remote.ip), turn)?.find(usable)
    }

    /// Whether a path (of several) left its preferred address because it failed. It may now share
    /// the address or route of another path.
    pub(super) fn is_displaced(&self, index: PathIndex) -> bool {
        let path = self.paths.get(index);
        self.paths.len() > 1 && path.is_some_and(|path| path.home() != path.local)
    }

    /// Whether packets may leave from a local address: the peer knows it, and no request to delete
    /// it is pending.
    pub(super) fn may_leave_from(&self, ip: IpAddr) -> bool {
        self.local.contains(&ip) && !self.is_leaving(ip)
    }

    /// The source address of the next packet, if not its path's own. An answer leaves from the
    /// address its request came to, since a NAT blocks others; unless the answer goes to an address
    /// of the other family.
    pub(super) fn source_override(&self, now: crate::Time) -> Option<IpAddr> {
        use super::control::Control;
        match self.control.front() {
            Some((_, Control::Asconf(_))) => self.control.front_source(),
            Some((index, Control::Heartbeat)) => self.probe_source(index),
            // A size that gets through on another route says nothing about the heartbeat's.
            Some((index, Control::MtuProbe)) => {
                let source = self.paths.get(index)?.last_asked_from();
                source.filter(|ip| self.may_leave_from(*ip))
            }
            Some((index, _)) => {
                let remote = self.paths.get(index)?.remote.ip;
                let source = self.control.front_source();
                let fits = |ip: &IpAddr| ip.is_ipv4() == remote.is_ipv4();
                source.filter(|ip| fits(ip) && self.may_leave_from(*ip))
            }
            None => {
                let source = self.sack_source()?;
                let due = self.acknowledger.is_due(now) && self.phase.receives_data();
                due.then_some(source)
            }
        }
    }

    /// The local address for SACKs, if it differs from their path's own.
    pub(super) fn sack_source(&self) -> Option<IpAddr> {
        self.paths
            .sack_source()
            .filter(|ip| self.may_leave_from(*ip))
    }
}
