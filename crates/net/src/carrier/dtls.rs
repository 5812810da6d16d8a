//! DTLS connections between the sockets and the engine (RFC 8261).
//!
//! The engine sees each connection as one address, its *alias*, from a range that no peer can use
//! (240.0.0.0/4); the engine's own address is [`LOCAL`]. So two peers behind one NAT are distinct
//! whatever their SCTP ports, and a peer can only reach associations of its own connection.
//!
//! Records are sealed in [`send`](Connections::send) and opened in
//! [`receive`](Connections::receive), outside the engine's lock, in place or from one buffer into
//! another.

mod connection;
mod hello;
mod key_log;
mod record_numbers;
pub(crate) mod session;
mod table;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sheave_engine::PeerAddress;

pub(crate) use super::crossing::{Arrival, Failure, Opened, Records, SendDatagram};
use super::stranger;
use crate::Config;
use crate::config::CarrierKind;
use crate::dtls::{Dtls, DtlsError, Fingerprint};
use crate::error::BindError;
use crate::options::Shard;
use connection::{Connection, Deadline, Effects, Flow};
pub use session::{Identity, IdentityError};
use session::{Limit, Role, Session, Settings};
use table::Table;

/// The engine's address on every connection.
pub(crate) const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::new(240, 0, 0, 0));

/// Size difference between an IPv6 header and the IPv4 header that the engine assumes, bytes.
pub(crate) const LONGER_HEADER: u16 = 20;

/// Idle time after which a connection without associations is closed.
const IDLE: Duration = Duration::from_secs(30);

/// Space reserved for a record around each packet, bytes.
const AROUND: usize = 64;

/// All DTLS connections of an endpoint.
pub(crate) struct Connections {
    settings: Settings,
    table: Mutex<Table>,
    failed: AtomicBool,
    /// Buffer for records to send.
    records: Mutex<Vec<u8>>,
    /// Buffer for handshake output.
    room: Mutex<Vec<u8>>,
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connections").finish_non_exhaustive()
    }
}

impl Connections {
    /// Creates the table, for at most `most` connections.
    pub(crate) fn new(dtls: &Dtls, most: usize) -> io::Result<Self> {
        Ok(Self {
            settings: Settings::new(dtls, Limit::Time)?,
            table: Mutex::new(Table::new(most)),
            failed: AtomicBool::new(false),
            records: Mutex::default(),
            room: Mutex::default(),
        })
    }

    /// Fingerprint of the local certificate.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.settings.fingerprint()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Changes to the table are atomic steps, so a panic elsewhere leaves it consistent.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn room(&self) -> MutexGuard<'_, Vec<u8>> {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        room.resize(session::ROOM, 0);
        room
    }

    /// Finds or starts the connection with a peer; returns its alias.
    pub(crate) fn open(
        &self,
        now: Instant,
        local: IpAddr,
        remote: SocketAddr,
        send: SendDatagram<'_>,
    ) -> Result<IpAddr, DtlsError> {
        let known = self.table().find(local, remote);
        if let Some(known) = known {
            if !known.lock().is_silent(now) {
                return Ok(known.alias);
            }
            self.close(now, &known, send);
        }
        let session = Session::new(&self.settings, Role::Client, now);
        let opened = self
            .table()
            .insert(now, local, remote, session, Role::Client);
        let connection = opened.ok_or(DtlsError::TooMany)?;
        let mut room = self.room();
        let mut flow = connection.lock();
        let mut effects = Effects::default();
        let outcome = flow.begin(
            now,
            &mut room,
            &mut |datagram| send(local, remote, datagram),
            &mut effects,
        );
        drop(room);
        let alias = connection.alias;
        self.settle(&connection, flow, outcome, &effects);
        Ok(alias)
    }

    /// Handles datagrams from one address; adds the decrypted packets to `opened`.
    pub(crate) fn receive(
        &self,
        now: Instant,
        arrival: &mut Arrival<'_>,
        send: SendDatagram<'_>,
        opened: &mut Vec<Opened>,
    ) {
        let (local, remote) = (arrival.local, arrival.remote);
        let (known, renewal) = self.table().find_with_renewal(local, remote);
        // The client gave up and starts a new handshake from the same port.
        let known = known.filter(|connection| {
            let anew = connection.lock().is_begun_anew(arrival.bytes);
            if anew {
                self.table().remove(connection);
            }
            !anew
        });
        match known {
            Some(known) if known.lock().is_established() => {
                self.receive_beside(now, (&known, renewal), arrival, send, opened);
            }
            Some(known) => self.take_in(now, &known, arrival, send, opened),
            None if hello::is_client_hello(arrival.bytes) => {
                let session = Session::new(&self.settings, Role::Server, now);
                let inserted = self
                    .table()
                    .insert(now, local, remote, session, Role::Server);
                if let Some(connection) = inserted {
                    self.take_in(now, &connection, arrival, send, opened);
                }
            }
            None => {
                if let Some(refusal) = stranger::refusal_of_init(arrival.bytes) {
                    send(local, remote, &refusal);
                }
            }
        }
    }

    /// Handles datagrams from the peer of an established connection: for that connection, or for
    /// the handshake of a restarted peer, whose new connection replaces the old one when the
    /// handshake is done (RFC 6347 §4.2.8).
    fn receive_beside(
        &self,
        now: Instant,
        (known, renewal): (&Arc<Connection>, Option<Arc<Connection>>),
        arrival: &mut Arrival<'_>,
        send: SendDatagram<'_>,
        opened: &mut Vec<Opened>,
    ) {
        let (local, remote) = (arrival.local, arrival.remote);
        if hello::is_client_hello(arrival.bytes) && !known.lock().began_with(arrival.bytes) {
            let goes_on = renewal.filter(|one| !one.lock().is_begun_anew(arrival.bytes));
            let renewal = goes_on.or_else(|| {
                let session = Session::new(&self.settings, Role::Server, now);
                self.table().insert_renewal(now, local, remote, session)
            });
            if let Some(renewal) = renewal {
                self.take_in(now, &renewal, arrival, send, opened);
            }
            return;
        }
        match renewal.filter(|one| one.lock().is_verified()) {
            None => self.take_in(now, known, arrival, send, opened),
            // The old connection would answer with its own final flight.
            Some(renewal) if hello::is_in_the_clear(arrival.bytes) => {
                self.take_in(now, &renewal, arrival, send, opened);
            }
            Some(renewal) => {
                let (copy, before) = (arrival.bytes.to_vec(), opened.len());
                self.take_in(now, known, arrival, send, opened);
                if opened.len() == before {
                    arrival.bytes.copy_from_slice(&copy);
                    self.take_in(now, &renewal, arrival, send, opened);
                }
            }
        }
    }

    /// Handles datagrams for a connection.
    fn take_in(
        &self,
        now: Instant,
        connection: &Arc<Connection>,
        arrival: &mut Arrival<'_>,
        send: SendDatagram<'_>,
        opened: &mut Vec<Opened>,
    ) {
        let (local, remote) = (arrival.local, arrival.remote);
        let address = PeerAddress {
            ip: connection.alias,
            encapsulation: Some(remote.port()),
        };
        let (buffer, ecn, stride) = (arrival.buffer, arrival.ecn, arrival.stride.max(1));
        let mut effects = Effects::default();
        // Lock order: the buffer before a connection.
        let is_established = connection.lock().is_established();
        let mut room = (!is_established).then(|| self.room());
        let mut flow = connection.lock();
        let mut outcome = flow.handle_timeout(now);
        let mut start = 0;
        while start < arrival.bytes.len() && outcome.is_ok() {
            let end = arrival.bytes.len().min(start + stride);
            outcome = flow.receive(
                now,
                &mut arrival.bytes[start..end],
                room.as_deref_mut(),
                &mut |datagram| send(local, remote, datagram),
                &mut |packet| {
                    opened.push(Opened {
                        buffer,
                        packet: start + packet.start..start + packet.end,
                        remote: address,
                        ecn,
                    });
                },
                &mut effects,
            );
            start = end;
        }
        drop(room);
        let is_done = !is_established && flow.is_established();
        self.settle(connection, flow, outcome, &effects);
        if is_done {
            self.replace(connection);
        }
    }

    /// Replaces the old connection with the same peer after a new handshake.
    fn replace(&self, connection: &Arc<Connection>) {
        let mut table = self.table();
        if let Some(before) = table.promote(connection) {
            table.fail(Failure {
                alias: before.alias,
                error: DtlsError::ClosedByPeer,
            });
            self.failed.store(true, Ordering::Release);
        }
    }

    /// Seals a train of packets into records and passes them to `send`; returns the result of
    /// `send`. During a handshake, packets are queued. Without a connection they are dropped, and
    /// `send` is not called.
    pub(crate) fn send<R>(
        &self,
        now: Instant,
        alias: IpAddr,
        (train, segment): (&[u8], usize),
        mut send: impl FnMut(&Records<'_>) -> R,
    ) -> Option<R> {
        let connection = self.table().by_alias(alias)?;
        let mut buffer = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let room = train.len() + train.len().div_ceil(segment) * AROUND;
        if buffer.len() < room {
            buffer.resize(room, 0);
        }
        let mut flow = connection.lock();
        let mut effects = Effects::default();
        let mut lengths = Lengths::default();
        let mut outcome = Ok(());
        for packet in train.chunks(segment) {
            match flow.seal(now, packet, &mut buffer[lengths.total..], &mut |length| {
                lengths.add(length);
            }) {
                Ok(deadline) => effects.deadline = deadline,
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        self.settle(&connection, flow, outcome, &effects);
        let bytes = &buffer[..lengths.total];
        let (local, remote) = (connection.local, connection.remote);
        let mut said = None;
        for (part, segment) in lengths.trains(bytes) {
            said = Some(send(&Records {
                local,
                remote,
                bytes: part,
                segment,
            }));
        }
        said
    }

    /// Runs due timers: retransmits handshake flights, abandons handshakes.
    pub(crate) fn handle_timeouts(&self, now: Instant, send: SendDatagram<'_>) {
        loop {
            let Some(connection) = self.table().next_due(now) else {
                return;
            };
            let (local, remote) = (connection.local, connection.remote);
            let mut room = self.room();
            let mut flow = connection.lock();
            let mut effects = Effects::default();
            let outcome = flow.begin(
                now,
                &mut room,
                &mut |datagram| send(local, remote, datagram),
                &mut effects,
            );
            drop(room);
            self.settle(&connection, flow, outcome, &effects);
        }
    }

    /// When the next timer is due.
    pub(crate) fn next_timeout(&self) -> Option<Instant> {
        self.table().next_timeout()
    }

    /// Applies the effects of a connection's step.
    fn settle(
        &self,
        connection: &Arc<Connection>,
        flow: MutexGuard<'_, Flow>,
        outcome: Result<(), DtlsError>,
        effects: &Effects,
    ) {
        let was_known = flow.is_known();
        let outcome = match effects.closed {
            true => outcome.and(Err(DtlsError::ClosedByPeer)),
            false => outcome,
        };
        let mut table = self.table();
        // Released late, so that no later step can set its deadline first.
        drop(flow);
        match outcome {
            Ok(()) => {
                if effects.verified {
                    table.on_verified(connection);
                }
                if let Deadline::At(at) = effects.deadline {
                    table.set_deadline(connection, at);
                }
            }
            Err(error) => {
                table.remove(connection);
                // A failed handshake with an unverified client leaves no record.
                if was_known {
                    table.fail(Failure {
                        alias: connection.alias,
                        error,
                    });
                    self.failed.store(true, Ordering::Release);
                }
            }
        }
    }

    /// Takes the failures since the last call.
    pub(crate) fn take_failures(&self) -> Vec<Failure> {
        match self.failed.swap(false, Ordering::AcqRel) {
            true => std::mem::take(&mut self.table().failures),
            false => Vec::new(),
        }
    }

    /// The reason why a connection recently ended, if it did.
    pub(crate) fn end_of(&self, alias: IpAddr) -> Option<DtlsError> {
        self.table().end_of(alias)
    }

    /// The address behind an alias.
    pub(crate) fn peer(&self, alias: IpAddr) -> Option<SocketAddr> {
        Some(self.table().by_alias(alias)?.remote)
    }

    /// The local address of a connection.
    pub(crate) fn local(&self, alias: IpAddr) -> Option<IpAddr> {
        Some(self.table().by_alias(alias)?.local)
    }

    /// Number of connections in any state.
    pub(crate) fn len(&self) -> usize {
        self.table().len()
    }

    /// Whether it is time to close idle connections.
    pub(crate) fn is_sweep_due(&self, now: Instant) -> bool {
        self.table().is_sweep_due(now, IDLE)
    }

    /// Closes connections that were idle for [`IDLE`], except those in `used`.
    pub(crate) fn sweep(
        &self,
        now: Instant,
        used: &std::collections::HashSet<IpAddr>,
        send: SendDatagram<'_>,
    ) {
        let all = self.table().all();
        for connection in all {
            let flow = connection.lock();
            let idle = flow.is_established() && now.saturating_duration_since(flow.used) >= IDLE;
            drop(flow);
            if idle && !used.contains(&connection.alias) {
                self.close(now, &connection, send);
            }
        }
    }

    /// Closes all connections.
    pub(crate) fn close_all(&self, now: Instant, send: SendDatagram<'_>) {
        let all = self.table().all();
        for connection in all {
            self.close(now, &connection, send);
        }
    }

    fn close(&self, now: Instant, connection: &Connection, send: SendDatagram<'_>) {
        let (local, remote) = (connection.local, connection.remote);
        let mut room = self.room();
        let send = &mut |datagram: &[u8]| send(local, remote, datagram);
        connection.lock().close(now, &mut room, send);
        self.table().remove(connection);
    }
}

/// Creates the connection table if the configuration has DTLS.
pub(crate) fn connections(config: &Config) -> Result<Option<Connections>, BindError> {
    let Some(dtls) = &config.dtls else {
        return Ok(None);
    };
    // The kernel distributes packets over shards by tag, which DTLS encrypts.
    if !matches!(config.carrier, CarrierKind::Udp { .. }) || config.endpoint.shard != Shard::ONLY {
        return Err(BindError::Dtls);
    }
    let connections = Connections::new(dtls, config.endpoint.max_associations);
    let connections = connections.map_err(|error| BindError::System {
        what: "prepare DTLS",
        error,
    })?;
    Ok(Some(connections))
}

/// The local address from which the system reaches a peer.
pub(crate) fn source_towards(remote: SocketAddr) -> Option<IpAddr> {
    let any: IpAddr = match remote {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => std::net::Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect(remote).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Lengths of consecutive records in a buffer.
#[derive(Default)]
struct Lengths {
    total: usize,
    each: Vec<usize>,
}

impl Lengths {
    fn add(&mut self, length: usize) {
        self.total += length;
        self.each.push(length);
    }

    /// Splits the buffer into trains, whose records have one length, except that the last may be
    /// shorter.
    fn trains<'a>(&'a self, bytes: &'a [u8]) -> impl Iterator<Item = (&'a [u8], usize)> {
        let (mut next, mut start) = (0, 0);
        std::iter::from_fn(move || {
            let segment = *self.each.get(next)?;
            let mut end = start + segment;
            next += 1;
            while let Some(&length) = self.each.get(next).filter(|&&length| length <= segment) {
                end += length;
                next += 1;
                if length < segment {
                    break;
                }
            }
            let part = bytes.get(start..end)?;
            start = end;
            Some((part, segment.max(1)))
        })
    }
}
