//! Idle associations: checks the number of heartbeat packets, and that paths work.

use core::net::IpAddr;
use core::time::Duration;

use sheave_engine::{Heartbeats, PathMtuDiscovery, PathState, PathStats, Routes};

use super::fault::{Verdict, ensure};
use super::net::NETWORKS;
use super::plan::End;
use super::world::World;

/// Routes: each interface reaches only its own network.
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

/// Heartbeat intervals in which packets are counted.
const COUNTED: u32 = 10;

impl World<'_> {
    /// Lets all paths recover, then counts the packets of ten heartbeat intervals.
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
        // Answers that take longer than RTO.Max count as lost, and what they answer is repeated.
        let answered = self.net.longest_delay() * 2;
        let slow = self.net.varies()
            && self
                .hosts
                .iter()
                .any(|host| host.options.rto_max <= answered);
        // A path's own setting may have more frequent heartbeats, or none.
        if moved || slow || self.plan.has(&["retune_path"]) {
            return Ok(());
        }
        let [slow, fast] = [a.max(z), a.min(z)];
        let timeout = self.hosts.iter().map(|host| host.options.rto_max).max();
        // A path that is down is probed from each local address in turn.
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

    /// Expected heartbeats of an end in a time span, with answers.
    fn beats(&mut self, at: usize, interval: Duration, span: Duration) -> u64 {
        let host = &mut self.hosts[at];
        let searches = host.options.path_mtu_discovery != PathMtuDiscovery::Off;
        let paths = host.paths().len() as u64;
        let beats = span.as_nanos().div_ceil(interval.as_nanos().max(1)) as u64 + 1;
        paths * (beats + if searches { 10 } else { 0 }) * 2
    }

    /// Whether a late answer is not the engine's fault: delays may vary by more than a small RTO
    /// allows, and one or two late answers may suffice (Path.Max.Retrans 0 or 1, RFC 9260 §8.2);
    /// more, as long as the RTO is below the delay.
    fn is_late(&self, path: &PathStats) -> bool {
        // The RTO has doubled since.
        let delays = if path.errors <= 2 { 4 } else { 1 };
        self.net.varies() && path.rto < self.net.longest_delay() * delays
    }

    /// Checks that each path works whose addresses both exist and are known to both ends. An
    /// address listed while the peer had none of its IP version forms no path (RFC 9260 §5.1.2).
    fn check_paths(&mut self) -> Verdict {
        for end in End::BOTH {
            let host = &mut self.hosts[end.index()];
            let Some(assoc) = host.assoc() else { continue };
            // Without a local address of an IP version, no peer address of that version is
            // reachable.
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
