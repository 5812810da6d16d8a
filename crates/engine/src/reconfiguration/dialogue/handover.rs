//! The numbers of requests as they leave for another endpoint and go on there.

use super::{Dialogue, Stage};
use crate::handover::Requests;

impl Dialogue {
    /// Nothing is under way, in either direction.
    pub(crate) const fn is_at_rest(&self) -> bool {
        self.is_idle() && self.deferred.is_none()
    }

    pub(crate) fn standing(&self) -> Requests {
        Requests {
            next: self.next,
            expected: self.expected,
            answers: self.answers.iter().flatten().copied().collect(),
            invited_reset: self.invited_reset,
            invited_streams: self.invited_streams,
        }
    }

    pub(crate) fn resume(&mut self, requests: &Requests) {
        let answer = |place: usize| requests.answers.get(place).copied();
        *self = Self {
            next: requests.next,
            stage: Stage::Idle,
            expected: requests.expected,
            deferred: None,
            answers: [answer(0), answer(1)],
            invited_reset: requests.invited_reset,
            invited_streams: requests.invited_streams,
        };
    }
}
