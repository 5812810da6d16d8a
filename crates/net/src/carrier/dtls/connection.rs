use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hello;
use super::session::{LONGEST, Output, Role, Session};
use crate::dtls::DtlsError;

/// Time for which a peer may leave packets unanswered before a new association assumes that the
/// peer has lost the connection.
const SILENCE: Duration = Duration::from_secs(10);

/// Maximum packets queued during the handshake, usually INITs.
const MAX_WAITING: usize = 4;

/// A DTLS connection between a local address and a peer's address and UDP port.
pub(super) struct Connection {
    pub(super) local: IpAddr,
    pub(super) remote: SocketAddr,
    /// The engine's name for the connection.
    pub(super) alias: IpAddr,
    flow: Mutex<Flow>,
}

/// Mutable state of a connection.
pub(super) struct Flow {
    session: Session,
    stage: Stage,
    role: Role,
    waiting: Vec<Vec<u8>>,
    /// At a server: the random of the client's first ClientHello.
    hello: Option<[u8; 32]>,
    /// When a packet was last sent or received.
    pub(super) used: Instant,
    /// When the first packet after the last received one was sent.
    unanswered: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// At a server: the client's address is not verified yet.
    Unverified,
    Handshake,
    Established,
}

/// Effects of a step on the connection table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effects {
    /// Whether the client's address was verified.
    pub(super) verified: bool,
    /// Whether the peer closed the connection.
    pub(super) closed: bool,
    pub(super) deadline: Deadline,
}

/// Change of a session's deadline.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Deadline {
    /// Unchanged.
    #[default]
    AsBefore,
    /// The new deadline; `None` if only a datagram or a packet to send requires a step.
    At(Option<Instant>),
}

impl Connection {
    pub(super) fn new(
        now: Instant,
        (local, remote, alias): (IpAddr, SocketAddr, IpAddr),
        session: Session,
        role: Role,
    ) -> Self {
        let stage = match role {
            Role::Client => Stage::Handshake,
            Role::Server => Stage::Unverified,
        };
        Self {
            local,
            remote,
            alias,
            flow: Mutex::new(Flow {
                session,
                stage,
                role,
                waiting: Vec::new(),
                hello: None,
                used: now,
                unanswered: None,
            }),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Flow> {
        // A panic may have left the session inconsistent. Then its records fail to authenticate,
        // and the association over it times out.
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flow {
    pub(super) fn is_established(&self) -> bool {
        self.stage == Stage::Established
    }

    /// Whether the peer's address is verified.
    pub(super) fn is_verified(&self) -> bool {
        self.stage != Stage::Unverified
    }

    /// Whether the peer has been silent for [`SILENCE`] and has probably lost the connection.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        let since = self.unanswered.filter(|_| self.is_established());
        since.is_some_and(|since| now.saturating_duration_since(since) >= SILENCE)
    }

    /// Whether a datagram starts a different handshake than the current one.
    pub(super) fn is_begun_anew(&self, datagram: &[u8]) -> bool {
        let under_way = self.role == Role::Server && !self.is_established();
        under_way && self.hello.is_some() && {
            let random = hello::random(datagram);
            random.is_some() && random != self.hello
        }
    }

    /// Whether a datagram is the ClientHello that started this connection.
    pub(super) fn began_with(&self, datagram: &[u8]) -> bool {
        self.hello.is_some() && self.hello == hello::random(datagram)
    }

    /// Whether an association may be waiting for the connection or have used it.
    pub(super) fn is_known(&self) -> bool {
        self.role == Role::Client || self.is_established()
    }

    /// Runs due timers; also starts a client's handshake.
    pub(super) fn begin(
        &mut self,
        now: Instant,
        room: &mut [u8],
        send: &mut dyn FnMut(&[u8]),
        effects: &mut Effects,
    ) -> Result<(), DtlsError> {
        self.session.handle_timeout(now)?;
        self.drain(now, room, send, effects)
    }

    pub(super) fn handle_timeout(&mut self, now: Instant) -> Result<(), DtlsError> {
        self.session.handle_timeout(now)
    }

    /// Handles a datagram; decrypted packets replace it in the buffer.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        datagram: &mut [u8],
        room: Option<&mut Vec<u8>>,
        send: &mut dyn FnMut(&[u8]),
        opened: &mut dyn FnMut(Range<usize>),
        effects: &mut Effects,
    ) -> Result<(), DtlsError> {
        if !self.is_established() && datagram.len() > LONGEST {
            return Ok(());
        }
        if self.role == Role::Server && self.hello.is_none() {
            self.hello = hello::random(datagram);
        }
        self.session.handle(datagram)?;
        self.used = now;
        let mut own = Vec::new();
        let room = room.unwrap_or(&mut own);
        let mut at = 0;
        loop {
            // An established connection usually outputs only packets, which are shorter than their
            // records.
            let output = match self.is_established() {
                true => self
                    .session
                    .poll(now, datagram.get_mut(at..).unwrap_or_default())?,
                false => self.session.poll(now, room)?,
            };
            match (output, self.is_established()) {
                (Output::Packet(length), true) => {
                    self.unanswered = None;
                    opened(at..at + length);
                    at += length;
                }
                (Output::Datagram(length), true) => {
                    send(datagram.get(at..at + length).unwrap_or_default());
                }
                (Output::Larger(needed), true) => {
                    room.resize(needed.max(room.len()), 0);
                    if let Output::Datagram(length) = self.session.poll(now, room)? {
                        send(&room[..length]);
                    }
                }
                // Packets sent with the peer's last flight.
                (Output::Packet(length), false) => {
                    let end = at + length;
                    if let (Some(place), Some(packet)) =
                        (datagram.get_mut(at..end), room.get(..length))
                    {
                        place.copy_from_slice(packet);
                        opened(at..end);
                        at = end;
                    }
                }
                (other, _) => {
                    if self.on_output(now, other, room, send, effects)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Handles all output of the session.
    fn drain(
        &mut self,
        now: Instant,
        room: &mut [u8],
        send: &mut dyn FnMut(&[u8]),
        effects: &mut Effects,
    ) -> Result<(), DtlsError> {
        loop {
            let output = self.session.poll(now, room)?;
            if self.on_output(now, output, room, send, effects)? {
                return Ok(());
            }
        }
    }

    /// Handles one output; returns whether it was the last.
    fn on_output(
        &mut self,
        now: Instant,
        output: Output,
        room: &mut [u8],
        send: &mut dyn FnMut(&[u8]),
        effects: &mut Effects,
    ) -> Result<bool, DtlsError> {
        match output {
            Output::Datagram(length) => {
                let datagram = room.get(..length).unwrap_or_default();
                if self.stage == Stage::Unverified && !hello::asks_for_cookie(datagram) {
                    self.stage = Stage::Handshake;
                    effects.verified = true;
                }
                send(datagram);
            }
            Output::Connected => {
                self.stage = Stage::Established;
                for packet in std::mem::take(&mut self.waiting) {
                    self.session.seal(&packet)?;
                }
            }
            Output::Closed => effects.closed = true,
            Output::Rest(until) => {
                effects.deadline = Deadline::At(until);
                return Ok(true);
            }
            // The buffer is large enough for any output, so `Larger` does not occur.
            Output::Packet(_) | Output::Larger(_) => return Ok(true),
            Output::More => {}
        }
        self.used = now;
        Ok(false)
    }

    /// Seals a packet into a record at the start of `buffer`; during the handshake, queues it.
    /// Returns when the next step is due.
    pub(super) fn seal(
        &mut self,
        now: Instant,
        packet: &[u8],
        buffer: &mut [u8],
        sealed: &mut dyn FnMut(usize),
    ) -> Result<Deadline, DtlsError> {
        if !self.is_established() {
            if self.waiting.len() < MAX_WAITING {
                self.waiting.push(packet.to_vec());
            }
            return Ok(Deadline::AsBefore);
        }
        self.used = now;
        self.unanswered.get_or_insert(now);
        self.session.seal(packet)?;
        let mut at = 0;
        loop {
            match self
                .session
                .poll(now, buffer.get_mut(at..).unwrap_or_default())?
            {
                Output::Datagram(length) => {
                    sealed(length);
                    at += length;
                }
                Output::Rest(until) => return Ok(Deadline::At(until)),
                Output::Larger(_) => return Ok(Deadline::AsBefore),
                _ => {}
            }
        }
    }

    /// Closes the connection and notifies the peer.
    pub(super) fn close(&mut self, now: Instant, room: &mut [u8], send: &mut dyn FnMut(&[u8])) {
        self.session.close();
        let _ = self.drain(now, room, send, &mut Effects::default());
    }
}
