//! The DTLS connection: records in and out, and the handshake's datagrams.

use std::collections::VecDeque;
use std::time::Instant;

use sheave::dtls::DtlsError;
use sheave::dtls::session::{Output, ROOM, Role, Session, Settings};

/// Bytes that a record is longer than its packet at most, and some to spare.
const SLACK: usize = 128;

/// Datagrams of a handshake that wait for a route at most.
const MOST_WAITING: usize = 64;

/// An end of the DTLS connection.
pub(crate) struct Secured {
    session: Session,
    role: Role,
    stage: Stage,
    room: Vec<u8>,
    rest: Option<Instant>,
    /// Datagrams of the handshake, alerts and acknowledgements.
    out: VecDeque<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle,
    Handshake,
    Up,
    Closed,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing of note.
    Quiet,
    /// The handshake was done with it.
    Up,
    /// The peer closed the connection with it.
    Closed,
}

impl Secured {
    pub(crate) fn new(settings: &Settings, role: Role, now: Instant) -> Self {
        Self {
            session: Session::new(settings, role, now),
            role,
            stage: Stage::Idle,
            room: vec![0; ROOM],
            rest: None,
            out: VecDeque::new(),
        }
    }

    /// Whether packets can be sent.
    pub(crate) fn is_up(&self) -> bool {
        self.stage == Stage::Up
    }

    /// Begins the handshake, if it is ours to begin, and has not begun.
    pub(crate) fn start(&mut self, now: Instant) -> Result<(), DtlsError> {
        if self.stage == Stage::Idle && self.role == Role::Client {
            self.handle_timeout(now)?;
        }
        Ok(())
    }

    /// Takes in a datagram and hands over the packets in it.
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
        self.session.handle(datagram)?;
        self.drain(now, packets)
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) -> Result<(), DtlsError> {
        if self.stage == Stage::Closed {
            return Ok(());
        }
        self.stage = self.stage.max_handshake();
        self.session.handle_timeout(now)?;
        self.drain(now, &mut |_| {}).map(drop)
    }

    pub(crate) fn poll_timeout(&self) -> Option<Instant> {
        self.rest.filter(|_| self.stage != Stage::Closed)
    }

    /// The next datagram that is not made of a packet.
    pub(crate) fn poll_datagram(&mut self) -> Option<Vec<u8>> {
        self.out.pop_front()
    }

    /// Appends the record of a packet to `buffer`; its length.
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
            match self.session.poll(now, &mut buffer[end..])? {
                Output::Datagram(length) => end += length,
                Output::Rest(until) => {
                    self.rest = until;
                    break;
                }
                Output::Larger(needed) => buffer.resize(end + needed, 0),
                _ => {}
            }
        }
        buffer.truncate(end);
        Ok(end - at)
    }

    /// Puts a packet among the datagrams that are to be sent.
    pub(crate) fn queue(&mut self, now: Instant, packet: &[u8]) -> Result<(), DtlsError> {
        if !self.is_up() || self.out.len() >= MOST_WAITING {
            return Err(DtlsError::ClosedByPeer);
        }
        self.session.seal(packet)?;
        self.drain(now, &mut |_| {}).map(drop)
    }

    /// Tells the peer that it is over.
    pub(crate) fn close(&mut self, now: Instant) {
        if self.stage != Stage::Closed {
            self.session.close();
            // There is nobody to hear of a failure.
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
            match self.session.poll(now, &mut self.room)? {
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
                    self.rest = until;
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
