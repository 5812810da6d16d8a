use core::net::IpAddr;

use bytes::{Buf, Bytes};
use sheave_engine::{Checksum, Datagram, Node, Time, Transmit};

use super::{Connection, ConnectionId, ConnectionStats, Event, Options, Stack, length_prefix};
use crate::{Admission, Agent, Arrival, Protocol, Standing, Transport};

/// Longest accepted message from the peer, bytes.
const MESSAGE_MAX: usize = 1 << 30;
/// Most half-open connections of a listener.
const BACKLOG: usize = 128;

/// Whether message boundaries are preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Each message has a length prefix of four bytes, so boundaries are preserved.
    Messages,
    /// A plain byte stream.
    Stream,
}

/// The side that opens the connection.
#[derive(Clone, Debug)]
enum Role {
    Client {
        local: IpAddr,
        remote: (IpAddr, u16),
    },
    Server {
        port: u16,
    },
}

/// A TCP connection, for workloads.
#[derive(Debug)]
pub struct Tcp {
    stack: Stack,
    role: Role,
    options: Options,
    standing: Standing,
    id: Option<ConnectionId>,
    framing: Framing,
    /// Bytes from the application that did not fit the send buffer.
    backlog: Bytes,
    log: Vec<(Time, Event)>,
}

impl Tcp {
    /// Creates the side that connects from `local` to a port of a peer. `seed` determines its
    /// sequence numbers; see [`World::seed`](crate::World::seed).
    #[must_use]
    pub fn client(local: IpAddr, remote: (IpAddr, u16), options: Options, seed: [u8; 32]) -> Self {
        Self::new(Role::Client { local, remote }, options, seed)
    }

    /// Creates the side that listens.
    #[must_use]
    pub fn server(port: u16, options: Options, seed: [u8; 32]) -> Self {
        Self::new(Role::Server { port }, options, seed)
    }

    fn new(role: Role, options: Options, seed: [u8; 32]) -> Self {
        Self {
            stack: Stack::seeded(seed),
            role,
            options,
            standing: Standing::Opening,
            id: None,
            framing: Framing::Messages,
            backlog: Bytes::new(),
            log: Vec::new(),
        }
    }

    /// Sets whether message boundaries are preserved, as they are by default; both ends must agree.
    #[must_use]
    pub fn with_framing(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// Sets whether checksums are computed or left to the carrier.
    #[must_use]
    pub fn with_checksum(mut self, checksum: Checksum) -> Self {
        self.stack = self.stack.with_checksum(checksum);
        self
    }

    /// The connection, if it exists, for statistics.
    pub fn connection(&mut self) -> Option<Connection<'_>> {
        self.stack.connection(self.id?)
    }

    /// Statistics of the connection, the final ones if it has ended; `None` before it exists.
    pub fn stats(&self) -> Option<ConnectionStats> {
        if let Some(tcb) = self.id.and_then(|id| self.stack.tcb(id)) {
            return Some(tcb.stats());
        }
        self.log.iter().rev().find_map(|(_, event)| match event {
            Event::Closed { stats, .. } => Some(**stats),
            _ => None,
        })
    }

    /// The TCP stack, for statistics.
    pub const fn stack(&self) -> &Stack {
        &self.stack
    }

    /// The events of the connection, except readable and writable events.
    pub fn log(&self) -> &[(Time, Event)] {
        &self.log
    }

    fn take_events(&mut self, now: Time) {
        while let Some(event) = self.stack.poll_event() {
            match event {
                Event::Readable(_) => {}
                Event::Writable(_) => self.flush(),
                Event::Connected(id) | Event::Accepted { id, .. } => {
                    // Further connections are ignored.
                    self.id.get_or_insert(id);
                    self.standing = Standing::Open;
                    self.log.push((now, event));
                }
                Event::PeerFinished(_) | Event::Closed { .. } => {
                    self.standing = Standing::Closed;
                    self.log.push((now, event));
                }
            }
        }
    }

    /// Moves queued bytes into the send buffer.
    fn flush(&mut self) {
        let Some(id) = self.id else { return };
        if let Some(mut connection) = self.stack.connection(id) {
            // After the end of the connection, all bytes are dropped.
            let taken = connection
                .send_bytes(&self.backlog)
                .unwrap_or(self.backlog.len());
            self.backlog.advance(taken);
        }
    }

    /// Appends bytes to the queue.
    fn push(&mut self, bytes: &Bytes) {
        if !self.backlog.is_empty() {
            self.backlog = [self.backlog.as_ref(), bytes].concat().into();
            return;
        }
        let taken = self
            .connection()
            .and_then(|mut connection| connection.send_bytes(bytes).ok())
            .unwrap_or(0);
        self.backlog = bytes.slice(taken..);
    }
}

impl Node for Tcp {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        self.stack.handle_datagram(now, datagram);
        self.take_events(now);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.stack.handle_timeout(now);
        self.take_events(now);
    }

    fn poll_transmit(&mut self, now: Time, buf: &mut Vec<u8>, max: usize) -> Option<Transmit> {
        self.stack.poll_transmit(now, buf, max)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.stack.poll_timeout()
    }
}

impl Agent for Tcp {
    fn protocol(&self) -> Protocol {
        Protocol::Tcp
    }

    fn owns_port(&self, port: u16) -> bool {
        self.stack.owns_port(port)
    }
}

impl Transport for Tcp {
    fn open(&mut self, now: Time) {
        let opened = match self.role {
            Role::Client { local, remote } => {
                let connected = self.stack.connect(local, remote, &self.options);
                connected.map(|id| self.id = Some(id)).is_ok()
            }
            Role::Server { port } => self
                .stack
                .listen(port, self.options.clone(), BACKLOG)
                .is_ok(),
        };
        if !opened {
            self.standing = Standing::Closed;
        }
        self.take_events(now);
    }

    fn standing(&self) -> Standing {
        self.standing
    }

    fn send(&mut self, _now: Time, _stream: u16, payload: Bytes) -> Admission {
        let room = self.connection().map_or(0, |connection| connection.room());
        if self.standing != Standing::Open || !self.backlog.is_empty() || room == 0 {
            return Admission::Full;
        }
        if self.framing == Framing::Messages {
            let Ok(len) = u32::try_from(payload.len()) else {
                return Admission::Full;
            };
            self.push(&Bytes::copy_from_slice(&length_prefix(len)));
        }
        self.push(&payload);
        Admission::Taken
    }

    fn receive(&mut self, _now: Time) -> Option<Arrival> {
        let mut connection = self.stack.connection(self.id?)?;
        let payload = match self.framing {
            Framing::Stream => {
                let mut bytes = Vec::new();
                connection.receive(&mut bytes, usize::MAX);
                if bytes.is_empty() {
                    return None;
                }
                bytes.into()
            }
            // An excessive length stops the reading.
            Framing::Messages => connection.receive_message(MESSAGE_MAX).ok().flatten()?,
        };
        Some(Arrival { stream: 0, payload })
    }

    fn close(&mut self, now: Time) {
        if let Some(mut connection) = self.connection() {
            connection.shutdown();
        }
        self.take_events(now);
    }
}
