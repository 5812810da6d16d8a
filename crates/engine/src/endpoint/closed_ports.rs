use alloc::collections::VecDeque;
use core::time::Duration;

use crate::Time;

/// Time for which a port is answered for after its last association: the peer may not have heard of
/// the end, and asks a few times (RFC 9260 §9.2).
const LINGER: Duration = Duration::from_secs(60);

/// Ports remembered at most.
const MAX_PORTS: usize = 256;

/// Ports whose associations ended a short while ago.
///
/// Packets to them are still ours to answer out of the blue (RFC 9260 §8.4): a lost ABORT or
/// SHUTDOWN COMPLETE is repeated to whoever asks again.
#[derive(Clone, Debug, Default)]
pub(super) struct ClosedPorts {
    /// Oldest first.
    ports: VecDeque<(Time, u16)>,
}

impl ClosedPorts {
    /// Notes that an association at `port` has ended.
    pub(super) fn add(&mut self, now: Time, port: u16) {
        self.forget_old(now);
        self.ports.retain(|(_, other)| *other != port);
        if self.ports.len() == MAX_PORTS {
            self.ports.pop_front();
        }
        self.ports.push_back((now, port));
    }

    /// Forgets what ended too long ago.
    pub(super) fn forget_old(&mut self, now: Time) {
        while let Some((ended, _)) = self.ports.front()
            && now.since(*ended) > LINGER
        {
            self.ports.pop_front();
        }
    }

    /// Whether an association at `port` ended a short while ago.
    pub(super) fn contains(&self, port: u16) -> bool {
        self.ports().any(|other| other == port)
    }

    /// The ports.
    pub(super) fn ports(&self) -> impl Iterator<Item = u16> + '_ {
        self.ports.iter().map(|(_, port)| *port)
    }
}

#[cfg(test)]
mod tests;
