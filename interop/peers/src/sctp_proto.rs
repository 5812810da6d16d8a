use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use sctp_proto::{
    Association, AssociationError, ClientConfig, DatagramEvent, Endpoint, EndpointConfig, Event,
    Payload, PayloadProtocolIdentifier, ReliabilityType, ServerConfig, StreamEvent, Transmit,
    TransportConfig,
};
use sheave_engine::wire::{Ppid, StreamId};
use sheave_engine::{Delivery, Message, Reliability, Time};

use crate::{Admission, Condition, Ending, Stack};

/// Bytes that the stack may hold unsent on a stream; it has no limit of its own.
const SEND_BUFFER: usize = 4 << 20;

/// The chunk type of SHUTDOWN COMPLETE.
const SHUTDOWN_COMPLETE: u8 = 14;

/// The crate `sctp-proto`, the stack of str0m's data channels.
///
/// It starts from SCTP port 5000 to port 5000, and answers on whatever port it is called.
pub struct SctpProto {
    endpoint: Endpoint,
    association: Option<Association>,
    handle: Option<sctp_proto::AssociationHandle>,
    readable: VecDeque<u16>,
    packets: VecDeque<Vec<u8>>,
    condition: Condition,
    closing: bool,
    origin: Instant,
}

impl SctpProto {
    /// A stack with its defaults, but room for messages of 4 MiB.
    pub fn new() -> Self {
        let mut server = ServerConfig::new();
        server.transport = Arc::new(transport());
        Self {
            endpoint: Endpoint::new(Arc::new(EndpointConfig::new()), Some(Arc::new(server))),
            association: None,
            handle: None,
            readable: VecDeque::new(),
            packets: VecDeque::new(),
            condition: Condition::Down,
            closing: false,
            origin: Instant::now(),
        }
    }

    fn at(&self, now: Time) -> Instant {
        self.origin + now.since(Time::ZERO)
    }

    fn take_events(&mut self, now: Time) {
        let at = self.at(now);
        while let Some(transmit) = self.endpoint.poll_transmit() {
            self.take_packets(transmit);
        }
        let Some(association) = &mut self.association else {
            return;
        };
        // Told here that the association is done, the endpoint would forget it before the peer's
        // answers to a shutdown have come; this endpoint lives no longer than its association.
        while association.poll_endpoint_event().is_some() {}
        while let Some(event) = association.poll() {
            match event {
                Event::Connected => self.condition = Condition::Up,
                Event::AssociationLost { reason } => {
                    let ending = match reason {
                        _ if self.closing => Ending::Graceful,
                        AssociationError::AssociationClosed => Ending::AbortedByPeer,
                        _ => Ending::Otherwise,
                    };
                    self.condition = Condition::Closed(ending);
                }
                Event::HandshakeFailed { .. } => {
                    self.condition = Condition::Closed(Ending::Otherwise);
                }
                Event::Stream(StreamEvent::Readable { id }) => self.readable.push_back(id),
                _ => {}
            }
        }
        while association.accept_stream().is_some() {}
        if association.is_closing() {
            self.closing = true;
        }
        if self.closing && association.is_closed() {
            self.condition = Condition::Closed(Ending::Graceful);
        }
        while let Some(transmit) = self.association.as_mut().and_then(|a| a.poll_transmit(at)) {
            self.take_packets(transmit);
        }
    }

    fn take_packets(&mut self, transmit: Transmit) {
        let Payload::RawEncode(packets) = transmit.payload else {
            return;
        };
        // It tells nobody that its own shutdown is complete, except the peer.
        if packets
            .iter()
            .any(|packet| packet.get(12) == Some(&SHUTDOWN_COMPLETE))
        {
            self.condition = Condition::Closed(Ending::Graceful);
        }
        self.packets.extend(packets.into_iter().map(Vec::from));
    }
}

fn transport() -> TransportConfig {
    TransportConfig::default()
        .with_max_receive_buffer_size(8 << 20)
        .with_max_send_message_size(4 << 20)
        .with_max_receive_message_size(4 << 20)
}

fn remote() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 9899))
}

impl Default for SctpProto {
    fn default() -> Self {
        Self::new()
    }
}

impl Stack for SctpProto {
    fn connect(&mut self, now: Time) {
        let mut config = ClientConfig::new();
        config.transport = Arc::new(transport());
        let (handle, association) = self
            .endpoint
            .connect(config, remote())
            .expect("a client can always start");
        self.handle = Some(handle);
        self.association = Some(association);
        self.take_events(now);
    }

    fn handle_packet(&mut self, now: Time, packet: &[u8]) {
        let at = self.at(now);
        let packet = Bytes::copy_from_slice(packet);
        match self.endpoint.handle(at, remote(), None, None, packet) {
            Some((handle, DatagramEvent::NewAssociation(association))) => {
                self.handle = Some(handle);
                self.association = Some(association);
            }
            Some((handle, DatagramEvent::AssociationEvent(event))) => {
                if let Some(association) = &mut self.association
                    && self.handle == Some(handle)
                {
                    association.handle_event(event);
                }
            }
            None => {}
        }
        self.take_events(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        let at = self.at(now);
        if let Some(association) = &mut self.association {
            association.handle_timeout(at);
        }
        self.take_events(now);
    }

    fn poll_packet(&mut self, _now: Time) -> Option<Vec<u8>> {
        self.packets.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let at = self.association.as_ref()?.poll_timeout()?;
        Some(Time::ZERO + at.saturating_duration_since(self.origin))
    }

    fn send_until(&mut self, now: Time, message: &Message, until: Reliability) -> Admission {
        let (kind, value) = match until {
            Reliability::Timed(lifetime) => (ReliabilityType::Timed, lifetime.as_millis()),
            Reliability::Retransmissions(most) => (ReliabilityType::Rexmit, u128::from(most)),
            Reliability::Reliable | Reliability::Priority(_) => (ReliabilityType::Reliable, 0),
        };
        let value = u32::try_from(value).unwrap_or(u32::MAX);
        let Some(association) = &mut self.association else {
            return Admission::Full;
        };
        let ppid = PayloadProtocolIdentifier::from(message.ppid.0);
        if association.stream(message.stream.0).is_err() {
            association
                .open_stream(message.stream.0, ppid)
                .expect("the stream is new");
        }
        let mut stream = association
            .stream(message.stream.0)
            .expect("the stream is open");
        if stream.buffered_amount().unwrap_or(0) > SEND_BUFFER {
            return Admission::Full;
        }
        let unordered = message.delivery == Delivery::Unordered;
        stream
            .set_reliability_params(unordered, kind, value)
            .expect("the stream is open");
        stream
            .write_with_ppi(&message.payload, ppid)
            .expect("a message is accepted");
        self.take_events(now);
        Admission::Accepted
    }
    fn receive(&mut self, now: Time) -> Option<Message> {
        while let Some(id) = self.readable.front().copied() {
            let association = self.association.as_mut()?;
            if let Ok(mut stream) = association.stream(id)
                && let Ok(Some(chunks)) = stream.read_sctp()
            {
                let mut payload = vec![0; chunks.len()];
                chunks.read(&mut payload).expect("the room is exact");
                let ppid = Ppid(chunks.ppi as u32);
                self.take_events(now);
                return Some(Message::new(StreamId(id), payload).with_ppid(ppid));
            }
            self.readable.pop_front();
        }
        None
    }

    fn shutdown(&mut self, now: Time) {
        self.closing = true;
        if let Some(association) = &mut self.association {
            association.shutdown().expect("the association is up");
        }
        self.take_events(now);
    }

    /// Forgets the association: the stack has no way to send an ABORT on demand.
    fn abort(&mut self, now: Time) {
        if let Some(association) = &mut self.association {
            association.close().expect("closing is always possible");
        }
        self.take_events(now);
        self.condition = Condition::Closed(Ending::Otherwise);
    }

    fn condition(&self) -> Condition {
        self.condition
    }

    /// False: the stack does not wait until what it sent is acknowledged, its SHUTDOWN names as
    /// received the TSNs that it sent itself, and it knows no SHUTDOWN COMPLETE with a reflected
    /// tag, which arrives once its peer has forgotten the association (RFC 9260 §8.4).
    fn shuts_down_well(&self) -> bool {
        false
    }
}
