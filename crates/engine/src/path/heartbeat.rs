//! The heartbeats of a path (RFC 9260 §8.3).

use alloc::boxed::Box;
use core::net::IpAddr;
use core::time::Duration;

use super::{HeartbeatLength, Path};
use crate::{Heartbeats, Options, Time};

/// The heartbeat that awaits its answer. Its time stays here: what the peer echoes is trusted for
/// the nonce alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeartbeatProbe {
    pub(crate) nonce: u64,
    pub(crate) sent_at: Time,
    /// Address of ours that it left from.
    pub(crate) source: IpAddr,
    pub(crate) occasion: Occasion,
    pub(crate) length: HeartbeatLength,
}

/// The reason for a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// The path was not used for an interval: one beat of a row.
    Idleness,
    /// A question to the peer: whether an address is the peer's, a round trip, whether a path
    /// that failed is back.
    Question,
}

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
            length: self.heartbeat_length(),
        };
        self.extensions
            .put(|extensions| &mut extensions.probe, Some(Box::new(probe)));
        self.used_at = now;
        self.counters.heartbeats_sent += 1;
        self.count_away();
    }

    /// Whether it is too early for a heartbeat of an idle path.
    pub(crate) fn was_used_lately(&self, now: Time, options: &Options) -> bool {
        self.look_interval(options)
            .is_none_or(|interval| now.since(self.used_at) < interval)
    }

    /// Time between two looks at whether the path was used; `None` without heartbeats. Two looks fit
    /// HB.interval where a peer counts on a heartbeat within it.
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

    /// Takes out the heartbeat that awaits an answer with that nonce.
    pub(crate) fn take_probe(&mut self, nonce: u64) -> Option<Box<HeartbeatProbe>> {
        self.extensions
            .probe()
            .filter(|probe| probe.nonce == nonce)?;
        self.extensions.take(|extensions| &mut extensions.probe)
    }

    /// Whether a heartbeat is on its way.
    pub(crate) fn is_probed(&self) -> bool {
        self.extensions.probe.is_some()
    }

    /// The wait until the next heartbeat of a path that stays idle: HB.interval plus RTO, the
    /// latter jittered by half of it either way (RFC 9260 §8.3). `jitter` is drawn evenly from
    /// 0 to 65535.
    pub(crate) fn heartbeat_wait(&self, interval: Duration, jitter: u16) -> Duration {
        let rto = self.rto.rto();
        interval + rto / 2 + rto * u32::from(jitter) / u32::from(u16::MAX)
    }
}
