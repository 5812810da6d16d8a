mod handover;

use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{ReConfigResult, StreamId, Tsn};

use crate::value::ids::PathIndex;

/// Requests about streams and their answers, both ways, of one association.
///
/// Each side numbers its requests from its initial TSN on, and has one chunk of requests
/// outstanding at a time (RFC 6525 §5.1.1).
#[derive(Clone, Debug)]
pub(crate) struct Dialogue {
    /// The number of our next request.
    next: u32,
    pub(crate) stage: Stage,
    /// The number of the peer's next request.
    expected: u32,
    /// A request of the peer that was told to come again.
    deferred: Option<u32>,
    /// Answers to the last requests: as many as fit a chunk.
    answers: [Option<ReConfigAnswer>; 2],
    /// Our last request to reset incoming streams, until the peer's own that follows from it.
    pub(crate) invited_reset: Option<u32>,
    /// Streams that we asked the peer to ask for.
    pub(crate) invited_streams: u16,
    /// Our last request, if a request of the peer was taken for its answer that tells no number: the
    /// peer may have made that of itself, and ours be lost.
    presumed: Option<u32>,
}

/// The progress of a request of ours.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// There is none.
    Idle,
    /// The request waits for data to be acknowledged: all chunks before `barrier`, once that is
    /// known.
    Waiting { ask: Ask, barrier: Option<u64> },
    /// The request was sent.
    Outstanding(OutstandingRequest),
}

/// A request that was sent.
#[derive(Clone, Debug)]
pub(crate) struct OutstandingRequest {
    pub(crate) ask: Ask,
    pub(crate) number: u32,
    /// The whole chunk: it is sent again as it was.
    pub(crate) chunk: Bytes,
    /// The path that it was sent on last.
    pub(crate) path: PathIndex,
    pub(crate) progress: Progress,
    /// Number of times that the peer was asked, and said that it is at it.
    pub(crate) deferrals: u32,
}

/// The news of a request since it was sent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Silence,
    /// The peer is at it (result "in progress").
    AtWork,
}

impl OutstandingRequest {
    /// Notes the answer "in progress". Whether it is the first since the request was sent last.
    pub(crate) fn defer(&mut self) -> bool {
        let first = self.progress == Progress::Silence;
        self.progress = Progress::AtWork;
        self.deferrals += u32::from(first);
        first
    }
}

/// A request of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) kind: RequestKind,
    /// The request of the peer that it follows from.
    pub(crate) answers: Option<u32>,
}

/// The kind of a request. No streams means all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    ResetOutgoing(Vec<StreamId>),
    ResetIncoming(Vec<StreamId>),
    ResetTsns,
    AddOutgoing(u16),
    AddIncoming(u16),
}

/// The answer to a request of the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReConfigAnswer {
    pub(crate) request: u32,
    pub(crate) result: ReConfigResult,
    pub(crate) next_tsns: Option<(Tsn, Tsn)>,
}

impl ReConfigAnswer {
    pub(crate) const fn new(request: u32, result: ReConfigResult) -> Self {
        Self {
            request,
            result,
            next_tsns: None,
        }
    }
}

/// The position of a peer's request in the sequence (RFC 6525 §5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReConfigSequence {
    Next,
    /// The request was answered before: the same answer again, and nothing else (RFC 6525 §5.2.1).
    Repeated(ReConfigAnswer),
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
            presumed: None,
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

    /// A request of the peer is taken for the answer to ours of that number.
    pub(crate) const fn presume(&mut self, number: u32) {
        self.presumed = Some(number);
    }

    /// The peer has answered the request of that number itself.
    pub(crate) fn confirm(&mut self, number: u32) {
        if self.presumed == Some(number) {
            self.presumed = None;
        }
    }

    /// The peer awaits another number than that of our outstanding request. Where it never got the one
    /// before, which was presumed to be answered, the request is to leave again under that number.
    /// Returns the chunk that it was sent in.
    pub(crate) fn step_back(&mut self, number: u32) -> Option<Bytes> {
        let lost = self
            .presumed
            .filter(|lost| lost.wrapping_add(1) == number)?;
        let OutstandingRequest { ask, chunk, .. } = self.outstanding(number)?.clone();
        self.stage = Stage::Waiting { ask, barrier: None };
        self.next = lost;
        self.presumed = None;
        Some(chunk)
    }

    pub(crate) fn classify(&mut self, request: u32) -> ReConfigSequence {
        if request == self.expected {
            return ReConfigSequence::Next;
        }
        // What was told to come again may come under a new number.
        if self.deferred == Some(self.expected) && request == self.expected.wrapping_add(1) {
            self.expected = request;
            self.deferred = None;
            return ReConfigSequence::Next;
        }
        let known = self.answers.iter().flatten();
        match known.copied().find(|answer| answer.request == request) {
            Some(answer) => ReConfigSequence::Repeated(answer),
            None => ReConfigSequence::Bad,
        }
    }

    /// Notes the answer to the request that was due; one in progress remains due.
    pub(crate) fn remember(&mut self, answer: ReConfigAnswer) {
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

    /// The kind of our request at hand.
    pub(crate) fn kind(&self) -> Option<&RequestKind> {
        self.ask().map(|ask| &ask.kind)
    }

    /// Whether our request at hand follows from the peer's request of that number.
    pub(crate) fn is_answering(&self, request: u32) -> bool {
        self.ask().is_some_and(|ask| ask.answers == Some(request))
    }

    /// Whether a request of ours that has left follows from the peer's of that number.
    pub(crate) fn has_answered(&self, request: u32) -> bool {
        matches!(self.stage, Stage::Outstanding(_)) && self.is_answering(request)
    }

    /// Whether such a request leaves once what was sent is acknowledged.
    pub(crate) fn answers_soon(&self, request: u32) -> bool {
        let only_acknowledgements = matches!(
            self.stage,
            Stage::Waiting {
                barrier: Some(_),
                ..
            }
        );
        only_acknowledgements && self.is_answering(request)
    }

    const fn ask(&self) -> Option<&Ask> {
        match &self.stage {
            Stage::Idle => None,
            Stage::Waiting { ask, .. } | Stage::Outstanding(OutstandingRequest { ask, .. }) => {
                Some(ask)
            }
        }
    }

    /// The request that is outstanding.
    pub(crate) fn sent(&mut self) -> Option<&mut OutstandingRequest> {
        match &mut self.stage {
            Stage::Outstanding(outstanding) => Some(outstanding),
            Stage::Idle | Stage::Waiting { .. } => None,
        }
    }

    /// The request of that number, if it is outstanding.
    pub(crate) fn outstanding(&mut self, number: u32) -> Option<&mut OutstandingRequest> {
        match &mut self.stage {
            Stage::Outstanding(outstanding) if outstanding.number == number => Some(outstanding),
            _ => None,
        }
    }

    /// The number of our request to add incoming streams, if it is outstanding.
    pub(crate) const fn asked_for_streams(&self) -> Option<u32> {
        match &self.stage {
            Stage::Outstanding(OutstandingRequest { ask, number, .. }) => match ask.kind {
                RequestKind::AddIncoming(_) => Some(*number),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether our request to reset TSNs is outstanding.
    pub(crate) fn awaits_new_tsns(&self) -> bool {
        matches!(
            &self.stage,
            Stage::Outstanding(OutstandingRequest { ask, .. }) if ask.kind == RequestKind::ResetTsns
        )
    }

    /// Takes out the request that was sent: it is settled.
    pub(crate) fn settle(&mut self) -> Option<OutstandingRequest> {
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
