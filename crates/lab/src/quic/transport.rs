use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, DatagramEvent,
    Dir, EcnCodepoint, Endpoint, EndpointConfig, Event, Incoming, ServerConfig, StreamEvent,
    TransportConfig, ValidationTokenConfig, VarInt,
};
use sheave_engine::{Datagram, Ecn, Fragmentation, Marking, Node, PeerAddress, Time, Transmit};
use sheave_sim::{
    Admission, Agent, Arrival, NewTransport, Protocol, Random, Standing, Transport, read_udp,
    write_udp,
};

use super::streams::Streams;
use super::{Congestion, RECEIVE_BUFFER, SEND_BUFFER};
use crate::tls;

/// Bytes of a UDP header.
const UDP_HEADER: usize = 8;
/// Bytes of a connection id, quinn's default.
const ID_LEN: usize = 8;

/// Virtual time 0 on quinn's clock, which only ever computes differences.
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// An end of a QUIC connection.
pub(super) struct Quic {
    local: SocketAddr,
    role: Role,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    streams: Streams,
    standing: Standing,
    ending: Ending,
    /// Packets of the endpoint that belong to no connection.
    replies: VecDeque<(quinn_proto::Transmit, Vec<u8>)>,
    /// The payload of the last UDP datagram.
    packet: Vec<u8>,
    deadline: Option<Time>,
}

enum Role {
    Client(Box<ClientConfig>, SocketAddr),
    Server,
}

/// Whether the user has closed the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    No,
    /// The end follows when the peer has everything.
    Wanted,
}

impl Quic {
    pub(super) fn new(new: NewTransport, congestion: Congestion) -> Self {
        let mut transport = TransportConfig::default();
        transport
            .send_window(SEND_BUFFER.into())
            .receive_window(RECEIVE_BUFFER.into())
            .stream_receive_window(RECEIVE_BUFFER.into())
            .congestion_controller_factory(congestion);
        let transport = Arc::new(transport);
        let (role, server) = match new.remote {
            Some(remote) => {
                let config = client_config(new.seed, transport);
                (Role::Client(Box::new(config), remote), None)
            }
            None => (Role::Server, Some(Arc::new(server_config(transport)))),
        };
        Self {
            local: new.local,
            role,
            endpoint: Endpoint::new(endpoint_config(new.seed), server, true, None),
            connection: None,
            streams: Streams::default(),
            standing: Standing::Opening,
            ending: Ending::No,
            replies: VecDeque::new(),
            packet: Vec::new(),
            deadline: None,
        }
    }

    fn accept(&mut self, now: Time, incoming: Incoming) {
        if self.connection.is_some() {
            return self.endpoint.ignore(incoming);
        }
        let mut reply = Vec::new();
        let accepted = self
            .endpoint
            .accept(incoming, instant(now), &mut reply, None);
        match accepted {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => self.reply(error.response, reply),
        }
    }

    fn reply(&mut self, transmit: Option<quinn_proto::Transmit>, packet: Vec<u8>) {
        let transmit = transmit.map(|transmit| (transmit, packet));
        self.replies.extend(transmit);
    }

    /// Handles all that the connection has to say after each call.
    fn settle(&mut self, now: Time) {
        let Some((handle, connection)) = &mut self.connection else {
            return;
        };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(answer);
            }
        }
        while let Some(event) = connection.poll() {
            match event {
                Event::Connected => self.standing = Standing::Open,
                Event::ConnectionLost { .. } => self.standing = Standing::Closed,
                Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                    self.streams.accept(connection);
                }
                Event::Stream(StreamEvent::Readable { id }) => self.streams.read(connection, id),
                Event::Stream(StreamEvent::Writable { id }) => self.streams.flush(connection, id),
                _ => {}
            }
        }
        if self.ending == Ending::Wanted
            && self.streams.finish(connection)
            && !connection.is_closed()
        {
            connection.close(instant(now), VarInt::from_u32(0), Bytes::new());
            self.standing = Standing::Closed;
        }
        self.deadline = connection.poll_timeout().map(time);
    }
}

impl Node for Quic {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        let Some((port, payload)) = read_udp(&datagram) else {
            return;
        };
        let remote = SocketAddr::new(datagram.remote.ip, port);
        let mut reply = Vec::new();
        let event = self.endpoint.handle(
            instant(now),
            remote,
            Some(datagram.local),
            codepoint(datagram.ecn),
            payload.into(),
            &mut reply,
        );
        match event {
            Some(DatagramEvent::ConnectionEvent(of, event)) => match &mut self.connection {
                Some((handle, connection)) if *handle == of => connection.handle_event(event),
                _ => {}
            },
            Some(DatagramEvent::NewConnection(incoming)) => self.accept(now, incoming),
            Some(DatagramEvent::Response(transmit)) => self.reply(Some(transmit), reply),
            None => {}
        }
        self.settle(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        if let Some((_, connection)) = &mut self.connection {
            connection.handle_timeout(instant(now));
        }
        self.settle(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, _: usize) -> Option<Transmit> {
        self.packet.clear();
        let transmit = match self.replies.pop_front() {
            Some((transmit, packet)) => {
                self.packet = packet;
                transmit
            }
            None => {
                let (_, connection) = self.connection.as_mut()?;
                let transmit = connection.poll_transmit(instant(now), 1, &mut self.packet);
                // Pacing sets a timer.
                self.deadline = connection.poll_timeout().map(time);
                transmit?
            }
        };
        let payload = &self.packet[..transmit.size];
        let ends = (self.local, transmit.destination);
        write_udp(buf, ends, UDP_HEADER + payload.len(), payload);
        Some(Transmit {
            local: self.local.ip(),
            remote: PeerAddress::native(transmit.destination.ip()),
            ecn: ecn(transmit.ecn),
            segment_size: None,
            // RFC 9000 §14
            fragmentation: Fragmentation::Forbidden,
            marking: Marking::default(),
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.deadline
    }
}

impl Agent for Quic {
    fn protocol(&self) -> Protocol {
        Protocol::Udp
    }

    fn owns_port(&self, port: u16) -> bool {
        port == self.local.port()
    }
}

impl Transport for Quic {
    fn open(&mut self, now: Time) {
        if let Role::Client(config, remote) = &self.role {
            let config = config.as_ref().clone();
            let connected = self
                .endpoint
                .connect(instant(now), config, *remote, tls::NAME);
            match connected {
                Ok(connection) => self.connection = Some(connection),
                Err(_) => self.standing = Standing::Closed,
            }
        }
        self.settle(now);
    }

    fn standing(&self) -> Standing {
        self.standing
    }

    fn send(&mut self, _now: Time, stream: u16, payload: Bytes) -> Admission {
        match &mut self.connection {
            Some((_, connection))
                if self.standing == Standing::Open && self.ending == Ending::No =>
            {
                self.streams.send(connection, stream, payload)
            }
            _ => Admission::Full,
        }
    }

    fn receive(&mut self, _now: Time) -> Option<Arrival> {
        self.streams.receive()
    }

    fn defer(&mut self, _now: Time, stream: u16) {
        if let Some((_, connection)) = &mut self.connection {
            self.streams.defer(connection, stream);
        }
    }

    fn close(&mut self, now: Time) {
        self.ending = Ending::Wanted;
        self.settle(now);
    }
}

fn client_config(seed: [u8; 32], transport: Arc<TransportConfig>) -> ClientConfig {
    let crypto = tls::client().expect("the certificate in the sources is valid");
    let mut config = ClientConfig::new(Arc::new(crypto));
    let first = ConnectionId::new(&seed[..20]);
    config
        .transport_config(transport)
        .initial_dst_cid_provider(Arc::new(move || first));
    config
}

fn server_config(transport: Arc<TransportConfig>) -> ServerConfig {
    let crypto = tls::server().expect("the certificate in the sources is valid");
    // The key of its tokens is random, but no tokens are sent.
    let mut config = ServerConfig::with_crypto(Arc::new(crypto));
    let mut tokens = ValidationTokenConfig::default();
    tokens.sent(0);
    config
        .transport_config(transport)
        .validation_token_config(tokens);
    config
}

fn endpoint_config(seed: [u8; 32]) -> Arc<EndpointConfig> {
    let mut config = EndpointConfig::new(Arc::new(tls::ResetKey(seed)));
    let word = seed
        .first_chunk()
        .map_or(0, |word| u64::from_le_bytes(*word));
    let ids = move || -> Box<dyn ConnectionIdGenerator> {
        Box::new(ConnectionIds(Random::new(word).fork("connection ids")))
    };
    config.cid_generator(ids).rng_seed(Some(seed));
    Arc::new(config)
}

/// Connection ids that follow from a seed.
struct ConnectionIds(Random);

impl ConnectionIdGenerator for ConnectionIds {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.u64().to_be_bytes())
    }

    fn cid_len(&self) -> usize {
        ID_LEN
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

fn instant(time: Time) -> Instant {
    *ORIGIN + Duration::from_nanos(time.as_nanos())
}

fn time(instant: Instant) -> Time {
    Time::ZERO + instant.duration_since(*ORIGIN)
}

const fn codepoint(ecn: Ecn) -> Option<EcnCodepoint> {
    match ecn {
        Ecn::NotEct => None,
        Ecn::Ect0 => Some(EcnCodepoint::Ect0),
        Ecn::Ect1 => Some(EcnCodepoint::Ect1),
        Ecn::Ce => Some(EcnCodepoint::Ce),
    }
}

const fn ecn(codepoint: Option<EcnCodepoint>) -> Ecn {
    match codepoint {
        None => Ecn::NotEct,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}
