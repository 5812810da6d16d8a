//! Coalesces bursts of arriving packets before they are answered and readers woken.
//!
//! Where a batch of packets was large, more have mostly come by the time it is digested. They are
//! taken in first: one SACK then answers many packets, and a reader finds many messages when it is
//! woken. Nothing waits for packets that are not there yet. When nothing more is found, or there is
//! enough, all is sent and everybody woken.

use std::task::Waker;

/// Bytes of packets that may wait for their answer, for each association: a small part of any
/// window, or the peer would stand still meanwhile.
const MAX_UNANSWERED: usize = 64 << 10;

/// Bytes of packets that may arrive before a waiting reader is woken, for each reader.
const MAX_UNANNOUNCED: usize = 256 << 10;

/// The upper bound of both, bytes.
const LIMIT: usize = 1 << 20;

/// Digested packets whose answers or wake-ups are still due.
#[derive(Debug, Default)]
pub(crate) struct ReceiveCoalescing {
    /// Bytes that were not answered.
    unanswered: usize,
    /// Bytes since the deferred wake-ups were last made due.
    unannounced: usize,
    /// Readers that are to be woken.
    deferred: Vec<Waker>,
}

/// The time at which packets are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The answer is due.
    Now,
    /// The answer waits while more packets arrive.
    Later,
}

impl ReceiveCoalescing {
    /// Adds a batch of that many bytes, after which the workers look for more at once.
    pub(crate) fn add(&mut self, bytes: usize, associations: usize) -> Answer {
        self.unanswered += bytes;
        self.unannounced += bytes;
        if self.unanswered < (MAX_UNANSWERED * associations).min(LIMIT) {
            Answer::Later
        } else {
            Answer::Now
        }
    }

    /// Whether packets were left without an answer, so that a worker is about to give it.
    pub(crate) fn has_unanswered(&self) -> bool {
        self.unanswered > 0
    }

    /// Notes that all packets were answered, or will be by whoever sends at the moment.
    pub(crate) fn on_answered(&mut self) {
        self.unanswered = 0;
    }

    /// Defers the wake-ups in `awake`, unless enough has come for them.
    pub(crate) fn defer(&mut self, awake: &mut Vec<Waker>) {
        self.deferred.append(awake);
        if self.unannounced >= (MAX_UNANNOUNCED * self.deferred.len()).min(LIMIT) {
            self.flush(awake);
        }
    }

    /// Moves all deferred wake-ups to `awake`.
    pub(crate) fn flush(&mut self, awake: &mut Vec<Waker>) {
        self.unannounced = 0;
        awake.append(&mut self.deferred);
    }
}

#[cfg(test)]
mod tests;
