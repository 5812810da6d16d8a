//! Requests to reset and add streams, one at a time (RFC 6525 §5.1.1).

use alloc::vec::Vec;
use core::mem;

use sheave_engine::{
    Assoc, Endpoint, ReconfigurationError, ReconfigurationFailure, StreamDirection, Time,
};
use sheave_wire::StreamId;

use super::{DataChannels, Standing};
use crate::ClosedReason;
use crate::streams::{IncomingReset, OutgoingReset};

/// Most streams in one reset request; fewer if packets are small.
const BATCHES: [usize; 4] = [256, 64, 16, 1];

/// Attempts to reset streams while the peer is busy with its own request.
const MAX_ATTEMPTS: u8 = 8;

/// Our outstanding request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    None,
    /// Reset of these streams; the number of the attempt.
    Reset {
        streams: Vec<StreamId>,
        attempt: u8,
    },
    /// More outgoing streams, up to this one at least.
    Grow {
        highest: u16,
    },
}

/// Number of streams to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    /// The most possible, to save requests.
    Ample,
    /// Exactly those that channels need, since the peer grants no more.
    Exact,
}

impl DataChannels {
    /// Sends the next request, unless one is outstanding.
    pub(super) fn make_request(&mut self, now: Time, assoc: &mut Assoc<'_>, outbound: u16) {
        if self.request != Request::None {
            return;
        }
        // A stream must exist before it can be reset.
        let waiting = self.setups.last_key_value().map(|(stream, _)| stream);
        let highest = waiting.max(self.resets.last()).map(|stream| stream.0);
        match highest.filter(|highest| *highest >= outbound) {
            Some(highest) => self.grow(now, assoc, outbound, highest),
            None => self.reset(now, assoc, 0),
        }
    }

    fn grow(&mut self, now: Time, assoc: &mut Assoc<'_>, outbound: u16, highest: u16) {
        let needed = highest - outbound + 1;
        let count = match self.growth {
            Growth::Ample => needed.max(outbound).min(u16::MAX - outbound),
            Growth::Exact => needed,
        };
        match assoc.add_streams(now, count, StreamDirection::Outgoing) {
            Ok(()) => self.request = Request::Grow { highest },
            Err(ReconfigurationError::Busy | ReconfigurationError::NotEstablished) => {}
            Err(_) => self.give_up_streams(StreamId(outbound)),
        }
    }

    /// Closes the channels that wait for streams from `first` on.
    fn give_up_streams(&mut self, first: StreamId) {
        let waiting = self.setups.range(first..);
        let waiting: Vec<_> = waiting.map(|(stream, _)| *stream).collect();
        for stream in waiting {
            self.end(stream, ClosedReason::Unannounced);
        }
        let resets = self.resets.split_off(&first);
        self.give_up_resets(&resets.into_iter().collect::<Vec<_>>());
    }

    /// Records that a stream can be reset, if everything sent on it has been acknowledged.
    pub(super) fn note_drained(&mut self, endpoint: &mut Endpoint, stream: StreamId) {
        let closing = self.streams.closing(stream);
        let wanted = closing.is_some_and(|closing| closing.outgoing == OutgoingReset::Wanted);
        if wanted
            && let Some(assoc) = endpoint.assoc(self.assoc)
            && assoc.stream_buffered(stream) == 0
        {
            self.resets.insert(stream);
        }
    }

    /// Requests a reset of the streams on which everything has been acknowledged.
    fn reset(&mut self, now: Time, assoc: &mut Assoc<'_>, attempt: u8) {
        let Standing::Up { outbound } = self.standing else {
            return;
        };
        let there = self.resets.range(..StreamId(outbound));
        let mut streams: Vec<_> = there.take(BATCHES[0]).copied().collect();
        if streams.is_empty() {
            return;
        }
        for most in BATCHES {
            streams.truncate(most);
            match assoc.reset_streams(now, &streams, StreamDirection::Outgoing) {
                Ok(()) => {
                    self.mark_outgoing(&streams, OutgoingReset::Requested);
                    for stream in &streams {
                        self.resets.remove(stream);
                    }
                    self.request = Request::Reset { streams, attempt };
                    return;
                }
                Err(ReconfigurationError::BadCount) => {}
                Err(ReconfigurationError::Busy | ReconfigurationError::NotEstablished) => return,
                Err(ReconfigurationError::Unavailable | ReconfigurationError::UnknownStream) => {
                    break;
                }
            }
        }
        self.give_up_resets(&streams);
    }

    /// The number of streams has grown, in either direction.
    pub(super) fn on_streams_changed(&mut self, outbound: u16) {
        if matches!(self.request, Request::Grow { .. })
            && self.standing != (Standing::Up { outbound })
        {
            self.request = Request::None;
        }
        self.standing = Standing::Up { outbound };
    }

    /// Our outgoing streams were reset; all if the list is empty.
    pub(super) fn on_outgoing_reset(&mut self, endpoint: &mut Endpoint, streams: Vec<StreamId>) {
        let (streams, expected) = match mem::replace(&mut self.request, Request::None) {
            Request::Reset { streams, .. } => (streams, OutgoingReset::Requested),
            // The peer requested the reset.
            other => {
                self.request = other;
                let streams = match streams.is_empty() {
                    true => self.streams.in_use(),
                    false => streams,
                };
                (streams, OutgoingReset::Wanted)
            }
        };
        for stream in streams {
            let closing = self.streams.closing(stream);
            if closing.is_some_and(|closing| closing.outgoing == expected) {
                self.mark_outgoing(&[stream], OutgoingReset::Done);
                self.resets.remove(&stream);
                self.end_if_reset(endpoint, stream);
            }
        }
    }

    /// Our request failed.
    pub(super) fn on_request_failed(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        failure: ReconfigurationFailure,
    ) {
        let busy = matches!(
            failure,
            ReconfigurationFailure::PeerBusy | ReconfigurationFailure::StillInProgress
        );
        match mem::replace(&mut self.request, Request::None) {
            Request::None => {}
            Request::Reset { streams, attempt } if busy && attempt < MAX_ATTEMPTS => {
                self.mark_outgoing(&streams, OutgoingReset::Wanted);
                self.resets.extend(streams);
                if let Some(mut assoc) = endpoint.assoc(self.assoc) {
                    self.reset(now, &mut assoc, attempt + 1);
                }
            }
            Request::Reset { streams, .. } => self.give_up_resets(&streams),
            Request::Grow { .. } if self.growth == Growth::Ample => self.growth = Growth::Exact,
            // Channels on lower streams may still succeed.
            Request::Grow { highest } => self.give_up_streams(StreamId(highest)),
        }
    }

    fn mark_outgoing(&mut self, streams: &[StreamId], outgoing: OutgoingReset) {
        for stream in streams {
            if let Some(closing) = self.streams.closing_mut(*stream) {
                closing.outgoing = outgoing;
            }
        }
    }

    /// Gives up resetting these streams: their channels close, and the ids stay unusable.
    fn give_up_resets(&mut self, streams: &[StreamId]) {
        self.mark_outgoing(streams, OutgoingReset::Impossible);
        for stream in streams {
            self.resets.remove(stream);
            self.end(*stream, ClosedReason::Local);
        }
    }

    /// Finishes closing on a stream once both directions are reset.
    pub(super) fn end_if_reset(&mut self, endpoint: &mut Endpoint, stream: StreamId) {
        let closing = self.streams.closing(stream);
        let done = closing.is_some_and(|closing| {
            closing.outgoing == OutgoingReset::Done && closing.incoming == IncomingReset::Done
        });
        if done {
            super::mark(endpoint.assoc(self.assoc).as_mut(), stream, None);
            self.streams.end_closing(stream);
            self.end(stream, ClosedReason::Local);
        }
    }
}
