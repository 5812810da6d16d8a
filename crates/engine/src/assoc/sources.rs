//! The choice of the local address a path leaves from: paths are worth most where no two share one
//! (RFC 9260 §6.4.1).

use core::net::IpAddr;

use super::handshake::pair;
use super::tcb::Tcb;
use crate::path::PathIndex;
use crate::scope;

impl Tcb {
    /// Returns the local address the next heartbeat leaves from, if not the path's own.
    ///
    /// One that does not answer may do so from another of ours, and is asked from each in turn; an
    /// answer makes that the path's own. A displaced path is asked whether it can go home.
    pub(super) fn other_source(&self, index: PathIndex) -> Option<IpAddr> {
        let path = self.paths.get(index)?;
        let turn = path.counters.heartbeats_sent as usize;
        if path.errors > path.max_retrans(&self.options) {
            return self.next_source(index, turn);
        }
        let home = turn % 2 == 1 && self.is_displaced(index);
        home.then(|| self.home(index)).flatten()
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

    /// The address that a path leaves from as long as nothing speaks against it.
    fn home(&self, index: PathIndex) -> Option<IpAddr> {
        let remote = self.paths.get(index)?.remote.ip;
        pair(&self.local, remote, usize::from(index.0))
    }

    /// Whether one of several paths left its own address while that failed. It may share that of
    /// another now, or what leads there.
    pub(super) fn is_displaced(&self, index: PathIndex) -> bool {
        let path = self.paths.get(index).filter(|path| path.is_active());
        self.paths.len() > 1
            && path.is_some_and(|path| self.home(index).is_some_and(|home| home != path.local))
    }

    /// Whether the last heartbeat of an active path left from its home, and not from where it is.
    /// Its loss tells nothing of the path.
    pub(super) fn was_sent_home(&self, index: PathIndex) -> bool {
        let sent = self
            .paths
            .get(index)
            .map_or(0, |path| path.counters.heartbeats_sent);
        sent.is_multiple_of(2) && self.is_displaced(index)
    }

    /// Whether an active path is better not moved to that address, which another one leaves from.
    pub(super) fn is_better_off(&self, index: PathIndex, ip: IpAddr) -> bool {
        let active = self.paths.is_active(index);
        active && self.home(index) != Some(ip) && self.paths.is_taken(ip, index)
    }
}
