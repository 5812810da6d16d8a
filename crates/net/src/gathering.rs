//! Work that comes faster than it is done: more of it is done before anybody hears of it.
//!
//! Where a batch of packets was large, more have mostly come by the time it is digested. They are
//! taken in first: one SACK then answers many packets, and a reader finds many messages when it is
//! woken. Nothing waits for packets that are not there yet. When nothing more is found, or there is
//! enough, all is sent and everybody woken.

use std::task::Waker;

/// Bytes of packets that may wait for their answer, for each association: a small part of any
/// window, or the peer would stand still meanwhile.
const UNANSWERED: usize = 64 << 10;

/// Bytes of packets of which those who wait for them need not know yet, for each of them.
const UNTOLD: usize = 256 << 10;

/// Bytes of either at most.
const MOST: usize = 1 << 20;

/// What was digested and is not over and done with.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    /// Bytes that were not answered.
    unanswered: usize,
    /// Bytes since the last of `late` was woken.
    untold: usize,
    /// Those who are to be woken.
    late: Vec<Waker>,
}

/// Whether packets may be left without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Not any longer.
    Now,
    /// While there are more.
    Later,
}

impl Gathering {
    /// Adds a batch of that many bytes, after which the crew looks for more at once.
    pub(crate) fn add(&mut self, bytes: usize, associations: usize) -> Answer {
        self.unanswered += bytes;
        self.untold += bytes;
        if self.unanswered < (UNANSWERED * associations).min(MOST) {
            Answer::Later
        } else {
            Answer::Now
        }
    }

    /// Whether packets were left without an answer, so that the crew is about to give it.
    pub(crate) fn owes_answers(&self) -> bool {
        self.unanswered > 0
    }

    /// All packets were answered, or will be by whoever sends at the moment.
    pub(crate) fn on_answered(&mut self) {
        self.unanswered = 0;
    }

    /// Lets those in `awake` sleep on, unless enough has come for them.
    pub(crate) fn put_off(&mut self, awake: &mut Vec<Waker>) {
        self.late.append(awake);
        if self.untold >= (UNTOLD * self.late.len()).min(MOST) {
            self.tell(awake);
        }
    }

    /// Moves all who are to be woken to `awake`.
    pub(crate) fn tell(&mut self, awake: &mut Vec<Waker>) {
        self.untold = 0;
        awake.append(&mut self.late);
    }
}

#[cfg(test)]
mod tests;
