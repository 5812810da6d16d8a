//! The data channels of an association.

mod arrival;
mod closing;
mod request;
mod setup;

use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::vec::Vec;
use core::mem;

use bytes::Bytes;
use sheave_engine::{
    Assoc, AssocId, CloseReason, Endpoint, Event, Phase, Received, SendOptions, StreamDirection,
    Time,
};
use sheave_wire::StreamId;

use self::closing::PeerReset;
use self::request::{Growth, Request};
use self::setup::Setup;
use crate::assembly::Assemblies;
use crate::channel::{Refill, Stage};
use crate::options::is_within;
use crate::streams::Streams;
use crate::{
    Channel, ChannelConfig, ChannelEvent, ChannelId, ChannelOptions, ClosedReason, ConnectionStats,
    Message, Negotiation, OpenError, Origin, Role, SendError, ppid,
};

/// The data channels of one association of an [`Endpoint`].
///
/// Pass events of the association to [`handle_event`](Self::handle_event); channel events, messages
/// included, come from [`poll_event`](Self::poll_event). Calls that act on the association borrow
/// the endpoint.
#[derive(Clone, Debug)]
pub struct DataChannels {
    assoc: AssocId,
    options: ChannelOptions,
    standing: Standing,
    streams: Streams,
    /// Channels still to be announced or acknowledged.
    setups: BTreeMap<StreamId, Setup>,
    request: Request,
    growth: Growth,
    /// Resets by the peer that wait until earlier messages are read.
    peer_resets: BTreeSet<PeerReset>,
    /// Number of messages and parts read so far.
    reads: u64,
    /// Messages up to this number were sent before the peer's restart.
    stale: u64,
    /// Streams that can be reset: everything sent on them was acknowledged.
    resets: BTreeSet<StreamId>,
    /// Messages still unread when the association ended.
    arrivals: VecDeque<Received>,
    assemblies: Assemblies,
    events: VecDeque<ChannelEvent>,
    stats: ConnectionStats,
}

/// State of the association.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    Starting,
    Up {
        outbound: u16,
    },
    /// The association has ended; messages may be unread.
    Ending(CloseReason),
    Ended,
}

impl DataChannels {
    /// Creates an empty set of channels for an association, established or not.
    #[must_use]
    pub fn new(
        endpoint: &mut Endpoint,
        assoc: AssocId,
        role: Role,
        options: ChannelOptions,
    ) -> Self {
        let standing = match endpoint.assoc(assoc) {
            None => Standing::Ended,
            Some(assoc) if assoc.phase() < Phase::Established => Standing::Starting,
            Some(assoc) => Standing::Up {
                outbound: assoc.stats().outbound_streams,
            },
        };
        Self {
            assoc,
            options,
            standing,
            streams: Streams::new(role),
            setups: BTreeMap::new(),
            request: Request::None,
            growth: Growth::Ample,
            peer_resets: BTreeSet::new(),
            reads: 0,
            stale: 0,
            resets: BTreeSet::new(),
            arrivals: VecDeque::new(),
            assemblies: Assemblies::default(),
            events: VecDeque::new(),
            stats: ConnectionStats::default(),
        }
    }

    /// The association.
    #[must_use]
    pub const fn assoc(&self) -> AssocId {
        self.assoc
    }

    /// Opens a channel. The OPEN is sent once the association is established and has the stream;
    /// [`ChannelEvent::Opened`] follows when the peer has acknowledged it.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        config: ChannelConfig,
    ) -> Result<ChannelId, OpenError> {
        if matches!(self.standing, Standing::Ending(_) | Standing::Ended) {
            return Err(OpenError::Ended);
        }
        let most = usize::from(u16::MAX);
        if config.label.len() > most || config.protocol.len() > most {
            return Err(OpenError::TooLong);
        }
        if self.streams.len() >= self.options.max_channels {
            return Err(OpenError::TooMany);
        }
        let (stream, setup) = match config.negotiation {
            Negotiation::InBand => {
                let stream = self.streams.lowest_free().ok_or(OpenError::TooMany)?;
                self.keep_stream(stream);
                (stream, Setup::Open)
            }
            Negotiation::External(StreamId(u16::MAX)) => return Err(OpenError::BadId),
            Negotiation::External(stream) => {
                self.keep_stream(stream);
                if !self.streams.is_free(stream) {
                    return Err(OpenError::InUse);
                }
                (stream, Setup::Negotiated)
            }
        };
        let id = self.streams.insert(stream, Origin::Local, config).id();
        self.setups.insert(stream, setup);
        self.advance(now, endpoint);
        Ok(id)
    }

    /// Queues a message, whole or not at all. Until the peer has acknowledged an announced channel,
    /// its messages are ordered, whatever the channel's order (RFC 8832 §6).
    ///
    /// # Errors
    /// See [`SendError`].
    pub fn send(
        &mut self,
        now: Time,
        endpoint: &mut Endpoint,
        id: ChannelId,
        message: Message,
    ) -> Result<(), SendError> {
        let Some(channel) = self.streams.get_mut(id) else {
            return Err(SendError::NoChannel);
        };
        if matches!(channel.stage, Stage::Closing(_)) {
            return Err(SendError::Closing);
        }
        if self.setups.contains_key(&id.stream) {
            return Err(SendError::NotReady(message));
        }
        if !is_within(message.payload.len(), self.options.max_send_size) {
            return Err(SendError::TooLarge);
        }
        let Some(mut assoc) = endpoint.assoc(self.assoc) else {
            return Err(SendError::Closing);
        };
        let Message { kind, payload } = message;
        let bytes = payload.len();
        let (ppid, payload) = match bytes {
            0 => (ppid::empty(kind), Bytes::from_static(&[0])),
            _ => (ppid::whole(kind), payload),
        };
        let whole = sheave_engine::Message {
            stream: id.stream,
            ppid,
            delivery: channel.delivery_now(),
            payload,
        };
        let options = SendOptions {
            reliability: channel.config.reliability.of_engine(),
            ..SendOptions::default()
        };
        match assoc.send(now, whole, options) {
            Ok(()) => {
                channel.refill = Refill::Sent;
                channel.stats.on_sent(bytes);
                Ok(())
            }
            Err(sheave_engine::SendError::BufferFull(whole)) => {
                let payload = whole.payload.slice(..bytes);
                Err(SendError::BufferFull(Message { kind, payload }))
            }
            Err(sheave_engine::SendError::TooLarge) => Err(SendError::TooLarge),
            Err(_) => Err(SendError::Closing),
        }
    }

    /// Closes a channel: messages already sent are delivered, messages received from now on are
    /// dropped. [`ChannelEvent::Closed`] follows when the peer has closed it, too. No effect on a
    /// closed or closing channel.
    pub fn close(&mut self, now: Time, endpoint: &mut Endpoint, id: ChannelId) {
        let Some(channel) = self.streams.get(id) else {
            return;
        };
        if matches!(channel.stage, Stage::Closing(_)) {
            return;
        }
        match self.setups.get(&id.stream) {
            // The peer does not know the channel.
            Some(Setup::Open) => self.end(id.stream, ClosedReason::Local),
            Some(Setup::Negotiated) => self.end_unused(endpoint, id.stream),
            Some(Setup::Ack) | None => self.begin_closing(endpoint, id.stream, ClosedReason::Local),
        }
        self.advance(now, endpoint);
    }

    /// Sets the low-water mark: [`ChannelEvent::BufferLow`] is emitted each time the [bytes
    /// buffered](Self::buffered) on a channel have fallen to `bytes`. This is the W3C's
    /// `bufferedAmountLowThreshold`, initially 0.
    pub fn set_low_water(&mut self, endpoint: &mut Endpoint, id: ChannelId, bytes: usize) {
        let Some(channel) = self.streams.get_mut(id) else {
            return;
        };
        channel.low_water = bytes;
        let closing = matches!(channel.stage, Stage::Closing(_));
        if !closing && !self.setups.contains_key(&id.stream) {
            mark(endpoint.assoc(self.assoc).as_mut(), id.stream, Some(bytes));
        }
    }

    /// Bytes queued or unacknowledged on a channel: the W3C's `bufferedAmount`, plus the channel's
    /// own OPEN or ACK, and one byte per empty message.
    pub fn buffered(&self, endpoint: &mut Endpoint, id: ChannelId) -> usize {
        let assoc = endpoint.assoc(self.assoc);
        let known = assoc.filter(|_| self.streams.get(id).is_some());
        known.map_or(0, |assoc| assoc.stream_buffered(id.stream))
    }

    /// Sets the limit [`max_send_size`](ChannelOptions::max_send_size) once the peer's value is
    /// known.
    pub const fn set_max_send_size(&mut self, bytes: usize) {
        self.options.max_send_size = bytes;
    }

    /// Handles an event of the association. Handle all events before [polling the endpoint for
    /// packets](sheave_engine::Node::poll_transmit), so that the peer does not learn that a stream
    /// is free before this end does.
    pub fn handle_event(&mut self, now: Time, endpoint: &mut Endpoint, event: Event) {
        match event {
            Event::Established {
                outbound_streams: outbound,
                ..
            } => self.standing = Standing::Up { outbound },
            Event::StreamsChanged {
                outbound_streams: outbound,
                ..
            } => self.on_streams_changed(outbound),
            Event::StreamsReset { direction, streams } => match direction {
                StreamDirection::Outgoing => self.on_outgoing_reset(endpoint, streams),
                StreamDirection::Incoming => self.on_incoming_reset(endpoint, &streams),
            },
            Event::AssociationReset { .. } => {
                self.on_outgoing_reset(endpoint, Vec::new());
                self.on_incoming_reset(endpoint, &[]);
            }
            Event::ReconfigurationFailed { failure } => {
                self.on_request_failed(now, endpoint, failure);
            }
            Event::StreamBufferLow { stream } => self.on_buffer_low(endpoint, stream),
            Event::Writable => self.events.push_back(ChannelEvent::Writable),
            Event::Abandoned { message, .. } => self.on_abandoned(message.stream),
            Event::PartialDeliveryAborted { stream } => self.assemblies.cut_off(stream),
            Event::Restarted => self.on_restarted(endpoint),
            Event::Closed { reason, unread } => {
                self.arrivals.extend(unread);
                self.standing = Standing::Ending(reason);
            }
            _ => {}
        }
        self.advance(now, endpoint);
    }

    /// The next event or message of a channel. Reads from the association only as needed; not
    /// calling it slows the peer down through flow control.
    pub fn poll_event(&mut self, now: Time, endpoint: &mut Endpoint) -> Option<ChannelEvent> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            if let Some(received) = self.next_received(now, endpoint) {
                self.on_received(now, endpoint, received);
                if self.perform_peer_resets(endpoint) {
                    self.advance(now, endpoint);
                }
            } else if let Standing::Ending(reason) = &self.standing {
                let reason = ClosedReason::Association(reason.clone());
                self.standing = Standing::Ended;
                self.end_all(&reason);
            } else {
                return None;
            }
        }
    }

    /// A channel; `None` once it is closed.
    #[must_use]
    pub fn channel(&self, id: ChannelId) -> Option<&Channel> {
        self.streams.get(id)
    }

    /// All channels, by stream.
    pub fn channels(&self) -> impl Iterator<Item = &Channel> {
        self.streams.channels()
    }

    /// Counters of all channels.
    #[must_use]
    pub const fn stats(&self) -> ConnectionStats {
        self.stats
    }

    /// Size of the unfinished messages of all channels, bytes.
    #[must_use]
    pub const fn unfinished(&self) -> usize {
        self.assemblies.held()
    }

    /// Performs pending actions: announces channels, requests streams and resets.
    fn advance(&mut self, now: Time, endpoint: &mut Endpoint) {
        let Standing::Up { outbound } = self.standing else {
            return;
        };
        if let Some(mut assoc) = endpoint.assoc(self.assoc) {
            self.set_up(now, &mut assoc, outbound);
            self.make_request(now, &mut assoc, outbound);
        }
    }

    fn on_buffer_low(&mut self, endpoint: &mut Endpoint, stream: StreamId) {
        self.note_drained(endpoint, stream);
        if let Some(channel) = self.streams.at_mut(stream)
            && !matches!(channel.stage, Stage::Closing(_))
            && mem::replace(&mut channel.refill, Refill::None) == Refill::Sent
        {
            let channel = channel.id;
            self.events.push_back(ChannelEvent::BufferLow { channel });
        }
    }

    fn on_abandoned(&mut self, stream: StreamId) {
        if let Some(channel) = self.streams.at_mut(stream) {
            channel.stats.messages_abandoned += 1;
        }
    }

    /// Handles a peer restart: the peer knows no channels.
    fn on_restarted(&mut self, endpoint: &mut Endpoint) {
        self.end_all(&ClosedReason::Restarted);
        if let Some(assoc) = endpoint.assoc(self.assoc) {
            let outbound = assoc.stats().outbound_streams;
            self.standing = Standing::Up { outbound };
            self.stale = self.reads + assoc.unread() as u64;
        }
    }

    /// Closes all channels at once and starts afresh.
    fn end_all(&mut self, reason: &ClosedReason) {
        for stream in self.streams.in_use() {
            self.assemblies.forget(stream);
            self.end(stream, reason.clone());
        }
        self.streams.forget_closings();
        self.peer_resets.clear();
        self.resets.clear();
        self.request = Request::None;
        self.growth = Growth::Ample;
    }

    /// Closes the channel on a stream.
    fn end(&mut self, stream: StreamId, otherwise: ClosedReason) {
        self.setups.remove(&stream);
        let Some(channel) = self.streams.remove(stream) else {
            return;
        };
        let was_open = channel.stage == Stage::Open;
        self.stats.data_channels_closed += u64::from(was_open);
        let reason = match channel.stage {
            Stage::Closing(reason) => reason,
            Stage::Connecting | Stage::Open => otherwise,
        };
        let channel = channel.id;
        self.events
            .push_back(ChannelEvent::Closed { channel, reason });
    }
}

/// Sets the low-water mark of an existing stream.
fn mark(assoc: Option<&mut Assoc<'_>>, stream: StreamId, bytes: Option<usize>) {
    // Fails if the stream does not exist; nothing is buffered on it then.
    let _ = assoc.map(|assoc| assoc.set_low_water(stream, bytes));
}
