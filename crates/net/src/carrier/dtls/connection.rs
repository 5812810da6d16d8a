use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::hello;
use super::session::{LONGEST, Output, Role, Session};
use crate::dtls::DtlsError;

/// Time for which a peer that is asked may say nothing, before a new association takes it that the
/// peer knows the connection no more.
const SILENCE: Duration = Duration::from_secs(10);

/// Packets that wait for the end of the handshake: INITs, as a rule.
const MAX_WAITING: usize = 4;

/// A DTLS connection with one peer: a local address, and the peer's with its UDP port.
pub(super) struct Connection {
    pub(super) local: IpAddr,
    pub(super) remote: SocketAddr,
    /// The engine's name for it.
    pub(super) alias: IpAddr,
    flow: Mutex<Flow>,
}

/// The part of a connection that changes.
pub(super) struct Flow {
    session: Session,
    stage: Stage,
    role: Role,
    waiting: Vec<Vec<u8>>,
    /// The random of the client's first hello, at a server.
    hello: Option<[u8; 32]>,
    /// When a packet came or left last.
    pub(super) used: Instant,
    /// When the first packet left that no packet has come after.
    unanswered: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A server whose client has not proved its address.
    Unverified,
    Handshake,
    Established,
}

/// The effects of a step that concern the table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Effects {
    /// The client has proved its address.
    pub(super) verified: bool,
    /// The peer closed the connection.
    pub(super) closed: bool,
    pub(super) deadline: Deadline,
}

/// When a session is to be asked again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Deadline {
    /// Nothing has changed it.
    #[default]
    AsBefore,
    /// Then; with `None` when something comes or is to be sent.
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
        // A panic within a session may have left it half-changed; then its records do not
        // authenticate, and the association over it times out.
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flow {
    pub(super) fn is_established(&self) -> bool {
        self.stage == Stage::Established
    }

    /// Whether the client has proved its address, at a server.
    pub(super) fn is_verified(&self) -> bool {
        self.stage != Stage::Unverified
    }

    /// Whether the peer has not answered for so long that it seems to have lost its memory.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        let since = self.unanswered.filter(|_| self.is_established());
        since.is_some_and(|since| now.saturating_duration_since(since) >= SILENCE)
    }

    /// Whether a datagram begins another handshake than the one that is under way.
    pub(super) fn is_begun_anew(&self, datagram: &[u8]) -> bool {
        let under_way = self.role == Role::Server && !self.is_established();
        under_way && self.hello.is_some() && {
            let random = hello::random(datagram);
            random.is_some() && random != self.hello
        }
    }

    /// Whether a datagram is the ClientHello that the connection began with.
    pub(super) fn began_with(&self, datagram: &[u8]) -> bool {
        self.hello.is_some() && self.hello == hello::random(datagram)
    }

    /// Whether an association may wait for it, or have been over it.
    pub(super) fn is_known(&self) -> bool {
        self.role == Role::Client || self.is_established()
    }

    /// Does what is due, at the beginning or later.
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

    /// Takes in a datagram; the packets in it take its place.
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
            // An established connection has nothing to say but packets, as a rule, which are
            // shorter than the records they came in.
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
                // Packets that came with the last flight.
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

    /// Lets the session say all that it has to say.
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

    /// Whether that was all.
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
            // No room is too small for what there is.
            Output::Packet(_) | Output::Larger(_) => return Ok(true),
            Output::More => {}
        }
        self.used = now;
        Ok(false)
    }

    /// Puts a packet into a record at the beginning of `buffer`, or, while the handshake is under way,
    /// where it waits for the end of that; when something is due.
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

    /// Tells the peer that it is over.
    pub(super) fn close(&mut self, now: Instant, room: &mut [u8], send: &mut dyn FnMut(&[u8])) {
        self.session.close();
        let _ = self.drain(now, room, send, &mut Effects::default());
    }
}
