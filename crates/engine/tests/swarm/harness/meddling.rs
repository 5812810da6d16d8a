//! Path and stream settings changed during a run, ICMP, clock jumps, and late drivers.

use core::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{Heartbeats, Icmp, IcmpError, PathTuning};

use super::fault::Verdict;
use super::net::NETWORKS;
use super::plan::{End, Item};
use super::world::World;

/// Bytes of a packet quoted in an ICMP message.
pub(crate) const QUOTED: usize = 64;

/// Minimum fragment size that a user requests, bytes; smaller fragments would be smaller than their
/// bookkeeping.
const LEAST_FRAGMENT: u16 = 50;

impl World<'_> {
    pub(crate) fn meddle(&mut self, item: &Item) -> Verdict {
        let (end, verb) = (item.end, item.verb().name);
        let [_, value, more, most, ..] = item.args;
        let network = value as usize % NETWORKS;
        match verb {
            "jump" => self.jump(value),
            "neglect_timers" | "neglect_transmits" => self.neglect(end, verb, value),
            "icmp_told" => return self.icmp(end, network, (more, most)),
            "retune_path" => self.retune_path(end, network, (more, most)),
            "max_fragment" => {
                let most = (value > 0).then_some((value as u16).max(LEAST_FRAGMENT));
                let now = self.now;
                self.with_assoc(end, |assoc| assoc.set_max_fragment(now, most));
            }
            "low_water" => self.with_assoc(end, |assoc| {
                let _ = assoc.set_low_water(StreamId(value as u16), Some(more as usize));
            }),
            _ => panic!("no act: {verb}"),
        }
        Ok(())
    }

    fn with_assoc(&mut self, end: End, act: impl FnOnce(&mut sheave_engine::Assoc<'_>)) {
        let host = &mut self.hosts[end.index()];
        if let Some(mut assoc) = host.assoc() {
            act(&mut assoc);
        }
    }

    /// Suspends the machine: arrivals and timers during that time are handled late.
    fn jump(&mut self, millis: u32) {
        self.now = self.now + Duration::from_millis(millis.into());
        for host in &mut self.hosts {
            host.deeds.jumps += 1;
            host.silent_since = None;
        }
    }

    /// Lets an end's driver be late for that long.
    fn neglect(&mut self, end: End, verb: &str, millis: u32) {
        let until = self.now + Duration::from_millis(millis.into());
        let host = &mut self.hosts[end.index()];
        host.deeds.neglects += 1;
        match verb {
            "neglect_timers" => host.driver.neglect_timers(until),
            _ => host.driver.neglect_transmits(until),
        }
    }

    /// Delivers an ICMP error about an end's last packet to a network.
    fn icmp(&mut self, end: End, network: usize, (kind, mtu): (u32, u32)) -> Verdict {
        let error = match kind {
            0 => IcmpError::PacketTooBig { mtu: mtu as u16 },
            1 => IcmpError::NoSuchPort,
            2 => IcmpError::NoSuchProtocol,
            _ => IcmpError::Unreachable,
        };
        let quoted = self.last_sent[end.index()][network].clone();
        if quoted.is_empty() {
            return Ok(());
        }
        let remote = self.net.address(end.other(), network);
        let host = &mut self.hosts[end.index()];
        host.deeds.icmp += 1;
        let icmp = Icmp {
            remote,
            error,
            quoted: &quoted,
        };
        host.engine.handle_icmp(self.now, icmp);
        self.pump(end)
    }

    fn retune_path(&mut self, end: End, network: usize, (which, value): (u32, u32)) {
        let now = self.now;
        let remote = self.net.address(end.other(), network);
        let mut tuning = PathTuning::default();
        match which {
            0 => tuning.max_retrans = Some(value % 10),
            1 => tuning.potentially_failed_max_retrans = Some(value % 4),
            2 => {
                let pmtu = 576 + (value % 700) as u16;
                let longest = &mut self.agreed.longest[end.index()];
                *longest = (*longest).max(pmtu.into());
                tuning.pmtu = Some(pmtu);
            }
            3 => {
                let interval = Duration::from_millis(u64::from(200 + value % 2000));
                tuning.heartbeats = Some(Heartbeats::Every(interval));
            }
            _ => {}
        }
        self.with_assoc(end, |assoc| {
            let _ = assoc.retune_path(now, remote, tuning);
        });
    }
}
