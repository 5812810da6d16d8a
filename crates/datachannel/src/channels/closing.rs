//! Closing of channels: each end resets its stream (RFC 8831 §6.7).

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use sheave_engine::{Endpoint, Time};
use sheave_wire::StreamId;

use super::DataChannels;
use super::setup::Setup;
use crate::channel::Stage;
use crate::streams::{Closing, IncomingReset, OutgoingReset};
use crate::{ChannelEvent, ClosedReason, Fault, Negotiation};

/// A reset by the peer that takes effect once earlier messages are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PeerReset {
    after: u64,
    /// Streams to reset; `None` means all.
    stream: Option<StreamId>,
}

impl DataChannels {
    /// Starts to close a stream and its channel, if any.
    pub(super) fn begin_closing(
        &mut self,
        endpoint: &mut Endpoint,
        stream: StreamId,
        reason: ClosedReason,
    ) {
        self.setups.remove(&stream);
        self.assemblies.forget(stream);
        if let Some(channel) = self.streams.at_mut(stream) {
            if reason != ClosedReason::Local {
                let channel = channel.id;
                self.events.push_back(ChannelEvent::Closing { channel });
            }
            let before = mem::replace(&mut channel.stage, Stage::Closing(reason));
            self.stats.data_channels_closed += u64::from(before == Stage::Open);
            // The reset is requested once nothing is buffered.
            super::mark(endpoint.assoc(self.assoc).as_mut(), stream, Some(0));
        }
        let (outgoing, incoming) = (OutgoingReset::Wanted, IncomingReset::Awaited);
        self.streams
            .set_closing(stream, Closing { outgoing, incoming });
        self.note_drained(endpoint, stream);
    }

    /// Closes a negotiated channel that has no stream yet. A reset informs the peer in case it has
    /// opened its half of the channel; otherwise it has nothing to reset.
    pub(super) fn end_unused(&mut self, endpoint: &mut Endpoint, stream: StreamId) {
        self.end(stream, ClosedReason::Local);
        self.streams.set_closing(stream, Closing::UNUSED);
        self.note_drained(endpoint, stream);
    }

    /// Reserves a stream for a new channel if the previous channel never used it.
    pub(super) fn keep_stream(&mut self, stream: StreamId) {
        let unused = [Some(Closing::UNUSED), Some(Closing::TOLD)];
        if self.streams.at(stream).is_none() && unused.contains(&self.streams.closing(stream)) {
            self.streams.end_closing(stream);
            self.resets.remove(&stream);
        }
    }

    /// Closes a stream on which the peer broke a rule.
    pub(super) fn on_fault(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        stream: StreamId,
        fault: Fault,
    ) {
        self.stats.faults += 1;
        if self.streams.at(stream).is_none() {
            self.events
                .push_back(ChannelEvent::Refused { stream, fault });
        }
        self.begin_closing(endpoint, stream, ClosedReason::Fault(fault));
        self.advance(now, endpoint);
    }

    /// The peer has reset its outgoing streams, or all if the list is empty. Takes effect once
    /// everything sent before is read.
    pub(super) fn on_incoming_reset(&mut self, endpoint: &mut Endpoint, streams: &[StreamId]) {
        let unread = endpoint.assoc(self.assoc).map_or(0, |assoc| assoc.unread());
        // A correct peer only resets streams in use, including those that an unread message opens.
        let most = self.streams.len() + self.streams.closings() + unread;
        let after = self.reads + unread as u64;
        let resets: Vec<_> = match streams {
            [] => vec![None],
            _ => streams.iter().copied().map(Some).collect(),
        };
        for stream in resets {
            if self.peer_resets.len() <= most {
                self.peer_resets.insert(PeerReset { after, stream });
            }
            if unread == 0 {
                self.perform_peer_resets(endpoint);
            }
        }
    }

    /// Performs the peer's resets whose earlier messages are read; returns whether there were any.
    pub(super) fn perform_peer_resets(&mut self, endpoint: &mut Endpoint) -> bool {
        let before = self.peer_resets.len();
        while let Some(&reset) = self.peer_resets.first()
            && reset.after <= self.reads
        {
            self.peer_resets.pop_first();
            let streams = match reset.stream {
                Some(stream) => vec![stream],
                None => self.streams.awaiting_reset(),
            };
            for stream in streams {
                self.on_peer_reset(endpoint, stream);
            }
        }
        self.peer_resets.len() < before
    }

    fn on_peer_reset(&mut self, endpoint: &mut Endpoint, stream: StreamId) {
        if self.streams.closing(stream).is_none() && self.is_known_to_peer(stream) {
            self.close_for_peer(endpoint, stream);
        }
        if let Some(closing) = self.streams.closing_mut(stream) {
            closing.incoming = IncomingReset::Done;
            self.end_if_reset(endpoint, stream);
        }
    }

    /// Whether a stream has a channel that the peer knows. The peer may have opened and closed a
    /// negotiated channel before this end has its stream.
    fn is_known_to_peer(&self, stream: StreamId) -> bool {
        self.streams.at(stream).is_some() && self.setups.get(&stream) != Some(&Setup::Open)
    }

    /// Starts to close a channel that the peer has closed or refused.
    fn close_for_peer(&mut self, endpoint: &mut Endpoint, stream: StreamId) {
        let Some(channel) = self.streams.at(stream) else {
            return;
        };
        let reason = match channel.stage {
            Stage::Connecting if channel.negotiation() == Negotiation::InBand => {
                ClosedReason::Refused
            }
            Stage::Connecting => ClosedReason::Peer,
            Stage::Open | Stage::Closing(_) => ClosedReason::Peer,
        };
        self.begin_closing(endpoint, stream, reason);
    }
}
