//! Changes of an association's streams (RFC 6525 §6.1).

use sheave_engine::{ReconfigurationError, ReconfigurationFailure, StreamDirection, Time};
use sheave_wire::StreamId;

use crate::AssocId32;
use crate::notification;
use crate::settings::EventType;
use crate::socket::StreamRequest;
use crate::stack::Stack;

/// Flags of `SCTP_STREAM_RESET_EVENT` (RFC 6525 §6.1.1); the failure flags also apply to
/// `SCTP_ASSOC_RESET_EVENT` and `SCTP_STREAM_CHANGE_EVENT` (§6.1.2, §6.1.3).
mod reset_flags {
    use sheave_engine::{ReconfigurationFailure, StreamDirection};

    const INCOMING: u16 = 1;
    const OUTGOING: u16 = 2;
    const DENIED: u16 = 4;
    const FAILED: u16 = 8;

    pub(super) const fn of(direction: StreamDirection) -> u16 {
        match direction {
            StreamDirection::Incoming => INCOMING,
            StreamDirection::Outgoing => OUTGOING,
        }
    }

    pub(super) const fn of_failure(failure: ReconfigurationFailure) -> u16 {
        match failure {
            ReconfigurationFailure::Denied => DENIED,
            _ => FAILED,
        }
    }
}

impl Stack {
    pub(super) fn on_streams_reset(
        &mut self,
        number: AssocId32,
        direction: StreamDirection,
        streams: &[StreamId],
    ) {
        let flags = reset_flags::of(direction);
        self.notify(number, EventType::StreamReset, |abi| {
            notification::stream_reset(abi, number, flags, streams)
        });
    }

    pub(super) fn on_streams_changed(&mut self, number: AssocId32, streams: (u16, u16)) {
        self.refresh_streams(number);
        self.notify(number, EventType::StreamChange, |abi| {
            notification::stream_change(abi, number, 0, streams)
        });
    }

    /// Reports a failed stream request by the event for its type.
    pub(super) fn on_request_failed(&mut self, number: AssocId32, failure: ReconfigurationFailure) {
        let outcome = reset_flags::of_failure(failure);
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let streams = (association.outbound_streams, association.inbound_streams);
        match association.request.take() {
            Some(StreamRequest::ResetStreams(direction, streams)) => {
                let flags = reset_flags::of(direction) | outcome;
                self.notify(number, EventType::StreamReset, |abi| {
                    notification::stream_reset(abi, number, flags, &streams)
                });
            }
            Some(StreamRequest::ResetAssociation) => {
                self.notify(number, EventType::AssocReset, |abi| {
                    notification::assoc_reset(abi, number, Err(outcome))
                });
            }
            Some(StreamRequest::AddStreams(..)) => {
                self.notify(number, EventType::StreamChange, |abi| {
                    notification::stream_change(abi, number, outcome, streams)
                });
            }
            None => {}
        }
    }

    /// Sends the second half of a request after the first was answered.
    pub(super) fn make_next_request(&mut self, now: Time, number: AssocId32) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        let assoc = self.endpoint.assoc(association.engine);
        let Some((request, assoc)) = association.next_request.take().zip(assoc) else {
            return;
        };
        let made = request.make(now, assoc);
        // Busy: the event came from a request of the peer, not from an answer.
        if made == Err(ReconfigurationError::Busy) {
            association.next_request = Some(request);
            return;
        }
        association.request = Some(request);
        if made.is_err() {
            self.on_request_failed(number, ReconfigurationFailure::Denied);
        }
    }

    /// Updates the numbers of outbound and inbound streams from the engine.
    pub(super) fn refresh_streams(&mut self, number: AssocId32) -> (u16, u16) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return (0, 0);
        };
        if let Some(assoc) = self.endpoint.assoc(association.engine) {
            let stats = assoc.stats();
            association.outbound_streams = stats.outbound_streams;
            association.inbound_streams = stats.inbound_streams;
        }
        (association.outbound_streams, association.inbound_streams)
    }
}
