//! Failover: the network that an end uses dies while another works, and messages keep arriving.

use core::time::Duration;

use sheave_engine::{
    Coalescing, Delivery, Failover, LossRecovery, Options, PathState, PathStats, SendOptions, Time,
};

use super::fault::{Verdict, ensure};
use super::host::Host;
use super::plan::{End, Item};
use super::verbs::Kind;
use super::world::World;

/// Messages per end; the second half is sent after the network died.
const MESSAGES: u64 = 12;
/// Buffer and memory size that fits all messages, bytes.
const ROOM: usize = 16_384;
/// Maximum factor by which the wait for a hedge may grow.
const DOUBLED: u32 = 32;
/// Answer delay beyond the round trip that hedges allow for (`path/hedge.rs`).
const PROMPT: Duration = Duration::from_millis(10);

/// The death of a network.
#[derive(Clone, Copy)]
struct Death {
    network: usize,
    /// Whether it dies and comes back repeatedly.
    flaps: bool,
    /// Whether a path joins two networks, such as after an end has deleted an address. What arrives
    /// there makes the other end answer, and send, over the network that dies.
    crosses: bool,
}

/// A message in transit, with its deadline.
struct Awaited {
    end: End,
    number: usize,
    until: Time,
}

impl World<'_> {
    /// Both ends send short messages. Midway, the network that the first end uses dies: for good in
    /// both directions or in one, or repeatedly.
    pub(crate) fn check_failover(&mut self) -> Verdict {
        let flaps = self.net.random.chance(300);
        let Some((death, bounds)) = self.dying(flaps) else {
            return Ok(());
        };
        let mut awaited = Vec::new();
        let pause = 1 + self.net.longest_delay().as_micros() as u64;
        let dies = MESSAGES / 2;
        for turn in 0..MESSAGES {
            for end in End::BOTH {
                let number = self.ledgers[end.index()].entries.len();
                self.queue(end, (0, 16), Delivery::Ordered, SendOptions::default());
                let until = self.now + bounds[end.index()];
                awaited.push(Awaited { end, number, until });
            }
            self.pump_both()?;
            let moment = self.moment(pause);
            self.go_on(moment, &mut awaited)?;
            if turn == dies {
                self.kill(death, pause);
            }
            let moment = self.moment(pause);
            self.go_on(moment, &mut awaited)?;
        }
        self.go_on(self.now + bounds[0].max(bounds[1]), &mut awaited)?;
        self.net.heal();
        Ok(())
    }

    /// The network that the first end uses, if both ends have another active path and leave a
    /// silent path within round trips; with the deadline for messages of each end.
    fn dying(&mut self, flaps: bool) -> Option<(Death, [Duration; 2])> {
        let sizes = |host: &Host| {
            let Options {
                send_buffer,
                receive_buffer,
                ..
            } = host.options;
            [send_buffer, receive_buffer, host.limits.max_memory]
        };
        let mut hosts = self.hosts.iter();
        let hedges = hosts.all(|host| {
            host.options.failover == Failover::RoundTrips
                && host.options.loss_recovery != LossRecovery::GoBackN
                && host.options.coalescing == Coalescing::NoDelay
                && host.deeds.rebinds == 0
                // Otherwise a path fails by one needless T3-rtx, and is back no earlier than its probes.
                && host.options.path_max_retrans > 0
                && sizes(host).into_iter().all(|size| size >= ROOM)
        });
        // A window that a middlebox closed stays closed until a probe, an RTO later.
        let is_excluded = self.plan.has(&["retune_path", "shut"]);
        let may_end = End::BOTH.into_iter().any(|end| self.is_impatient(end));
        if !hedges || may_end || is_excluded {
            return None;
        }
        let [a, z] = self.hosts.each_mut().map(Host::paths);
        let first = a.iter().find(|path| path.primary)?;
        let (_, network) = self.net.owner(first.remote)?;
        let crosses = |path: &PathStats| {
            let [local, remote] = self.networks_of(path);
            local != remote
        };
        let death = Death {
            network,
            flaps,
            crosses: a.iter().chain(&z).any(crosses),
        };
        let bounds = [(End::A, &a), (End::Z, &z)];
        let [a, z] = bounds.map(|(end, paths)| self.bound(end, paths, death));
        Some((death, [a?, z?]))
    }

    /// The networks of a path's local and remote address.
    fn networks_of(&self, path: &PathStats) -> [Option<usize>; 2] {
        [path.local, path.remote].map(|ip| Some(self.net.owner(ip)?.1))
    }

    /// Maximum delivery time of an end's message while that network is dead: on each dead path it
    /// waits for the hedge or for T3-rtx (postponed once by a tail probe), then arrives by another
    /// path. On a flapping network, T3-rtx may have backed off.
    fn bound(&self, end: End, paths: &[PathStats], death: Death) -> Option<Duration> {
        let dies = |path: &&PathStats| self.networks_of(path).contains(&Some(death.network));
        let works = |path: &PathStats| path.state == PathState::Active && path.srtt.is_some();
        if paths.iter().all(|path| dies(&path)) || !paths.iter().all(works) {
            return None;
        }
        let [own, peer] = [end, end.other()].map(|end| &self.hosts[end.index()].options);
        // Where delays vary, the next round trip may be longer than any before.
        let drawn = match self.net.varies() {
            true => self.net.longest_delay() * 2,
            false => Duration::ZERO,
        };
        let measured = |path: &PathStats| path.srtt.max(path.rtt).unwrap_or_default().max(drawn);
        // Answers by another path prolong a round trip, and after a timeout there is one packet in
        // each.
        let longest = paths.iter().map(measured).max().unwrap_or_default();
        let is_calm = self.is_calm();
        let wait = |path: &PathStats| {
            // Messages are acknowledged later than heartbeats are answered.
            let round_trip = measured(path) + peer.sack_delay;
            let hedge = |round_trip: Duration| {
                (round_trip * 2).max(Duration::from_millis(1)) + own.sack_delay.min(PROMPT)
            };
            match is_calm && !death.flaps {
                true => hedge(round_trip),
                false => {
                    let backed_off = if death.flaps { own.rto_max } else { path.rto };
                    let rto = (backed_off + peer.sack_delay * 5).min(own.rto_max);
                    let round_trip = round_trip + longest;
                    (hedge(round_trip) * DOUBLED).min(rto * 2) + round_trip
                }
            }
        };
        let waits: Duration = paths
            .iter()
            .filter(|path| death.crosses || dies(path))
            .map(wait)
            .sum();
        // After a needless T3-rtx, one packet is in flight on a path that lives.
        let needless = match is_calm {
            true => Duration::ZERO,
            false => longest + peer.sack_delay,
        };
        let rate = self.net.slowest().unwrap_or(100_000_000);
        let carry = Duration::from_micros(4 * 1500 * 8 * 1_000_000 / rate);
        Some(waits + needless + carry + self.net.longest_delay() + Duration::from_millis(10))
    }

    /// Whether neither hedge nor T3-rtx can have been needless, which would lengthen later waits: the
    /// network only delays, and both ends answer as fast as hedges and T3-rtx assume. A needless hedge
    /// of one end makes the other hedge as well.
    fn is_calm(&self) -> bool {
        let only_delays_and_sends = |item: &Item| match item.verb().kind {
            Kind::Net => item.verb().name == "delay",
            Kind::Act => item.verb().name == "send",
            _ => true,
        };
        let [a, z] = self.hosts.each_ref().map(|host| host.options.sack_delay);
        let waits = |host: &Host| host.options.rto_min >= a.max(z);
        self.plan.items.iter().all(only_delays_and_sends)
            && !self.plan.has(&["custom_acks"])
            && self.hosts.iter().all(waits)
            && a == z
            && a <= PROMPT
    }

    fn kill(&mut self, death: Death, pause: u64) {
        let now = self.now;
        let random = &mut self.net.random;
        let ends: &[End] = match random.index(4) {
            0 => &[End::A],
            1 => &[End::Z],
            _ => &End::BOTH,
        };
        let period = Duration::from_micros(1000 + random.below(4 * pause));
        let mut spans = vec![now..Time::MAX];
        if death.flaps {
            spans = (0..1000)
                .map(|nth| now + period * (2 * nth))
                .map(|down| down..down + period)
                .collect();
        }
        for end in ends {
            self.net.break_down(*end, death.network, &spans);
        }
    }

    /// A random time within the pause between messages.
    fn moment(&mut self, pause: u64) -> Time {
        self.now + Duration::from_micros(self.net.random.below(pause))
    }

    /// Runs until `until`; fails if a message is overdue.
    fn go_on(&mut self, until: Time, awaited: &mut Vec<Awaited>) -> Verdict {
        loop {
            let more = self.step(until)?;
            awaited.retain(|message| {
                let entry = &self.ledgers[message.end.index()].entries[message.number];
                entry.accepted && !entry.delivered
            });
            for message in awaited.iter() {
                ensure(self.now <= message.until, "failover", || {
                    let Awaited { end, number, until } = message;
                    format!("message {number} of {end:?} was to come by {until}")
                })?;
            }
            if !more {
                return Ok(());
            }
        }
    }
}
