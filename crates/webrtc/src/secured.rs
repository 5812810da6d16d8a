//! The DTLS connection: records, and handshake datagrams.

mod clock;

use std::collections::VecDeque;
use std::time::Instant;

use sheave::dtls::DtlsError;
use sheave::dtls::session::{Output, ROOM, Role, Session, Settings};

use self::clock::Clock;

/// Most bytes that a record adds to its packet, with a margin.
const SLACK: usize = 128;

/// Most handshake datagrams waiting for a route.
const MOST_WAITING: usize = 64;

/// An end of the DTLS connection.
///
/// The handshake has no time limit: a flight is repeated every few seconds while ICE has a route to
/// the peer, which the caller ensures, and not at all without one. Restarting a half-finished
/// handshake would fail: the peer keeps its half of the old one, Chromium for minutes, and takes a
/// new hello for a copy of the old one.
pub(crate) struct Secured {
    settings: Settings,
    session: Session,
    role: Role,
    stage: Stage,
    room: Vec<u8>,
    clock: Clock,
    /// Handshake messages, alerts and acknowledgements.
    out: VecDeque<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle,
    Handshake,
    Up,
    Closed,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing to report.
    Quiet,
    /// The handshake completed.
    Up,
    /// The peer closed the connection.
    Closed,
}

impl Secured {
    pub(crate) fn new(settings: Settings, role: Role, now: Instant) -> Self {
        Self {
            session: Session::new(&settings, role, now),
            settings,
            role,
            stage: Stage::Idle,
            room: vec![0; ROOM],
            clock: Clock::new(now),
            out: VecDeque::new(),
        }
    }

    /// Whether packets can be sent.
    pub(crate) fn is_up(&self) -> bool {
        self.stage == Stage::Up
    }

    /// Starts the handshake if this end must, and has not yet.
    pub(crate) fn start(&mut self, now: Instant) -> Result<(), DtlsError> {
        if self.stage == Stage::Idle && self.role == Role::Client {
            self.handle_timeout(now)?;
        }
        Ok(())
    }

    /// Handles a datagram; returns the packets in it.
    pub(crate) fn handle(
        &mut self,
        now: Instant,
        datagram: &[u8],
        packets: &mut dyn FnMut(&[u8]),
    ) -> Result<Step, DtlsError> {
        if self.stage == Stage::Closed {
            return Ok(Step::Quiet);
        }
        self.begin(now)?;
        if let Some(time) = self.clock.news(now) {
            self.session.handle_timeout(time)?;
        }
        self.session.handle(datagram)?;
        self.drain(now, packets)
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) -> Result<(), DtlsError> {
        if self.stage == Stage::Closed {
            return Ok(());
        }
        self.stage = self.stage.max_handshake();
        match self.session.handle_timeout(self.clock.advance(now)) {
            // A peer that never answered has no state of the old handshake.
            Err(DtlsError::NoHandshake) if !self.session.is_answered() => {
                self.session = Session::new(&self.settings, self.role, now);
                self.clock = Clock::new(now);
                self.session.handle_timeout(now)?;
            }
            outcome => outcome?,
        }
        self.drain(now, &mut |_| {}).map(drop)
    }

    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        let is_closed = self.stage == Stage::Closed;
        self.clock.poll().filter(|_| !is_closed)
    }

    /// The next datagram that carries no SCTP packet.
    pub(crate) fn poll_datagram(&mut self) -> Option<Vec<u8>> {
        self.out.pop_front()
    }

    /// Appends the record of a packet to `buffer`; returns its length.
    pub(crate) fn seal(
        &mut self,
        now: Instant,
        packet: &[u8],
        buffer: &mut Vec<u8>,
    ) -> Result<usize, DtlsError> {
        self.session.seal(packet)?;
        let at = buffer.len();
        buffer.resize(at + packet.len() + SLACK, 0);
        let mut end = at;
        loop {
            match self
                .session
                .poll(self.clock.time(now), &mut buffer[end..])?
            {
                Output::Datagram(length) => end += length,
                Output::Rest(until) => {
                    self.clock.set(now, until);
                    break;
                }
                Output::Larger(needed) => buffer.resize(end + needed, 0),
                _ => {}
            }
        }
        buffer.truncate(end);
        Ok(end - at)
    }

    /// Queues the record of a packet for sending.
    pub(crate) fn queue(&mut self, now: Instant, packet: &[u8]) -> Result<(), DtlsError> {
        if !self.is_up() || self.out.len() >= MOST_WAITING {
            return Err(DtlsError::ClosedByPeer);
        }
        self.session.seal(packet)?;
        self.drain(now, &mut |_| {}).map(drop)
    }

    /// Sends a close notification to the peer.
    pub(crate) fn close(&mut self, now: Instant) {
        if self.stage != Stage::Closed {
            self.session.close();
            // A failure to close has no consequences.
            let _ = self.drain(now, &mut |_| {});
            self.stage = Stage::Closed;
        }
    }

    fn begin(&mut self, now: Instant) -> Result<(), DtlsError> {
        if self.stage == Stage::Idle {
            self.handle_timeout(now)?;
        }
        Ok(())
    }

    fn drain(&mut self, now: Instant, packets: &mut dyn FnMut(&[u8])) -> Result<Step, DtlsError> {
        let mut step = Step::Quiet;
        loop {
            match self.session.poll(self.clock.time(now), &mut self.room)? {
                Output::Datagram(length) => {
                    if self.out.len() < MOST_WAITING {
                        self.out.push_back(self.room[..length].to_vec());
                    }
                }
                Output::Packet(length) => packets(&self.room[..length]),
                Output::Larger(needed) => self.room.resize(needed, 0),
                Output::Connected => {
                    self.stage = Stage::Up;
                    step = Step::Up;
                }
                Output::Closed => {
                    self.stage = Stage::Closed;
                    step = Step::Closed;
                }
                Output::More => {}
                Output::Rest(until) => {
                    self.clock.set(now, until);
                    return Ok(step);
                }
            }
        }
    }
}

impl Stage {
    const fn max_handshake(self) -> Self {
        match self {
            Self::Idle => Self::Handshake,
            later => later,
        }
    }
}

#[cfg(test)]
mod tests;
