use alloc::vec::Vec;

use crate::Time;
use crate::path::PathIndex;

/// What an association may wait for (RFC 9260 §15). The delayed SACK keeps its own deadline, with
/// the rule that sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// T1-init or T1-cookie: an INIT or a COOKIE ECHO is unanswered.
    Init,
    /// T2-shutdown: a SHUTDOWN or a SHUTDOWN ACK is unanswered.
    Shutdown,
    /// T5-shutdown-guard: the whole shutdown takes too long.
    ShutdownGuard,
    /// T3-rtx of a path: DATA is unacknowledged, or a closed window is to be probed.
    Retransmission(PathIndex),
    /// A path is to be probed, or its probe is unanswered.
    Heartbeat(PathIndex),
    /// The association may have fallen idle.
    Idle,
}

/// The running timers of one association; few, so looked through one by one.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    running: Vec<(Timer, Time)>,
}

impl Timers {
    /// Starts a timer, or restarts it.
    pub(crate) fn set(&mut self, timer: Timer, at: Time) {
        match self
            .running
            .iter_mut()
            .find(|(running, _)| *running == timer)
        {
            Some((_, due)) => *due = at,
            None => self.running.push((timer, at)),
        }
    }

    /// Starts a timer unless it runs.
    pub(crate) fn set_if_stopped(&mut self, timer: Timer, at: Time) {
        if !self.is_running(timer) {
            self.running.push((timer, at));
        }
    }

    pub(crate) fn stop(&mut self, timer: Timer) {
        self.running.retain(|(running, _)| *running != timer);
    }

    pub(crate) fn stop_all(&mut self) {
        self.running.clear();
    }

    pub(crate) fn is_running(&self, timer: Timer) -> bool {
        self.running.iter().any(|(running, _)| *running == timer)
    }

    /// Gives back spare room.
    pub(crate) fn trim(&mut self) {
        self.running.shrink_to_fit();
    }

    /// Bytes on the heap.
    pub(crate) fn footprint(&self) -> usize {
        self.running.capacity() * size_of::<(Timer, Time)>()
    }

    /// When the first timer expires.
    pub(crate) fn next(&self) -> Option<Time> {
        self.running.iter().map(|(_, due)| *due).min()
    }

    /// Takes out a timer that has expired, the earliest first.
    pub(crate) fn pop_expired(&mut self, now: Time) -> Option<Timer> {
        let (index, _) = self
            .running
            .iter()
            .enumerate()
            .filter(|(_, (_, due))| *due <= now)
            .min_by_key(|(_, (_, due))| *due)?;
        Some(self.running.swap_remove(index).0)
    }
}

#[cfg(test)]
mod tests;
