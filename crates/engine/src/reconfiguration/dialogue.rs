mod handover;

use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{ReConfigResult, StreamId, Tsn};

use crate::path::PathIndex;

/// Requests about streams and their answers, both ways, of one association.
///
/// Each side numbers its requests from its initial TSN on, and has one chunk of requests
/// outstanding at a time (RFC 6525 §5.1.1).
#[derive(Debug)]
pub(crate) struct Dialogue {
    /// The number of our next request.
    next: u32,
    pub(crate) stage: Stage,
    /// The number of the peer's next request.
    expected: u32,
    /// A request of the peer that was told to come again.
    deferred: Option<u32>,
    /// What the last requests were answered: as many as fit a chunk.
    answers: [Option<Answer>; 2],
    /// Our last request to reset incoming streams, until the peer's own that follows from it.
    pub(crate) invited_reset: Option<u32>,
    /// Streams that we asked the peer to ask for.
    pub(crate) invited_streams: u16,
}

/// How far a request of ours has come.
#[derive(Debug)]
pub(crate) enum Stage {
    /// There is none.
    Idle,
    /// It waits for data to be acknowledged: all chunks before `barrier`, once that is known.
    Waiting { ask: Ask, barrier: Option<u64> },
    /// It was sent.
    Outstanding(Outstanding),
}

/// A request that was sent.
#[derive(Debug)]
pub(crate) struct Outstanding {
    pub(crate) ask: Ask,
    pub(crate) number: u32,
    /// The whole chunk: it is sent again as it was.
    pub(crate) chunk: Bytes,
    /// Where it was sent last.
    pub(crate) path: PathIndex,
    pub(crate) progress: Progress,
}

/// What was heard of a request since it was sent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Silence,
    /// The peer is at it (result "in progress").
    AtWork,
}

/// A request of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) kind: Kind,
    /// The request of the peer that it follows from.
    pub(crate) answers: Option<u32>,
}

/// What a request asks for. No streams means all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ResetOutgoing(Vec<StreamId>),
    ResetIncoming(Vec<StreamId>),
    ResetTsns,
    AddOutgoing(u16),
    AddIncoming(u16),
}

/// What a request of the peer was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) request: u32,
    pub(crate) result: ReConfigResult,
    pub(crate) next_tsns: Option<(Tsn, Tsn)>,
}

impl Answer {
    pub(crate) const fn new(request: u32, result: ReConfigResult) -> Self {
        Self {
            request,
            result,
            next_tsns: None,
        }
    }
}

/// Whether a request of the peer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Due,
    /// It was answered before: this again, and nothing else (RFC 6525 §5.2.1).
    Again(Answer),
    Bad,
}

impl Dialogue {
    pub(crate) const fn new(initial_tsn: Tsn, peer_initial_tsn: Tsn) -> Self {
        Self {
            next: initial_tsn.0,
            stage: Stage::Idle,
            expected: peer_initial_tsn.0,
            deferred: None,
            answers: [None; 2],
            invited_reset: None,
            invited_streams: 0,
        }
    }

    pub(crate) const fn is_idle(&self) -> bool {
        matches!(self.stage, Stage::Idle)
    }

    /// The last request of the peer that was answered for good.
    pub(crate) const fn last_answered(&self) -> u32 {
        self.expected.wrapping_sub(1)
    }

    /// Takes the number of a request that is about to leave.
    pub(crate) const fn take_number(&mut self) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        number
    }

    pub(crate) fn turn(&mut self, request: u32) -> Turn {
        if request == self.expected {
            return Turn::Due;
        }
        // What was told to come again may come under a new number.
        if self.deferred == Some(self.expected) && request == self.expected.wrapping_add(1) {
            self.expected = request;
            self.deferred = None;
            return Turn::Due;
        }
        let known = self.answers.iter().flatten();
        match known.copied().find(|answer| answer.request == request) {
            Some(answer) => Turn::Again(answer),
            None => Turn::Bad,
        }
    }

    /// Notes the answer to the request that was due; one in progress remains due.
    pub(crate) fn remember(&mut self, answer: Answer) {
        if answer.request != self.expected {
            return;
        }
        if answer.result == ReConfigResult::IN_PROGRESS {
            self.deferred = Some(answer.request);
            return;
        }
        self.deferred = None;
        self.expected = self.expected.wrapping_add(1);
        self.answers = [Some(answer), self.answers[0]];
    }

    /// What our request at hand asks for.
    pub(crate) fn kind(&self) -> Option<&Kind> {
        self.ask().map(|ask| &ask.kind)
    }

    /// Whether our request at hand follows from the peer's request of that number.
    pub(crate) fn is_answering(&self, request: u32) -> bool {
        self.ask().is_some_and(|ask| ask.answers == Some(request))
    }

    const fn ask(&self) -> Option<&Ask> {
        match &self.stage {
            Stage::Idle => None,
            Stage::Waiting { ask, .. } | Stage::Outstanding(Outstanding { ask, .. }) => Some(ask),
        }
    }

    /// The request of that number, if it is outstanding.
    pub(crate) fn outstanding(&mut self, number: u32) -> Option<&mut Outstanding> {
        match &mut self.stage {
            Stage::Outstanding(outstanding) if outstanding.number == number => Some(outstanding),
            _ => None,
        }
    }

    /// The number of our request to add incoming streams, if it is outstanding.
    pub(crate) const fn asked_for_streams(&self) -> Option<u32> {
        match &self.stage {
            Stage::Outstanding(Outstanding { ask, number, .. }) => match ask.kind {
                Kind::AddIncoming(_) => Some(*number),
                _ => None,
            },
            _ => None,
        }
    }

    /// Takes out the request that was sent: it is settled.
    pub(crate) fn settle(&mut self) -> Option<Outstanding> {
        match core::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Outstanding(outstanding) => Some(outstanding),
            other => {
                self.stage = other;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
