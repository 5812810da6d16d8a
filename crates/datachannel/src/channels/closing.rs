//! Channels that end: both ends reset their streams (RFC 8831 §6.7).

use alloc::vec::Vec;
use core::mem;

use sheave_engine::{Endpoint, Time};
use sheave_wire::StreamId;

use super::setup::Setup;
use super::{DataChannels, Standing};
use crate::channel::Stage;
use crate::streams::{Closing, IncomingReset, OutgoingReset};
use crate::{ChannelEvent, ClosedReason, Fault};

impl DataChannels {
    /// Begins to close a stream, with its channel if there is one.
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
            // The reset is asked for once nothing is buffered.
            super::mark(endpoint.assoc(self.assoc).as_mut(), stream, Some(0));
        }
        // Of a stream that we do not have there is nothing to reset.
        let outgoing = match self.standing {
            Standing::Up { outbound } if stream.0 < outbound => OutgoingReset::Wanted,
            _ => OutgoingReset::Done,
        };
        let incoming = IncomingReset::Awaited;
        self.streams
            .set_closing(stream, Closing { outgoing, incoming });
        self.note_drained(endpoint, stream);
    }

    /// The peer broke a rule on a stream, which is closed therefore.
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

    /// The peer has reset streams that it sends on, all if there are none.
    pub(super) fn on_incoming_reset(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        streams: Vec<StreamId>,
    ) {
        let streams = match streams.is_empty() {
            true => self.streams.in_use(),
            false => streams,
        };
        let in_use = |stream: &StreamId| {
            self.streams.closing(*stream).is_some() || self.is_known_to_peer(*stream)
        };
        let resets: Vec<_> = streams.into_iter().filter(in_use).collect();
        self.unread_resets.extend(resets);
        // Nothing is unread most of the time.
        if let Some(received) = self.next_received(now, endpoint) {
            self.arrivals.push_front(received);
        } else {
            self.on_all_read(now, endpoint);
        }
    }

    /// Whether there is a channel on a stream that the peer knows of.
    fn is_known_to_peer(&self, stream: StreamId) -> bool {
        let unknown = [Some(&Setup::Open), Some(&Setup::Negotiated)];
        self.streams.at(stream).is_some() && !unknown.contains(&self.setups.get(&stream))
    }

    /// Begins to close a channel that the peer has closed, or refused.
    fn close_for_peer(&mut self, endpoint: &mut Endpoint, stream: StreamId) {
        let Some(channel) = self.streams.at(stream) else {
            return;
        };
        let reason = match channel.stage {
            Stage::Connecting => ClosedReason::Refused,
            Stage::Open | Stage::Closing(_) => ClosedReason::Peer,
        };
        self.begin_closing(endpoint, stream, reason);
    }

    /// Everything that the peer has sent so far was read: resets of the peer take effect, or the end
    /// of the association. Whether there was something that waited for it.
    pub(super) fn on_all_read(&mut self, now: Time, endpoint: &mut Endpoint) -> bool {
        if let Standing::Ending(reason) = &self.standing {
            let reason = ClosedReason::Association(reason.clone());
            self.standing = Standing::Ended;
            self.end_all(&reason);
            return true;
        }
        let streams = mem::take(&mut self.unread_resets);
        for stream in &streams {
            if self.streams.closing(*stream).is_none() {
                self.close_for_peer(endpoint, *stream);
            }
            if let Some(closing) = self.streams.closing_mut(*stream) {
                closing.incoming = IncomingReset::Done;
            }
            self.note_drained(endpoint, *stream);
            self.end_if_reset(endpoint, *stream);
        }
        let waited = !streams.is_empty();
        if waited {
            self.advance(now, endpoint);
        }
        waited
    }
}
