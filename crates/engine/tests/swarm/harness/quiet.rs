//! Associations that have nothing to do: packets that their heartbeats need, and paths that work.

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::{Heartbeats, PathMtuDiscovery, PathState, PathStats, Routes};

use super::fault::{Verdict, ensure};
use super::net::NETWORKS;
use super::plan::End;
use super::world::World;

/// Interfaces lead to the addresses of their networks alone.
#[derive(Debug)]
pub(crate) struct OneNetwork;

impl Routes for OneNetwork {
    fn lead(&self, local: IpAddr, remote: IpAddr) -> bool {
        let network = |ip| match ip {
            IpAddr::V4(ip) => u16::from(ip.octets()[1]),
            IpAddr::V6(ip) => ip.segments()[1],
        };
        network(local) == network(remote)
    }
}

/// Intervals of heartbeats in which packets are counted.
const COUNTED: u32 = 10;

impl World<'_> {
    /// Lets all paths recover, and then counts what ten intervals of heartbeats bring.
    pub(crate) fn check_quiet(&mut self) -> Verdict {
        let moved = self.hosts.iter().any(|host| host.deeds.rebinds > 0);
        let intervals = self
            .hosts
            .each_ref()
            .map(|host| match host.options.heartbeats {
                Heartbeats::Every(interval) => Some(interval),
                Heartbeats::Off => None,
            });
        let [Some(a), Some(z)] = intervals else {
            return Ok(());
        };
        // Heartbeats of a path alone may be more frequent, or none.
        let mut items = self.plan.items.iter();
        if moved || items.any(|item| item.verb().name == "retune_path") {
            return Ok(());
        }
        let [slow, fast] = [a.max(z), a.min(z)];
        let timeout = self.hosts.iter().map(|host| host.options.rto_max).max();
        // A path that is down is asked from each of our addresses in turn.
        let round = slow + timeout.unwrap_or_default() * 2;
        self.run_to(self.now + round * (NETWORKS as u32 + 1))?;
        self.check_paths()?;
        let before = self.net.losses.packets;
        let span = fast * COUNTED;
        self.run_to(self.now + span)?;
        let sent = self.net.losses.packets - before;
        let allowed: u64 = (0..2).map(|at| self.beats(at, [a, z][at], span)).sum();
        ensure(sent <= allowed, "rate at rest", || {
            format!("{sent} packets in {span:?}, where {allowed} are enough")
        })
    }

    /// Heartbeats of an end in a span, with their answers.
    fn beats(&mut self, at: usize, interval: Duration, span: Duration) -> u64 {
        let host = &mut self.hosts[at];
        let searches = host.options.path_mtu_discovery != PathMtuDiscovery::Off;
        let assoc = host.current.and_then(|id| host.engine.assoc(id));
        let paths = assoc.map_or(0, |assoc| assoc.path_stats().len()) as u64;
        let beats = span.as_nanos().div_ceil(interval.as_nanos().max(1)) as u64 + 1;
        paths * (beats + if searches { 10 } else { 0 }) * 2
    }

    /// Whether an answer was late by no fault of the engine's: delays vary by more than an RTO allows for that
    /// goes down to a small RTO.Min, and one late answer may be enough (Path.Max.Retrans 0, RFC 9260 §8.2).
    fn is_late(&self, path: &PathStats) -> bool {
        // RTO has doubled since.
        path.errors == 1 && self.net.varies() && path.rto < self.net.longest_delay() * 4
    }

    /// Checks that each path works whose two ends are there, and of which both know: an address that
    /// was listed when the peer had none of its IP version is no path to the peer (RFC 9260 §5.1.2).
    fn check_paths(&mut self) -> Verdict {
        for end in End::BOTH {
            let host = &mut self.hosts[end.index()];
            let assoc = host.current.and_then(|id| host.engine.assoc(id));
            let Some(assoc) = assoc else { continue };
            // Of an IP version in which it has no address it reaches nothing.
            let local = assoc.local_addresses();
            let mut paths = assoc.path_stats();
            paths.retain(|path| local.contains(&path.local));
            for path in paths {
                let there = self.net.owner(path.remote).is_some_and(|(owner, network)| {
                    let owner = &mut self.hosts[owner.index()];
                    let known = owner.paths().iter().any(|back| back.remote == path.local);
                    known && owner.owned >> network & 1 != 0
                });
                let works = path.state == PathState::Active || self.is_late(&path);
                ensure(!there || works, "healing", || format!("{end:?}: {path:?}"))?;
            }
        }
        Ok(())
    }
}
