mod arrival;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::Instant;

use sheave_engine::wire;
use sheave_engine::{
    AssocId, Event as EngineEvent, Message, SendError, SendOptions, StreamDirection,
};

use crate::engine::SharedEngine;
use crate::resets::Resets;
use crate::stream::{StreamState, Usage};
use crate::{
    AssociationEvent, Chunks, EndpointEvent, Error, Event, Payload, PayloadProtocolIdentifier,
    Stream, StreamEvent, StreamId, Transmit, TransportConfig,
};

/// The standing of an association.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Starting,
    Up { outbound: u16 },
    Closing,
    Closed,
}

/// An association, with the engine in it.
pub struct Association {
    engine: SharedEngine,
    id: AssocId,
    remote: SocketAddr,
    stage: Stage,
    pub(crate) streams: BTreeMap<StreamId, StreamState>,
    resets: Resets,
    events: VecDeque<Event>,
    /// Bytes that were read from the engine, but not by the user.
    held: usize,
    max_held: usize,
    pub(crate) max_send: usize,
    max_receive: usize,
}

impl Association {
    pub(crate) fn new(
        engine: SharedEngine,
        id: AssocId,
        remote: SocketAddr,
        transport: &TransportConfig,
    ) -> Self {
        let bytes = |bytes: u32| usize::try_from(bytes).unwrap_or(usize::MAX);
        Self {
            engine,
            id,
            remote,
            stage: Stage::Starting,
            streams: BTreeMap::new(),
            resets: Resets::default(),
            events: VecDeque::new(),
            held: 0,
            max_held: bytes(transport.max_receive).max(64 << 10),
            max_send: bytes(transport.max_send),
            max_receive: bytes(transport.max_receive),
        }
    }

    /// The next event.
    #[must_use]
    pub fn poll(&mut self) -> Option<Event> {
        self.settle();
        self.events.pop_front()
    }

    /// None: an association has nothing to tell its endpoint.
    #[must_use]
    pub const fn poll_endpoint_event(&mut self) -> Option<EndpointEvent> {
        None
    }

    /// The packets that are due.
    #[must_use]
    pub fn poll_transmit(&mut self, now: Instant) -> Option<Transmit> {
        let packets = self.engine.get_mut().poll_packets(now)?;
        Some(Transmit {
            now,
            remote: self.remote,
            ecn: None,
            local_ip: None,
            payload: Payload::RawEncode(packets),
        })
    }

    /// The instant of the next [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.engine.lock().poll_timeout()
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.engine.get_mut().handle_timeout(now);
        self.settle();
    }

    /// Takes in a packet.
    pub fn handle_event(&mut self, event: AssociationEvent) {
        let AssociationEvent { now, packet } = event;
        self.engine.get_mut().handle_packet(now, &packet);
        self.settle();
    }

    /// Whether it has ended.
    pub fn is_closed(&self) -> bool {
        self.stage == Stage::Closed
    }

    /// Whether it is about to end.
    pub fn is_closing(&self) -> bool {
        self.stage == Stage::Closing
    }

    /// Ends it once all that was sent has arrived.
    /// Errors: it is not up.
    pub fn shutdown(&mut self) -> Result<(), Error> {
        let Stage::Up { .. } = self.stage else {
            return Err(Error::ErrShutdownNonEstablished);
        };
        let now = self.engine.get_mut().now();
        let assoc = self.engine.get_mut().assoc(self.id);
        let done = assoc.map(|mut assoc| assoc.shutdown(now));
        self.stage = Stage::Closing;
        self.settle();
        match done {
            Some(Ok(())) => Ok(()),
            _ => Err(Error::ErrShutdownNonEstablished),
        }
    }

    /// Sets the bytes of a message to the peer at most.
    pub fn set_max_send_message_size(&mut self, bytes: u32) {
        self.max_send = usize::try_from(bytes).unwrap_or(usize::MAX);
    }

    /// Takes a stream into use.
    /// Errors: it is in use, is being closed, or was not granted.
    pub fn open_stream(
        &mut self,
        id: StreamId,
        _default: PayloadProtocolIdentifier,
    ) -> Result<Stream<'_>, Error> {
        if self.streams.contains_key(&id) {
            return Err(Error::ErrStreamAlreadyExist);
        }
        if self.resets.is_closing(id) {
            return Err(Error::ErrStreamResetPending);
        }
        match self.stage {
            Stage::Up { outbound } if id >= outbound => return Err(Error::ErrStreamCreateFailed),
            _ => {}
        }
        self.streams.insert(id, StreamState::new());
        self.mark(id, 0);
        self.stream(id)
    }

    /// A stream that is in use.
    /// Errors: it is not.
    pub fn stream(&mut self, id: StreamId) -> Result<Stream<'_>, Error> {
        match self.streams.contains_key(&id) {
            true => Ok(Stream {
                id,
                association: self,
            }),
            false => Err(Error::ErrStreamNotExisted),
        }
    }

    pub(crate) fn send(&mut self, message: Message, options: SendOptions) -> Result<(), SendError> {
        let now = self.engine.get_mut().now();
        match self.engine.get_mut().assoc(self.id) {
            Some(mut assoc) => assoc.send(now, message, options),
            None => Err(SendError::ShuttingDown),
        }
    }

    pub(crate) fn buffered(&self, id: StreamId) -> usize {
        self.engine.lock().buffered(self.id, wire::StreamId(id))
    }

    /// Gives a stream a low-water mark.
    pub(crate) fn mark(&mut self, id: StreamId, bytes: usize) {
        // Refused where there is no such stream: then nothing is buffered on it either.
        let assoc = self.engine.get_mut().assoc(self.id);
        let _ = assoc.map(|mut assoc| assoc.set_low_water(wire::StreamId(id), Some(bytes)));
    }

    pub(crate) fn read(&mut self, id: StreamId) -> Option<Chunks> {
        let state = self.streams.get_mut(&id)?;
        let message = state.pop();
        let is_at_end = state.usage == Usage::Ending && !state.has_messages();
        self.held -= message.as_ref().map_or(0, Chunks::len);
        if is_at_end {
            self.finish(id);
            self.request_resets();
        }
        self.fill();
        message
    }

    pub(crate) fn close_stream(&mut self, id: StreamId) -> Result<(), Error> {
        let Some(state) = self.streams.get_mut(&id) else {
            return Ok(());
        };
        let before = state.usage;
        if before != Usage::Closed && !matches!(self.stage, Stage::Up { .. }) {
            return Err(Error::ErrResetPacketInStateNotExist);
        }
        self.held -= state.held();
        state.close();
        match before {
            Usage::Open => {
                self.mark(id, 0);
                self.resets.begin(id);
            }
            Usage::Ending => self.finish(id),
            Usage::Closed => {}
        }
        self.request_resets();
        Ok(())
    }

    /// Takes in what the engine has to tell, and the messages that have arrived.
    fn settle(&mut self) {
        while let Some((_, event)) = self.engine.get_mut().poll_event() {
            self.on_event(event);
        }
        self.fill();
        self.request_resets();
    }

    fn on_event(&mut self, event: EngineEvent) {
        match event {
            EngineEvent::Established { .. } => self.on_established(),
            EngineEvent::StreamsChanged {
                outbound_streams, ..
            } => {
                if let Stage::Up { outbound } = &mut self.stage {
                    *outbound = outbound_streams;
                }
            }
            EngineEvent::StreamBufferLow { stream } => self.on_buffer_low(stream.0),
            EngineEvent::StreamsReset { direction, streams } => match direction {
                StreamDirection::Outgoing => {
                    let outcomes = self.resets.on_reset();
                    self.tell(outcomes);
                }
                StreamDirection::Incoming => self.on_peer_reset(&streams),
            },
            EngineEvent::AssociationReset { .. } => self.on_peer_reset(&[]),
            EngineEvent::ReconfigurationFailed { failure } => {
                let outcomes = self.resets.on_failure(failure);
                self.tell(outcomes);
            }
            EngineEvent::PartialDeliveryAborted { stream } => {
                if let Some(state) = self.streams.get_mut(&stream.0) {
                    self.held -= state.held();
                    state.forget_parts();
                    self.held += state.held();
                }
            }
            EngineEvent::PeerShutdown => self.stage = Stage::Closing,
            EngineEvent::Restarted => self.on_restarted(),
            EngineEvent::Closed { reason, unread } => self.on_closed(&reason, unread),
            _ => {}
        }
    }

    /// The association is up.
    pub(crate) fn on_established(&mut self) {
        let outbound = self.engine.get_mut().assoc(self.id);
        let outbound = outbound.map_or(0, |assoc| assoc.stats().outbound_streams);
        self.stage = Stage::Up { outbound };
        self.events.push_back(Event::Connected);
    }

    fn on_buffer_low(&mut self, id: StreamId) {
        let usage = self.streams.get(&id).map(|state| state.usage);
        if usage == Some(Usage::Open) {
            let event = StreamEvent::BufferedAmountLow { id };
            self.events.push_back(Event::Stream(event));
        }
    }
}
