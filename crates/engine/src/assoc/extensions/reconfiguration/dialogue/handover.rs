//! Export and import of request numbers.

use sheave_wire::ReConfigResult;

use super::{Dialogue, ReConfigAnswer, Stage};
use crate::handover::Requests;

impl Dialogue {
    /// The answer "in progress" marks a request that we asked the peer to repeat; the peer may
    /// never do so.
    pub(crate) fn standing(&self) -> Requests {
        let deferred = self
            .deferred
            .map(|request| ReConfigAnswer::new(request, ReConfigResult::IN_PROGRESS));
        Requests {
            next: self.next,
            expected: self.expected,
            answers: (self.answers.iter().flatten().copied())
                .chain(deferred)
                .collect(),
            invited_reset: self.invited_reset,
            invited_streams: self.invited_streams,
        }
    }

    pub(crate) fn resume(&mut self, requests: &Requests) {
        let in_progress = |answer: &&ReConfigAnswer| answer.result == ReConfigResult::IN_PROGRESS;
        let deferred = requests.answers.iter().find(in_progress);
        let mut answers = requests
            .answers
            .iter()
            .filter(|answer| !in_progress(answer));
        *self = Self {
            next: requests.next,
            stage: Stage::Idle,
            expected: requests.expected,
            deferred: deferred.map(|answer| answer.request),
            answers: [answers.next().copied(), answers.next().copied()],
            invited_reset: requests.invited_reset,
            invited_streams: requests.invited_streams,
            presumed: None,
        };
    }
}
