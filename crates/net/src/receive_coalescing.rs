//! Coalesces bursts of arriving packets before they are answered and readers woken.
//!
//! After a large batch, more packets have usually arrived by the time it is processed. They are
//! received first: one SACK then covers many packets, and a woken reader finds many messages.
//! Nothing waits for packets that have not arrived. When no more are found, or enough have
//! accumulated, SACKs are sent and readers woken.

use std::task::Waker;

/// Maximum bytes of packets with SACKs pending, per association: a small part of any window, so
/// that the peer is not stalled.
const MAX_UNANSWERED: usize = 64 << 10;

/// Maximum bytes of packets received before a waiting reader is woken, per reader.
const MAX_UNANNOUNCED: usize = 256 << 10;

/// Upper bound of both limits, bytes.
const LIMIT: usize = 1 << 20;

/// Processed packets whose SACKs or wake-ups are pending.
#[derive(Debug, Default)]
pub(crate) struct ReceiveCoalescing {
    /// Bytes of packets with SACKs pending.
    unanswered: usize,
    /// Bytes received since deferred wake-ups were last released.
    unannounced: usize,
    /// Wakers of readers to wake.
    deferred: Vec<Waker>,
}

/// When packets are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// At once.
    Now,
    /// After more packets have been received.
    Later,
}

impl ReceiveCoalescing {
    /// Adds a batch of `bytes`, after which the workers immediately look for more packets.
    pub(crate) fn add(&mut self, bytes: usize, associations: usize) -> Answer {
        self.unanswered += bytes;
        self.unannounced += bytes;
        if self.unanswered < (MAX_UNANSWERED * associations).min(LIMIT) {
            Answer::Later
        } else {
            Answer::Now
        }
    }

    /// Whether packets are unanswered, so that a worker is about to answer them.
    pub(crate) fn has_unanswered(&self) -> bool {
        self.unanswered > 0
    }

    /// Records that all packets were answered, or will be by the thread now sending.
    pub(crate) fn on_answered(&mut self) {
        self.unanswered = 0;
    }

    /// Defers the wake-ups in `awake`, unless enough bytes have arrived.
    pub(crate) fn defer(&mut self, awake: &mut Vec<Waker>) {
        self.deferred.append(awake);
        if self.unannounced >= (MAX_UNANNOUNCED * self.deferred.len()).min(LIMIT) {
            self.flush(awake);
        }
    }

    /// Releases all deferred wake-ups to `awake`.
    pub(crate) fn flush(&mut self, awake: &mut Vec<Waker>) {
        self.unannounced = 0;
        awake.append(&mut self.deferred);
    }
}

#[cfg(test)]
mod tests;
