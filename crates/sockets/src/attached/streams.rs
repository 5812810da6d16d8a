//! Changes of an association's streams (RFC 6525 §6.1).

use sheave_engine::{ReconfigurationError, ReconfigurationFailure, Time};
use sheave_wire::StreamId;

use super::Attached;
use crate::Errno;
use crate::abi::Refusal;
use crate::association::StreamRequest;
use crate::settings::EventType;

/// Flags of `SCTP_STREAM_RESET_EVENT` (RFC 6525 §6.1.1); the failure flags also apply to
/// `SCTP_ASSOC_RESET_EVENT` and `SCTP_STREAM_CHANGE_EVENT` (§6.1.2, §6.1.3).
pub(super) mod reset_flags {
    use sheave_engine::{ReconfigurationFailure, StreamDirection};

    const INCOMING: u16 = 1;
    const OUTGOING: u16 = 2;
    const DENIED: u16 = 4;
    const FAILED: u16 = 8;

    pub(in crate::attached) const fn of(direction: StreamDirection) -> u16 {
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

impl Attached<'_> {
    pub(super) fn notify_reset(&mut self, flags: u16, streams: &[StreamId]) {
        self.notify(EventType::StreamReset, |notice| {
            notice.stream_reset(flags, streams)
        });
    }

    pub(super) fn on_streams_changed(&mut self, streams: (u16, u16)) {
        self.refresh_streams();
        self.notify_changed(0, streams);
    }

    fn notify_changed(&mut self, flags: u16, streams: (u16, u16)) {
        self.notify(EventType::StreamChange, |notice| {
            notice.stream_change(flags, streams)
        });
    }

    /// Reports a failed stream request by the event for its type.
    pub(super) fn on_request_failed(&mut self, failure: ReconfigurationFailure) {
        let outcome = reset_flags::of_failure(failure);
        match self.association.request.take() {
            Some(StreamRequest::ResetStreams(direction, streams)) => {
                self.notify_reset(reset_flags::of(direction) | outcome, &streams);
            }
            Some(StreamRequest::ResetAssociation) => self.notify(EventType::AssocReset, |notice| {
                notice.assoc_reset(Err(outcome))
            }),
            Some(StreamRequest::AddStreams(..)) => {
                self.notify_changed(outcome, self.association.streams());
            }
            None => {}
        }
    }

    /// Sends a request, or its two halves in turn.
    pub(crate) fn reconfigure(
        &mut self,
        now: Time,
        requests: impl IntoIterator<Item = StreamRequest>,
    ) -> Result<(), Errno> {
        let (mut requests, abi) = (requests.into_iter(), self.profile.abi);
        let is_busy = self.association.next_request.is_some();
        let assoc = self.engine();
        let (assoc, first) = assoc.zip(requests.next()).ok_or(Errno::EINVAL)?;
        if is_busy {
            return Err(abi.refusal(Refusal::Busy));
        }
        first.make(now, assoc).map_err(|error| match error {
            ReconfigurationError::Unavailable => Errno::ENOPROTOOPT,
            ReconfigurationError::NotEstablished => abi.refusal(Refusal::NotUp),
            ReconfigurationError::Busy => abi.refusal(Refusal::Busy),
            ReconfigurationError::UnknownStream | ReconfigurationError::BadCount => Errno::EINVAL,
        })?;
        self.association.request = Some(first);
        self.association.next_request = requests.next();
        Ok(())
    }

    /// Sends the second half of a request after the first was answered.
    pub(super) fn make_next_request(&mut self, now: Time) {
        let Some(request) = self.association.next_request.take() else {
            return;
        };
        let Some(assoc) = self.engine() else {
            return;
        };
        let made = request.make(now, assoc);
        // Busy: the event came from a request of the peer, not from an answer.
        if made == Err(ReconfigurationError::Busy) {
            self.association.next_request = Some(request);
            return;
        }
        self.association.request = Some(request);
        if made.is_err() {
            self.on_request_failed(ReconfigurationFailure::Denied);
        }
    }

    /// Updates the numbers of outbound and inbound streams from the engine.
    pub(super) fn refresh_streams(&mut self) -> (u16, u16) {
        if let Some(stats) = self.transport.endpoint.stats_of(self.association.engine) {
            self.association.outbound_streams = stats.outbound_streams;
            self.association.inbound_streams = stats.inbound_streams;
        }
        self.association.streams()
    }
}
