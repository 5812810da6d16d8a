//! Messages from the peer.

use bytes::Bytes;
use sheave_engine::{Delivery, Endpoint, Part, Received, Time};
use sheave_wire::{Ppid, StreamId};

use super::DataChannels;
use super::setup::Setup;
use crate::channel::{Channel, Stage};
use crate::dcep::{Dcep, Open};
use crate::ppid::{self, Content};
use crate::streams::{Closing, IncomingReset, OutgoingReset};
use crate::{ChannelEvent, Fault, Kind, Message, Negotiation, Origin, Reliability};

impl DataChannels {
    /// The next unprocessed message or part.
    pub(super) fn next_received(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<Received> {
        let received = match self.arrivals.pop_front() {
            None => endpoint.assoc(self.assoc)?.receive(now),
            unread => unread,
        };
        self.reads += u64::from(received.is_some());
        received
    }

    pub(super) fn on_received(&mut self, now: Time, endpoint: &mut Endpoint, received: Received) {
        let stream = received.message.stream;
        let ppid = received.message.ppid;
        if self.reads <= self.stale || self.is_discarded(endpoint, stream, ppid) {
            let ends = matches!(received.part, Part::Whole | Part::Last);
            self.stats.messages_discarded += u64::from(ends);
            return;
        }
        if let Err(fault) = self.take(now, endpoint, received) {
            self.on_fault(now, endpoint, stream, fault);
        }
    }

    /// Whether messages on a stream belong to a closing channel.
    fn is_discarded(&mut self, endpoint: &mut Endpoint, stream: StreamId, ppid: Ppid) -> bool {
        let Some(closing) = self.streams.closing_mut(stream) else {
            return false;
        };
        // The peer opens a new channel on the stream.
        if *closing == Closing::TOLD && ppid == ppid::CONTROL {
            self.keep_stream(stream);
            return false;
        }
        // Data after the peer's own reset shows that it has performed our reset, too; its answer
        // was overtaken.
        if closing.incoming == IncomingReset::Done && closing.outgoing == OutgoingReset::Requested {
            closing.outgoing = OutgoingReset::Done;
            self.end_if_reset(endpoint, stream);
            return false;
        }
        true
    }

    fn take(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        received: Received,
    ) -> Result<(), Fault> {
        let message = &received.message;
        let (stream, ppid) = (message.stream, message.ppid);
        let content = Content::of(ppid);
        if content != Some(Content::Control) && !self.has_channel(stream) {
            return Err(Fault::NoChannel);
        }
        let content = content.ok_or(Fault::UnknownPpid(ppid.0))?;
        let Some(message) = self.assemblies.whole(received, &self.options)? else {
            return Ok(());
        };
        match content {
            Content::Control => self.on_control(now, endpoint, &message),
            Content::Whole(kind) => {
                self.on_message(stream, message.delivery, kind, message.payload)
            }
            Content::Empty(kind) => self.on_message(stream, message.delivery, kind, Bytes::new()),
            Content::Partial(kind) => self.on_partial(&message, kind),
        }
    }

    fn on_control(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        message: &sheave_engine::Message,
    ) -> Result<(), Fault> {
        match Dcep::parse(&message.payload).map_err(Fault::Dcep)? {
            // RFC 8832 §6: a message that overtakes the OPEN looks like one without a channel.
            // Chromium sends the ACK of an unordered channel unordered, which does no harm.
            Dcep::Open(_) if message.delivery == Delivery::Unordered => {
                return Err(Fault::UnorderedControl);
            }
            // DEVIATION RFC 8832 §6: an OPEN that repeats the channel's own is ignored; libdatachannel 0.24
            // sends two for a channel that is created while the association comes up.
            Dcep::Open(open) if self.is_repeated(message.stream, open) => {
                self.stats.messages_discarded += 1;
            }
            Dcep::Open(open) => {
                self.accept(message.stream, open)?;
                self.advance(now, endpoint);
            }
            Dcep::Ack => self.on_ack(message.stream),
        }
        Ok(())
    }

    /// Whether the stream has the channel that the peer opens.
    fn is_repeated(&self, stream: StreamId, open: Open<'_>) -> bool {
        self.streams.at(stream).is_some_and(|channel| {
            channel.origin() == Origin::Peer && channel.config.announcement() == open
        })
    }

    /// Accepts a channel opened by the peer (RFC 8832 §6).
    fn accept(&mut self, stream: StreamId, open: Open<'_>) -> Result<(), Fault> {
        if !self.streams.is_peers(stream) {
            return Err(Fault::WrongParity);
        }
        if self.streams.at(stream).is_some() {
            return Err(Fault::StreamInUse);
        }
        if self.streams.len() >= self.options.max_channels {
            return Err(Fault::TooManyChannels);
        }
        let label_bytes = self.streams.label_bytes() + open.label.len() + open.protocol.len();
        if label_bytes > self.options.max_label_bytes {
            return Err(Fault::TooManyLabels);
        }
        let channel = self.streams.insert(stream, Origin::Peer, open.into());
        channel.stage = Stage::Open;
        let channel = channel.id();
        self.stats.data_channels_opened += 1;
        self.setups.insert(stream, Setup::Ack);
        self.events.push_back(ChannelEvent::Incoming { channel });
        Ok(())
    }

    /// Handles an ACK; an unsolicited one is ignored.
    fn on_ack(&mut self, stream: StreamId) {
        let acknowledged = |channel: &&Channel| {
            channel.origin() == Origin::Local && channel.negotiation() == Negotiation::InBand
        };
        let channel = self.streams.at(stream).filter(acknowledged);
        if channel.is_some() && !self.setups.contains_key(&stream) {
            self.on_opened(stream);
        } else {
            self.stats.messages_discarded += 1;
        }
    }

    fn on_message(
        &mut self,
        stream: StreamId,
        delivery: Delivery,
        kind: Kind,
        payload: Bytes,
    ) -> Result<(), Fault> {
        self.check_order(stream, delivery)?;
        let message = self
            .assemblies
            .finish(stream, kind, payload, &self.options)?;
        self.deliver(stream, message);
        Ok(())
    }

    /// Handles a partial message, as sent by old implementations (RFC 8831 §6.6).
    fn on_partial(&mut self, message: &sheave_engine::Message, kind: Kind) -> Result<(), Fault> {
        let stream = message.stream;
        self.check_order(stream, message.delivery)?;
        let in_order = self.streams.at(stream).is_some_and(|channel| {
            channel.delivery() == Delivery::Ordered
                && channel.reliability() == Reliability::Reliable
        });
        if !in_order {
            return Err(Fault::MisplacedPart);
        }
        self.assemblies
            .add_partial(stream, kind, &message.payload, &self.options)
    }

    /// Whether the peer may use a channel on a stream: the stream exists and is not reserved by us.
    fn has_channel(&self, stream: StreamId) -> bool {
        self.streams.at(stream).is_some() && self.setups.get(&stream) != Some(&Setup::Open)
    }

    /// A channel announced as ordered has no unordered messages (RFC 8831 §6.6). On a negotiated
    /// channel, the ends may disagree.
    fn check_order(&self, stream: StreamId, delivery: Delivery) -> Result<(), Fault> {
        let ordered = self.streams.at(stream).is_some_and(|channel| {
            channel.delivery() == Delivery::Ordered && channel.negotiation() == Negotiation::InBand
        });
        if ordered && delivery == Delivery::Unordered {
            return Err(Fault::Unordered);
        }
        Ok(())
    }

    /// Delivers a message. It proves that the peer knows the channel, even if the ACK is still in
    /// flight (RFC 8832 §6).
    fn deliver(&mut self, stream: StreamId, message: Message) {
        self.on_opened(stream);
        if let Some(channel) = self.streams.at_mut(stream) {
            channel.stats.on_received(message.payload.len());
            let channel = channel.id;
            self.events
                .push_back(ChannelEvent::Message { channel, message });
        }
    }
}
