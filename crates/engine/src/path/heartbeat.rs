//! Heartbeats of a path (RFC 9260 §8.3).

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::net::IpAddr;
use core::time::Duration;

use super::{HeartbeatLength, Path};
use crate::{Heartbeats, Options, Time};

/// Maximum number of unanswered heartbeats remembered (our choice).
pub(crate) const MOST_UNANSWERED: u32 = 8;

/// The heartbeat that awaits its answer. The send time is kept here: of the peer's echo, only the
/// nonce is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeartbeatProbe {
    pub(crate) nonce: u64,
    pub(crate) sent_at: Time,
    /// The local address it was sent from.
    pub(crate) source: IpAddr,
    pub(crate) occasion: Occasion,
    pub(crate) length: HeartbeatLength,
}

/// The reason for a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// The path was idle for an interval: a periodic heartbeat.
    Idleness,
    /// A question: whether the peer owns an address, what the round trip is, or whether a failed
    /// path works again.
    Question,
}

/// Unanswered heartbeats, the latest last. Where the round trip is longer than the pause between
/// heartbeats, an answer comes only after the next heartbeat has left.
#[derive(Clone, Debug, Default)]
pub(super) struct Unanswered(VecDeque<HeartbeatProbe>);

impl Path {
    /// A heartbeat leaves from `source`.
    pub(crate) fn begin_probe(&mut self, now: Time, nonce: u64, source: IpAddr, options: &Options) {
        let occasion = if self.was_used_lately(now, options) {
            Occasion::Question
        } else {
            Occasion::Idleness
        };
        let probe = HeartbeatProbe {
            nonce,
            sent_at: now,
            source,
            occasion,
            length: self.heartbeat_length(source),
        };
        self.give_up_probe();
        self.extensions
            .put(|extensions| &mut extensions.probe, Some(Box::new(probe)));
        self.used_at = now;
        self.counters.heartbeats_sent += 1;
        self.count_away();
    }

    /// Whether the path was used too recently for an idle heartbeat.
    pub(crate) fn was_used_lately(&self, now: Time, options: &Options) -> bool {
        self.look_interval(options)
            .is_none_or(|interval| now.since(self.used_at) < interval)
    }

    /// Time between two checks of whether the path was used; `None` without heartbeats. With a
    /// dead-peer time, two checks fit HB.interval, since the peer expects a heartbeat within it.
    // DEVIATION RFC 9260 §8.3: with a dead-peer time, a path counts as idle after half of HB.interval.
    // By the RFC's rule its heartbeat may leave two intervals after its last use.
    pub(crate) fn look_interval(&self, options: &Options) -> Option<Duration> {
        match self.heartbeats(options) {
            Heartbeats::Every(interval) if options.dead_peer_timeout.is_some() => {
                Some(interval / 2)
            }
            Heartbeats::Every(interval) => Some(interval),
            Heartbeats::Off => None,
        }
    }

    /// Ends the wait for the pending heartbeat and returns it. On a path that is not active, a late
    /// answer still counts.
    pub(crate) fn give_up_probe(&mut self) -> Option<Box<HeartbeatProbe>> {
        let probe = self.extensions.take(|extensions| &mut extensions.probe)?;
        if !self.is_active() {
            let unanswered = self
                .extensions
                .part_or_else(|extensions| &mut extensions.unanswered, Unanswered::default);
            if unanswered.0.len() == MOST_UNANSWERED as usize {
                unanswered.0.pop_front();
            }
            unanswered.0.push_back(*probe);
        }
        Some(probe)
    }

    /// The heartbeat with this nonce is answered: returns it, and forgets all others. An answer that
    /// comes later than an RTO does not count.
    pub(crate) fn take_probe(&mut self, now: Time, nonce: u64) -> Option<HeartbeatProbe> {
        let unanswered = self.extensions.get(|extensions| &extensions.unanswered);
        let unanswered = unanswered.into_iter().flat_map(|unanswered| &unanswered.0);
        let rto = self.rto.rto();
        let unanswered = unanswered.filter(|probe| now.since(probe.sent_at) <= rto);
        let mut probes = unanswered.chain(self.extensions.probe.as_deref());
        let probe = *probes.find(|probe| probe.nonce == nonce)?;
        self.forget_probes();
        Some(probe)
    }

    /// Forgets all heartbeats that were not answered.
    pub(super) fn forget_probes(&mut self) {
        self.extensions.take(|extensions| &mut extensions.probe);
        self.forget_unanswered();
    }

    /// The path is active: forgets the heartbeats that were not answered before, except the pending
    /// one.
    pub(crate) fn forget_unanswered(&mut self) {
        self.extensions
            .take(|extensions| &mut extensions.unanswered);
    }

    /// The local address that the last unanswered heartbeat of a path left from, if the path is not
    /// active.
    pub(crate) fn last_asked_from(&self) -> Option<IpAddr> {
        let unanswered = self.extensions.get(|extensions| &extensions.unanswered)?;
        unanswered.0.back().map(|probe| probe.source)
    }

    /// Whether a heartbeat is pending.
    pub(crate) fn is_probed(&self) -> bool {
        self.extensions.probe.is_some()
    }

    /// Time until the next heartbeat of an idle path: HB.interval plus RTO, the RTO with a jitter
    /// of ±50 % (RFC 9260 §8.3). `jitter` is uniform from 0 to 65535.
    pub(crate) fn heartbeat_wait(&self, interval: Duration, jitter: u16) -> Duration {
        let rto = self.rto.rto();
        interval + rto / 2 + rto * u32::from(jitter) / u32::from(u16::MAX)
    }
}
