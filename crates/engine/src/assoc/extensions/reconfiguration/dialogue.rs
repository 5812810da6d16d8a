mod handover;

use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{ReConfigResult, StreamId, Tsn};

use crate::value::ids::PathIndex;

/// Stream requests and answers of both ends of an association.
///
/// Each end numbers its requests from its initial TSN on, and has one chunk of requests outstanding
/// at a time (RFC 6525 §5.1.1).
#[derive(Clone, Debug)]
pub(crate) struct Dialogue {
    /// The number of our next request.
    next: u32,
    pub(crate) stage: Stage,
    /// The number of the peer's next request.
    expected: u32,
    /// A request that the peer was told to repeat.
    deferred: Option<u32>,
    /// Answers to the peer's last requests; as many as fit a chunk.
    answers: [Option<ReConfigAnswer>; 2],
    /// Number of our last request for an incoming reset, until the peer's outgoing reset that
    /// answers it.
    pub(crate) invited_reset: Option<u32>,
    /// Number of streams that we asked the peer to add.
    pub(crate) invited_streams: u16,
    /// Number of our last request, if a request of the peer without a response number was taken as
    /// its answer. The peer may have made that request independently, and ours may be lost.
    presumed: Option<u32>,
}

/// Progress of our request.
#[derive(Clone, Debug)]
pub(crate) enum Stage {
    /// No request.
    Idle,
    /// The request waits until all chunks before `barrier`, once known, are acknowledged.
    Waiting { ask: Ask, barrier: Option<u64> },
    /// The request was sent.
    Outstanding(OutstandingRequest),
}

/// A sent request.
#[derive(Clone, Debug)]
pub(crate) struct OutstandingRequest {
    pub(crate) ask: Ask,
    pub(crate) number: u32,
    /// The encoded chunk, retransmitted unchanged.
    pub(crate) chunk: Bytes,
    /// The path it was last sent on.
    pub(crate) path: PathIndex,
    pub(crate) progress: Progress,
    /// Number of times the peer answered "in progress".
    pub(crate) deferrals: u32,
}

/// Answers to a request since it was last sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Silence,
    /// The peer answered "in progress".
    AtWork,
}

impl OutstandingRequest {
    /// Notes the answer "in progress". Returns whether it is the first since the last transmission.
    pub(crate) fn defer(&mut self) -> bool {
        let first = self.progress == Progress::Silence;
        self.progress = Progress::AtWork;
        self.deferrals += u32::from(first);
        first
    }
}

/// Our request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) kind: RequestKind,
    /// The peer's request that caused it, if any.
    pub(crate) answers: Option<u32>,
}

/// Kind of a request; an empty list means all streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    ResetOutgoing(Vec<StreamId>),
    ResetIncoming(Vec<StreamId>),
    ResetTsns,
    AddOutgoing(u16),
    AddIncoming(u16),
}

/// The answer to a peer's request.
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

/// Position of a peer's request in its sequence (RFC 6525 §5.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReConfigSequence {
    Next,
    /// The request was answered before: repeat that answer and do nothing else (RFC 6525 §5.2.1).
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

    /// The peer's last request with a final answer.
    pub(crate) const fn last_answered(&self) -> u32 {
        self.expected.wrapping_sub(1)
    }

    /// Takes the number for a request about to be sent.
    pub(crate) const fn take_number(&mut self) -> u32 {
        let number = self.next;
        self.next = number.wrapping_add(1);
        number
    }

    /// Treats a peer's request as the answer to our request with this number.
    pub(crate) const fn presume(&mut self, number: u32) {
        self.presumed = Some(number);
    }

    /// The peer explicitly answered the request with this number.
    pub(crate) fn confirm(&mut self, number: u32) {
        if self.presumed == Some(number) {
            self.presumed = None;
        }
    }

    /// The peer expects another number than that of our outstanding request. If it never received
    /// the previous request, presumed answered, the current one must be resent under that number.
    /// Returns the chunk sent before.
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
        // A request that we asked to be repeated may return with a new number.
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

    /// Stores the answer to the expected request; after "in progress", the request is expected
    /// again.
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

    /// Kind of our current request.
    pub(crate) fn kind(&self) -> Option<&RequestKind> {
        self.ask().map(|ask| &ask.kind)
    }

    /// Whether our current request was caused by the peer's request with this number.
    pub(crate) fn is_answering(&self, request: u32) -> bool {
        self.ask().is_some_and(|ask| ask.answers == Some(request))
    }

    /// Whether our request caused by the peer's request with this number was sent.
    pub(crate) fn has_answered(&self, request: u32) -> bool {
        matches!(self.stage, Stage::Outstanding(_)) && self.is_answering(request)
    }

    /// Whether our request caused by the peer's will be sent once outstanding data is acknowledged.
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

    /// The outstanding request.
    pub(crate) fn sent(&mut self) -> Option<&mut OutstandingRequest> {
        match &mut self.stage {
            Stage::Outstanding(outstanding) => Some(outstanding),
            Stage::Idle | Stage::Waiting { .. } => None,
        }
    }

    /// The outstanding request, if it has this number.
    pub(crate) fn outstanding(&mut self, number: u32) -> Option<&mut OutstandingRequest> {
        match &mut self.stage {
            Stage::Outstanding(outstanding) if outstanding.number == number => Some(outstanding),
            _ => None,
        }
    }

    /// The number of our outstanding request for more incoming streams, if any.
    pub(crate) const fn asked_for_streams(&self) -> Option<u32> {
        match &self.stage {
            Stage::Outstanding(OutstandingRequest { ask, number, .. }) => match ask.kind {
                RequestKind::AddIncoming(_) => Some(*number),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether our TSN reset request is outstanding.
    pub(crate) fn awaits_new_tsns(&self) -> bool {
        matches!(
            &self.stage,
            Stage::Outstanding(OutstandingRequest { ask, .. }) if ask.kind == RequestKind::ResetTsns
        )
    }

    /// Removes the outstanding request, which is settled.
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
