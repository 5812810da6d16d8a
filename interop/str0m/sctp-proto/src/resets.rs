//! Streams that are being closed: both ends reset them (RFC 8831 §6.7).

use std::collections::{BTreeMap, BTreeSet};

use sheave_engine::wire::StreamId;
use sheave_engine::{Assoc, ReconfigurationError, ReconfigurationFailure, StreamDirection, Time};

use crate::StreamResetError;

/// Streams in one request, at most; fewer where the packets are small.
const BATCHES: [usize; 4] = [256, 64, 16, 1];

/// Attempts to reset streams while the peer is busy.
const MAX_ATTEMPTS: u8 = 8;

/// The standing of a stream's reset by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outgoing {
    /// Asked for once all that was sent has arrived.
    Wanted,
    Requested,
    Done,
    Failed,
}

/// A stream that is being closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Closing {
    outgoing: Outgoing,
    /// Whether the peer's reset of it has taken effect.
    is_finished: bool,
}

/// The outcome of a stream's closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Complete(u16),
    Failed(u16, StreamResetError),
}

/// Streams that are being closed, and the one request about them that is under way.
#[derive(Debug, Default)]
pub(crate) struct Resets {
    closings: BTreeMap<u16, Closing>,
    wanted: BTreeSet<u16>,
    requested: Vec<StreamId>,
    attempt: u8,
}

impl Resets {
    pub(crate) fn is_closing(&self, id: u16) -> bool {
        self.closings.contains_key(&id)
    }

    /// Begins to close a stream, unless that has begun.
    pub(crate) fn begin(&mut self, id: u16) {
        self.closings.entry(id).or_insert_with(|| {
            self.wanted.insert(id);
            Closing {
                outgoing: Outgoing::Wanted,
                is_finished: false,
            }
        });
    }

    /// The peer's reset of a stream has taken effect, which begins to close it here, too.
    pub(crate) fn finish(&mut self, id: u16) -> Option<Outcome> {
        self.begin(id);
        self.closings.get_mut(&id)?.is_finished = true;
        self.outcome(id)
    }

    /// All streams that are being closed.
    pub(crate) fn ids(&self) -> Vec<u16> {
        self.closings.keys().copied().collect()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Asks for what is wanted and can be, unless a request is under way.
    pub(crate) fn request(&mut self, now: Time, assoc: &mut Assoc<'_>) -> Vec<Outcome> {
        if !self.requested.is_empty() || self.wanted.is_empty() {
            return Vec::new();
        }
        let wanted = self.wanted.iter().map(|id| StreamId(*id));
        let drained = wanted.filter(|stream| assoc.stream_buffered(*stream) == 0);
        let mut streams: Vec<_> = drained.take(BATCHES[0]).collect();
        for most in BATCHES {
            streams.truncate(most);
            if streams.is_empty() {
                return Vec::new();
            }
            match assoc.reset_streams(now, &streams, StreamDirection::Outgoing) {
                Ok(()) => {
                    self.mark(&streams, Outgoing::Requested);
                    self.requested = streams;
                    return Vec::new();
                }
                Err(ReconfigurationError::BadCount) => {}
                Err(ReconfigurationError::Busy | ReconfigurationError::NotEstablished) => {
                    return Vec::new();
                }
                Err(_) => break,
            }
        }
        self.give_up(&streams, StreamResetError::Failed)
    }

    /// The streams that the last request named were reset.
    pub(crate) fn on_reset(&mut self) -> Vec<Outcome> {
        let streams = std::mem::take(&mut self.requested);
        self.attempt = 0;
        self.mark(&streams, Outgoing::Done);
        let outcomes = streams.iter().filter_map(|stream| self.outcome(stream.0));
        outcomes.collect::<Vec<_>>()
    }

    /// The last request came to nothing.
    pub(crate) fn on_failure(&mut self, failure: ReconfigurationFailure) -> Vec<Outcome> {
        let streams = std::mem::take(&mut self.requested);
        let reason = match failure {
            ReconfigurationFailure::PeerBusy | ReconfigurationFailure::StillInProgress
                if self.attempt < MAX_ATTEMPTS =>
            {
                self.attempt += 1;
                self.mark(&streams, Outgoing::Wanted);
                return Vec::new();
            }
            ReconfigurationFailure::Denied => StreamResetError::Denied,
            _ => StreamResetError::Failed,
        };
        self.attempt = 0;
        self.give_up(&streams, reason)
    }

    /// These streams cannot be reset: their ids are spent.
    fn give_up(&mut self, streams: &[StreamId], reason: StreamResetError) -> Vec<Outcome> {
        self.mark(streams, Outgoing::Failed);
        let ids = streams.iter().map(|stream| stream.0);
        ids.map(|id| Outcome::Failed(id, reason)).collect()
    }

    fn mark(&mut self, streams: &[StreamId], outgoing: Outgoing) {
        for StreamId(id) in streams {
            if let Some(closing) = self.closings.get_mut(id) {
                closing.outgoing = outgoing;
            }
            match outgoing {
                Outgoing::Wanted => self.wanted.insert(*id),
                _ => self.wanted.remove(id),
            };
        }
    }

    fn outcome(&mut self, id: u16) -> Option<Outcome> {
        let closing = self.closings.get(&id)?;
        let is_complete = closing.outgoing == Outgoing::Done && closing.is_finished;
        is_complete.then(|| {
            self.closings.remove(&id);
            Outcome::Complete(id)
        })
    }
}
