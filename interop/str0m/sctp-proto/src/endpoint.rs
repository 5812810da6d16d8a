use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use sheave_engine::Event;

use crate::engine::{Engine, SharedEngine};
use crate::{
    Association, AssociationEvent, ClientConfig, EcnCodepoint, EndpointConfig, EndpointEvent,
    Payload, ServerConfig, Transmit,
};

/// The place of an association in its endpoint, which has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AssociationHandle(pub usize);

/// The meaning of a packet.
pub enum DatagramEvent {
    /// The peer has begun an association.
    NewAssociation(Association),
    /// It is the association's.
    AssociationEvent(AssociationEvent),
}

/// The reason why no association was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectError {
    /// The endpoint has its association.
    TooManyAssociations,
    /// The engine's reason.
    Refused(sheave_engine::ConnectError),
    /// The system has no random numbers.
    NoRandomness,
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyAssociations => f.write_str("the endpoint has its association"),
            Self::Refused(error) => error.fmt(f),
            Self::NoRandomness => f.write_str("the system has no random numbers"),
        }
    }
}

impl std::error::Error for ConnectError {}

/// The engine's place: with the association once there is one.
enum Place {
    Nowhere,
    Listening(SharedEngine),
    Handed,
}

/// The end of one DTLS connection.
pub struct Endpoint {
    config: Arc<EndpointConfig>,
    server: Option<Arc<ServerConfig>>,
    remote: Option<SocketAddr>,
    place: Place,
}

impl Endpoint {
    /// An endpoint, which takes an association that the peer begins if there is a `server`.
    #[must_use]
    pub const fn new(config: Arc<EndpointConfig>, server: Option<Arc<ServerConfig>>) -> Self {
        Self {
            config,
            server,
            remote: None,
            place: Place::Nowhere,
        }
    }

    /// Begins an association.
    /// Errors: See [`ConnectError`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the interface is the crate's that this one stands for"
    )]
    pub fn connect(
        &mut self,
        config: ClientConfig,
        remote: SocketAddr,
    ) -> Result<(AssociationHandle, Association), ConnectError> {
        if matches!(self.place, Place::Handed) {
            return Err(ConnectError::TooManyAssociations);
        }
        let mut engine = Engine::new().map_err(|_| ConnectError::NoRandomness)?;
        let transport = &config.transport;
        let options = transport.options(self.config.max_payload_size);
        let ports = (transport.local_port, transport.remote_port);
        let id = engine.connect(ports, options, config.inits.as_ref());
        let id = id.map_err(ConnectError::Refused)?;
        self.place = Place::Handed;
        let association = Association::new(SharedEngine::new(engine), id, remote, transport);
        Ok((AssociationHandle(0), association))
    }

    /// Takes in a packet.
    pub fn handle(
        &mut self,
        now: Instant,
        remote: SocketAddr,
        _local_ip: Option<IpAddr>,
        _ecn: Option<EcnCodepoint>,
        packet: Bytes,
    ) -> Option<(AssociationHandle, DatagramEvent)> {
        if matches!(self.place, Place::Handed) {
            let event = AssociationEvent { now, packet };
            let event = DatagramEvent::AssociationEvent(event);
            return Some((AssociationHandle(0), event));
        }
        let server = self.server.clone()?;
        self.remote = Some(remote);
        let mut engine = self.listening(&server, &packet)?;
        engine.get_mut().handle_packet(now, &packet);
        while let Some((id, event)) = engine.get_mut().poll_event() {
            if let Event::Established { .. } = event {
                self.place = Place::Handed;
                let mut association = Association::new(engine, id, remote, &server.transport);
                association.on_established();
                let event = DatagramEvent::NewAssociation(association);
                return Some((AssociationHandle(0), event));
            }
        }
        self.place = Place::Listening(engine);
        None
    }

    /// The engine, which listens on the port that the packet is for.
    fn listening(&mut self, server: &ServerConfig, packet: &[u8]) -> Option<SharedEngine> {
        let port = u16::from_be_bytes(packet.get(2..4)?.try_into().ok()?);
        match std::mem::replace(&mut self.place, Place::Nowhere) {
            Place::Listening(engine) => Some(engine),
            Place::Nowhere | Place::Handed => {
                let mut engine = Engine::new().ok()?;
                let options = server.transport.options(self.config.max_payload_size);
                engine.listen(port, options);
                Some(SharedEngine::new(engine))
            }
        }
    }

    /// The packets that answer an association not there yet.
    #[must_use]
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        let Place::Listening(engine) = &mut self.place else {
            return None;
        };
        let engine = engine.get_mut();
        let now = engine.instant()?;
        let packets = engine.poll_packets(now)?;
        Some(Transmit {
            now,
            remote: self.remote?,
            ecn: None,
            local_ip: None,
            payload: Payload::RawEncode(packets),
        })
    }

    /// Takes in news of the association, of which there is none.
    pub fn handle_event(
        &mut self,
        _handle: AssociationHandle,
        event: EndpointEvent,
    ) -> Option<AssociationEvent> {
        match event {}
    }
}
