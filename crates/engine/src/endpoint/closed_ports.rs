use alloc::collections::VecDeque;
use core::time::Duration;

use crate::Time;

/// Time to answer for a port after its last association ended: a peer that missed
/// the end retries a few times (RFC 9260 §9.2).
const LINGER: Duration = Duration::from_secs(60);

/// Most ports remembered.
const MAX_PORTS: usize = 256;

/// Ports of recently ended associations.
///
/// Out-of-the-blue packets to these ports are answered (RFC 9260 §8.4), which repeats a lost ABORT
/// or SHUTDOWN COMPLETE.
#[derive(Clone, Debug, Default)]
pub(super) struct ClosedPorts {
    /// In order of age, oldest first.
    ports: VecDeque<(Time, u16)>,
}

impl ClosedPorts {
    /// Records that an association on `port` ended.
    pub(super) fn add(&mut self, now: Time, port: u16) {
        self.forget_old(now);
        self.ports.retain(|(_, other)| *other != port);
        if self.ports.len() == MAX_PORTS {
            self.ports.pop_front();
        }
        self.ports.push_back((now, port));
    }

    /// Removes expired ports.
    pub(super) fn forget_old(&mut self, now: Time) {
        while let Some((ended, _)) = self.ports.front()
            && now.since(*ended) > LINGER
        {
            self.ports.pop_front();
        }
    }

    /// Whether an association on `port` ended recently.
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
