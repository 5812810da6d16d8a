//! End of a run: the network recovers, all activity ends, and final states are checked.

use core::time::Duration;

use sheave_engine::{
    AddressChange, CloseReason, Heartbeats, Node, Obstacle, Options, PartialReliability,
    SendFailure, Time,
};

use super::bounds::{
    IDLE_FOOTPRINT, IDLE_STREAM, Standstill, check_advertised, check_books, check_footprint,
    check_window, check_work,
};
use super::fault::{Fault, Verdict, ensure, fault};
use super::host::{Host, Reading};
use super::ledger::Told;
use super::plan::End;
use super::verbs::Kind;
use super::world::World;

/// Wait after the last packet, for delayed SACKs and probes.
const REST: Duration = Duration::from_secs(3);

/// Minimum user bytes in a full packet.
const LEAST_PAYLOAD: usize = 400;

/// Memory, bytes, that the records of some dozens of incomplete messages fill.
const SMALL_MEMORY: u64 = 128 << 10;

/// Bytes of the shortest fragments drawn.
const SHORT_FRAGMENT: u64 = 48;

impl World<'_> {
    /// Heals the network, waits until both ends are at rest, closes, and checks.
    pub(crate) fn finish(&mut self) -> Verdict {
        let end = self.last_trouble();
        self.run_to(end)?;
        for host in &mut self.hosts {
            host.driver.wake();
        }
        self.heal_one()?;
        self.net.heal();
        self.healed = Some(self.now);
        for host in &mut self.hosts {
            host.reading = Reading::Eager;
        }
        self.pump_both()?;
        let bound = self.patience();
        self.wait(bound, "liveness", Self::is_settled)?;
        self.run_to(self.now + REST)?;
        if self.is_settled() {
            self.check_rest()?;
            self.check_delivery()?;
            if self.is_pair() {
                self.check_quiet()?;
                self.check_failover()?;
                self.wait(bound, "liveness", Self::is_settled)?;
            }
        }
        self.close_all()?;
        self.wait(bound, "no end", Self::is_gone)?;
        self.run_to(self.now + REST)?;
        self.check_empty()?;
        self.check_reasons()?;
        self.check_delivery()
    }

    /// Heals one network only. An association that both ends still have, and whose addresses there
    /// are confirmed and not being deleted, must deliver everything over it.
    fn heal_one(&mut self) -> Verdict {
        let Some(alive) = self.heal_one else {
            return Ok(());
        };
        self.net.heal_one(self.now, alive, self.ailments);
        for host in &mut self.hosts {
            host.reading = Reading::Eager;
        }
        self.pump_both()?;
        let until = self.now + self.patience();
        loop {
            let known = self.is_pair() && self.is_confirmed(alive) && !self.is_leaving(alive);
            if !known || self.is_settled() {
                return Ok(());
            }
            if !self.step(until)? {
                return Err(fault("one path", self.state()));
            }
        }
    }

    /// Whether both ends have confirmed each other's addresses in a network.
    fn is_confirmed(&mut self, network: usize) -> bool {
        let addresses = End::BOTH.map(|end| self.net.address(end.other(), network));
        let mut ends = self.hosts.iter_mut().zip(addresses);
        ends.all(|(host, remote)| {
            let paths = host.paths();
            paths.iter().any(|path| {
                path.remote == remote && path.state != sheave_engine::PathState::Unconfirmed
            })
        })
    }

    /// Whether an end has requested deletion of its address in a network, from which it then sends
    /// nothing, not even the request (RFC 5061 §5.3).
    fn is_leaving(&self, network: usize) -> bool {
        End::BOTH.iter().any(|end| {
            let delete = AddressChange::Delete(self.net.address(*end, network));
            self.hosts[end.index()].changes.contains(&delete)
        })
    }

    /// Time of the plan's last item.
    fn last_trouble(&self) -> Time {
        let spans = self
            .plan
            .items
            .iter()
            .filter_map(|item| match item.verb().name {
                "neglect_timers" | "neglect_transmits" => {
                    Some(item.args[0].saturating_add(item.args[1]))
                }
                "cut" | "hole" | "shut" => Some(item.args[1].saturating_add(item.args[2])),
                "flap" => {
                    let spans = item.args[2].saturating_mul(2 * item.args[3].min(200));
                    Some(item.args[1].saturating_add(spans))
                }
                "remtu" => Some(item.args[1]),
                _ => matches!(item.verb().kind, Kind::Act).then_some(item.args[0]),
            });
        let last = spans.max().unwrap_or(0).min(60_000);
        self.began + Duration::from_millis(u64::from(last) + 50)
    }

    /// Maximum time until everything is delivered or the association's end reported.
    fn patience(&self) -> Duration {
        let each = self.hosts.each_ref().map(|host| {
            let options = &host.options;
            let tries = options
                .association_max_retrans
                .max(options.max_init_retransmits)
                + 8;
            // A short-lived cookie may have to be requested again for each COOKIE ECHO.
            let tries = if self
                .hosts
                .iter()
                .any(|host| has_short_cookies(&host.options))
            {
                tries * (options.max_init_retransmits + 1)
            } else {
                tries
            };
            let interval = match options.heartbeats {
                Heartbeats::Every(interval) => interval,
                Heartbeats::Off => Duration::ZERO,
            };
            // Only heartbeats may reveal that the peer is gone.
            (options.rto_max + interval) * tries
        });
        let bytes: u64 = self.ledgers.iter().map(|ledger| ledger.bytes).sum();
        let rate = self.net.slowest().unwrap_or(100_000_000);
        // With a burst limit of 1, one packet per delayed SACK.
        let carry = Duration::from_millis(bytes * 8 * 1000 * 8 / rate + bytes);
        let slow = self.net.longest_delay() * 40;
        let lost = self.overflows(bytes) + self.timeouts(bytes);
        each[0].max(each[1]) + carry + slow + lost + Duration::from_secs(20)
    }

    /// Time for windows of the least size, where round trips are longer than the longest timeout.
    fn timeouts(&self, bytes: u64) -> Duration {
        let round_trip = self.net.longest_delay() * 2;
        let is_longer = |host: &Host| round_trip > host.options.rto_max;
        if !self.hosts.iter().any(is_longer) {
            return Duration::ZERO;
        }
        round_trip * u32::try_from(bytes / 1000).unwrap_or(u32::MAX)
    }

    /// Time lost to windows that do not fit the receiver's memory: what short fragments cost beside
    /// their bytes is in no advertised window, so that the rest of each window times out.
    fn overflows(&self, bytes: u64) -> Duration {
        let [a, z] = self.hosts.each_ref().map(|host| {
            let memory = host.limits.max_memory.min(host.options.receive_buffer);
            (host.options.rto_max, memory as u64)
        });
        let memory = a.1.min(z.1);
        // Narrow paths cut short fragments, too.
        if memory > 16 << 10 && !self.cuts() {
            return Duration::ZERO;
        }
        // Records of incomplete messages may fill a small memory: then one fragment gets in a time.
        let fits = if memory > SMALL_MEMORY {
            memory / 16
        } else {
            SHORT_FRAGMENT
        };
        let windows = u32::try_from(bytes / fits).unwrap_or(u32::MAX);
        // A congestion control without a window sends the rest again as one that times out again.
        a.0.max(z.0) * windows * 2
    }

    /// Whether an end cuts messages into fragments shorter than its packets.
    fn cuts(&self) -> bool {
        self.plan.has(&["max_fragment"])
    }

    fn wait(
        &mut self,
        bound: Duration,
        oracle: &'static str,
        done: fn(&mut Self) -> bool,
    ) -> Verdict {
        let until = self.now + bound;
        let mut steps = 0_u32;
        let mut standstill = Standstill::new(self.now, self.longest_stall());
        loop {
            let (progress, delivering) = (self.progress(), self.is_delivering());
            let moves = standstill.check(self.now, progress, delivering);
            moves.map_err(|found| fault(found.oracle, found.detail + &self.state()))?;
            // `done` costs more than a step, so ask rarely.
            if (steps.is_multiple_of(16) || self.net.is_empty()) && done(self) {
                return Ok(());
            }
            steps += 1;
            if !self.step(until)? && !done(self) {
                return Err(fault(oracle, self.state()));
            }
        }
    }

    /// Size of the stream tables in use.
    fn streams(&self) -> usize {
        let [a, z] = &self.ledgers;
        a.streams.max(z.streams)
    }

    /// Progress: messages delivered or abandoned, whole or in part, and bytes acknowledged, since a
    /// long message advances by bytes.
    fn progress(&mut self) -> (u64, i64) {
        let outcomes = self.outcomes_so_far();
        let accepted: u64 = self.hosts.iter().map(|host| host.accepted).sum();
        let kept = self
            .hosts
            .iter_mut()
            .map(|host| (host.assoc()).map_or(0, |assoc| assoc.stats().send_buffered as u64));
        let moved = 0_i64.saturating_add_unsigned(accepted);
        (outcomes, moved.saturating_sub_unsigned(kept.sum()))
    }

    /// Whether both ends are up, share a network, and have data for each other.
    fn is_delivering(&mut self) -> bool {
        let moved = self.hosts.iter().any(|host| host.deeds.rebinds > 0);
        !moved
            && self.is_pair()
            && self
                .hosts
                .iter_mut()
                .any(|host| (host.assoc()).is_some_and(|assoc| assoc.stats().send_buffered > 0))
            && self.may_meet()
    }

    /// Whether both ends have an address in a common network; false once each has asked to delete a
    /// different one.
    fn may_meet(&mut self) -> bool {
        let [a, z] = self.hosts.each_mut().map(|host| {
            let mut local = (host.assoc()).map_or_else(Vec::new, |assoc| assoc.local_addresses());
            local.retain(|ip| !host.changes.contains(&AddressChange::Delete(*ip)));
            let networks = local.into_iter().filter_map(|ip| self.net.owner(ip));
            networks.map(|(_, network)| network).collect::<Vec<_>>()
        });
        a.iter().any(|network| z.contains(network))
    }

    /// Maximum time without arrivals on a healed network: the longest timeout, plus the time to
    /// find a working path, and, if only one packet is in flight at a time, a delayed SACK per
    /// packet of a message. Where a network narrows without a word, probes of the path MTU take
    /// three timeouts more.
    fn longest_stall(&self) -> Duration {
        let [a, z] = self.hosts.each_ref().map(|host| &host.options);
        let messages = self.ledgers.iter().flat_map(|ledger| &ledger.entries);
        let longest = messages.map(|entry| entry.len).max().unwrap_or(0);
        let packets = u32::try_from(longest / LEAST_PAYLOAD).unwrap_or(u32::MAX);
        let one_by_one = |sender: &Options, receiver: &Options| {
            // An RTO shorter than the SACK's delay keeps the window at one packet.
            let answered = receiver.sack_delay + self.net.longest_delay() * 4;
            if sender.max_burst == Some(1) || sender.rto_max <= answered {
                receiver.sack_delay * packets
            } else {
                Duration::ZERO
            }
        };
        let bursts = one_by_one(a, z).max(one_by_one(z, a));
        let expiries = if self.plan.has(&["remtu"]) { 6 } else { 3 };
        let timeouts = a.rto_max.max(z.rto_max) * expiries;
        timeouts + bursts + self.net.longest_delay() * 6 + Duration::from_secs(3)
    }

    /// Checks that the work per received byte is bounded, and that memory stays within the charge
    /// for user data, except for queues that keep their capacity until idle.
    pub(crate) fn check_cost(&mut self) -> Verdict {
        let streams = self.streams();
        // A fragment of a few bytes has as long a record as a full one.
        let records = if self.cuts() { 2 } else { 1 };
        let times = if self.plan.has(&["thin"]) { 20 } else { 2 };
        for host in &mut self.hosts {
            let Some(assoc) = host.current.and_then(|id| host.engine.assoc(id)) else {
                continue;
            };
            let stats = assoc.stats();
            let charge = stats.send_buffered + stats.receive_buffered;
            host.most_charged = host.most_charged.max(charge);
            // A four-byte gap block may acknowledge or revoke many chunks, each once; where a middlebox
            // takes blocks away, each time.
            check_work(stats.work, host.wire_bytes + times * stats.chunks_sent)?;
            check_footprint(assoc.footprint(), host.most_charged * records, streams)?;
            check_advertised(&host.options, stats.rwnd, stats.receive_buffered)?;
        }
        Ok(())
    }

    /// Describes the state of the associations.
    pub(super) fn state(&mut self) -> String {
        let mut text = String::new();
        for host in &mut self.hosts {
            let waiting = host.waiting();
            text += &format!(
                "\n{:?}: {waiting} wait, request {:?}, changes {:?}, closed {:?}",
                host.end, host.request, host.changes, host.closed
            );
            let ids: Vec<_> = host.engine.associations().collect();
            for id in ids {
                if let Some(assoc) = host.engine.assoc(id) {
                    let stats = assoc.stats();
                    text += &format!(
                        "\n  {:?} obstacles {:?} send_buffered {} receive_buffered {} peer_rwnd {} \
                         rwnd {}",
                        stats.phase,
                        assoc.handover_obstacles(),
                        stats.send_buffered,
                        stats.receive_buffered,
                        stats.peer_rwnd,
                        stats.rwnd
                    );
                    for path in assoc.path_stats() {
                        text += &format!(
                            "\n    {} {:?} flight {} cwnd {} pmtu {} errors {} rto {:?}",
                            path.remote,
                            path.state,
                            path.flight,
                            path.cwnd,
                            path.pmtu,
                            path.errors,
                            path.rto
                        );
                    }
                }
            }
        }
        text
    }

    /// Whether each end has exactly one association and never lost one, so that the two are peers.
    fn is_pair(&self) -> bool {
        self.hosts.iter().all(|host| {
            host.closed.is_empty()
                && host.deeds.reboots == 0
                && host.engine.stats().associations == 1
        })
    }

    /// Whether nothing is in flight at either end. An end with nothing to send may not notice that
    /// its peer is gone.
    fn is_settled(&mut self) -> bool {
        let pair = self.is_pair();
        self.hosts.iter_mut().all(|host| host.is_settled(pair))
    }

    fn is_gone(&mut self) -> bool {
        let mut hosts = self.hosts.iter();
        hosts.all(|host| host.engine.stats().associations == 0)
    }

    /// Checks flight, windows, memory and counters of associations at rest.
    pub(crate) fn check_rest(&mut self) -> Verdict {
        let rest = |holds, what: &dyn Fn() -> String| ensure(holds, "rest", what);
        let pair = self.is_pair();
        for at in 0..2 {
            let read = self.ledgers[1 - at].read.clone();
            let idle = IDLE_FOOTPRINT + IDLE_STREAM * self.streams();
            let host = &mut self.hosts[at];
            let end = host.end;
            let buffered = host.engine.stats().buffered;
            let ids: Vec<_> = host.engine.associations().collect();
            // State of gaps and partial messages is not charged to any window.
            let mut gaps = false;
            let mut charged = 0;
            for id in ids {
                let obstacles = host.obstacles(id);
                let Some(assoc) = host.engine.assoc(id) else {
                    continue;
                };
                let stats = assoc.stats();
                charged += stats.send_buffered + stats.receive_buffered;
                gaps |=
                    obstacles.contains(&Obstacle::Gap) || obstacles.contains(&Obstacle::Incomplete);
                rest(!pair || obstacles.is_empty(), &|| {
                    format!("{end:?}: {obstacles:?}")
                })?;
                let (messages, bytes) = read.get(&id).copied().unwrap_or_default();
                rest(
                    (stats.messages_received, stats.bytes_received) == (messages, bytes),
                    &|| format!("{end:?} has read {messages}, {bytes} bytes: {stats:?}"),
                )?;
                if stats.receive_buffered == 0 {
                    check_window(end, (&host.options, assoc.options()), &stats)?;
                }
                let abandoned = host.abandoned;
                let counts = host.deeds.restarts_seen == 0 && Some(id) == host.current;
                rest(!counts || stats.messages_abandoned == abandoned, &|| {
                    format!("{end:?}: {abandoned} told to be abandoned: {stats:?}")
                })?;
                for path in assoc.path_stats() {
                    rest(path.flight == 0, &|| format!("{end:?}: {path:?}"))?;
                    rest(path.pmtu >= 512 && path.cwnd > 0, &|| {
                        format!("{end:?}: {path:?}")
                    })?;
                }
                let footprint = assoc.footprint();
                rest(footprint <= idle, &|| {
                    format!("{end:?}: {footprint} bytes in an idle association")
                })?;
            }
            check_books(buffered, charged, gaps)?;
            rest(!pair || charged == 0, &|| {
                format!("{end:?}: {charged} bytes charged")
            })?;
        }
        Ok(())
    }

    /// Checks that each accepted message was delivered or its failure reported, unless an
    /// association's end was reported.
    fn check_delivery(&self) -> Verdict {
        for end in End::BOTH {
            let sender = &self.hosts[end.index()];
            let receiver = &self.hosts[end.other().index()];
            let ended = |host: &Host| {
                let bad = |reason: &CloseReason| *reason != CloseReason::Graceful;
                host.closed.iter().any(|(_, _, reason)| bad(reason))
            };
            let excused = ended(sender)
                || ended(receiver)
                || receiver.deeds.reboots > 0
                || receiver.deeds.restarts_seen > 0;
            let may_abandon = sender.options.partial_reliability == PartialReliability::On;
            let interrupted = excused || sender.deeds.restarts_seen > 0;
            for (number, entry) in self.ledgers[end.index()].entries.iter().enumerate() {
                let lost = entry.life != sender.life;
                if !entry.accepted || entry.delivered || lost {
                    continue;
                }
                let told = match entry.told {
                    // Before the peer's answer, its support for partial reliability is unknown.
                    Some((Told::Abandoned(_), SendFailure::Unsent)) => may_abandon,
                    Some((Told::Abandoned(_), _)) => self.agreed.partial_reliability,
                    // The stream may not have been granted.
                    Some((Told::Failed, _)) => interrupted || sender.established > 0,
                    None => excused,
                };
                ensure(told, "delivery", || {
                    format!("{end:?}'s message {number}: {entry:?}; {}", self.closes())
                })?;
            }
        }
        Ok(())
    }

    fn closes(&self) -> String {
        let each = self.hosts.each_ref().map(|host| &host.closed);
        let deeds = self.hosts.each_ref().map(|host| host.deeds);
        format!("closed {each:?}, {deeds:?}")
    }

    /// Closes all associations, first at the planned end, then at the other.
    fn close_all(&mut self) -> Verdict {
        for end in [self.closer, self.closer.other()] {
            let now = self.now;
            let host = &mut self.hosts[end.index()];
            let ids: Vec<_> = host.engine.associations().collect();
            for id in ids {
                if let Some(mut assoc) = host.engine.assoc(id) {
                    host.deeds.shutdowns += 1;
                    let _ = assoc.shutdown(now);
                }
            }
            self.pump_both()?;
            self.run_to(self.now + Duration::from_secs(2))?;
        }
        Ok(())
    }

    /// Checks that ended associations leave no state and no timer.
    pub(crate) fn check_empty(&self) -> Verdict {
        for host in &self.hosts {
            let stats = host.engine.stats();
            ensure(stats.buffered == 0, "rest", || {
                format!("{:?} holds {} bytes for nobody", host.end, stats.buffered)
            })?;
            let timer = host.engine.poll_timeout();
            ensure(timer.is_none(), "rest", || {
                format!("{:?} waits for {timer:?}", host.end)
            })?;
        }
        Ok(())
    }

    /// Checks that each association's close reason is plausible.
    fn check_reasons(&self) -> Verdict {
        for end in End::BOTH {
            let host = &self.hosts[end.index()];
            let peer = &self.hosts[end.other().index()];
            for (at, _, reason) in &host.closed {
                let (deeds, theirs) = (host.deeds, peer.deeds);
                let peer_lost = theirs.reboots > 0 || !peer.closed.is_empty();
                let unprotected = |cause: u16| (100..=103).contains(&cause) && !self.agreed.keys;
                let true_one = match reason {
                    CloseReason::Graceful => deeds.shutdowns + theirs.shutdowns > 0,
                    CloseReason::Aborted => deeds.aborts + host.manager.given_up > 0,
                    CloseReason::AbortedByPeer { cause, .. } => {
                        let moved = deeds.rebinds + theirs.rebinds > 0;
                        peer_lost || moved || cause.is_some_and(unprotected)
                    }
                    CloseReason::PeerFault { cause, .. } => unprotected(*cause),
                    CloseReason::NoSuchPort | CloseReason::NoSuchProtocol => deeds.icmp > 0,
                    CloseReason::TimedOut => self.may_time_out(end, *at),
                    CloseReason::StaleCookie => {
                        let late = deeds.neglects + theirs.neglects > 0;
                        has_short_cookies(&peer.options) || deeds.jumps > 0 || late
                    }
                    CloseReason::Exported => false,
                };
                ensure(true_one, "reason", || {
                    format!("{end:?} at {at}: {reason:?}; {}", self.closes())
                })?;
            }
        }
        Ok(())
    }

    /// Whether the network or peer can have been silent for the required time before `at`.
    fn may_time_out(&self, end: End, at: Time) -> bool {
        let host = &self.hosts[end.index()];
        let peer = &self.hosts[end.other().index()];
        let gone = peer.deeds.reboots > 0 || !peer.closed.is_empty();
        let moved = peer.deeds.rebinds + host.deeds.rebinds > 0;
        let losses = self.net.losses.lost + self.net.losses.damaged > 0;
        let impatient = self.is_impatient(end);
        let grace = host.options.rto_max * 3;
        let late = self.healed.is_some_and(|healed| at > healed + grace);
        let neglected = host.deeds.neglects + peer.deeds.neglects > 0;
        let jumped = host.deeds.jumps > 0;
        gone || moved || impatient || jumped || (losses || neglected) && !late
    }

    /// Whether an end may give up before the answers of its peer can arrive.
    pub(crate) fn is_impatient(&self, end: End) -> bool {
        let [own, peer] = [end, end.other()].map(|end| &self.hosts[end.index()].options);
        shortest_patience(own) < self.net.longest_delay() * 6 + peer.sack_delay
    }
}

/// Whether cookies may become stale during the handshake.
fn has_short_cookies(options: &Options) -> bool {
    options.valid_cookie_life < Duration::from_secs(10)
}

/// Minimum time before an end gives up.
fn shortest_patience(options: &Options) -> Duration {
    let tries = options
        .association_max_retrans
        .min(options.max_init_retransmits);
    let first = options.rto_min.min(options.rto_initial);
    let waits = (0..=tries).map(|n| (first * (1 << n.min(16))).min(options.rto_max));
    let patience = waits.sum();
    options
        .dead_peer_timeout
        .map_or(patience, |most| most.min(patience))
}
