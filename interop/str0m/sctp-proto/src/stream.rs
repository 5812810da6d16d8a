use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use sheave_engine::wire::{self, Ppid};
use sheave_engine::{Delivery, Message, Part, Reliability, SendError, SendOptions};

use crate::association::Association;
use crate::{Chunks, Error, PayloadProtocolIdentifier, StreamId};

/// The effort to deliver the messages of a stream (RFC 8832 §5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReliabilityType {
    /// Until they are delivered.
    #[default]
    Reliable = 0,
    /// A number of retransmissions.
    Rexmit = 1,
    /// A number of milliseconds.
    Timed = 2,
}

impl From<u8> for ReliabilityType {
    fn from(number: u8) -> Self {
        match number {
            1 => Self::Rexmit,
            2 => Self::Timed,
            _ => Self::Reliable,
        }
    }
}

impl fmt::Display for ReliabilityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The use that a stream is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Usage {
    Open,
    /// The peer has reset it, and messages of before are unread.
    Ending,
    /// Closed by this end, until the peer has reset it.
    Closed,
}

/// A stream that is in use.
#[derive(Debug)]
pub(crate) struct StreamState {
    pub(crate) usage: Usage,
    delivery: Delivery,
    reliability: Reliability,
    arrived: VecDeque<Chunks>,
    /// The parts of a message that was larger than the engine keeps.
    parts: BytesMut,
}

impl StreamState {
    pub(crate) fn new() -> Self {
        Self {
            usage: Usage::Open,
            delivery: Delivery::Ordered,
            reliability: Reliability::Reliable,
            arrived: VecDeque::new(),
            parts: BytesMut::new(),
        }
    }

    pub(crate) fn has_messages(&self) -> bool {
        !self.arrived.is_empty()
    }

    pub(crate) fn pop(&mut self) -> Option<Chunks> {
        self.arrived.pop_front()
    }

    /// Bytes of messages and parts that are held.
    pub(crate) fn held(&self) -> usize {
        self.parts.len() + self.arrived.iter().map(Chunks::len).sum::<usize>()
    }

    pub(crate) fn forget_parts(&mut self) {
        self.parts = BytesMut::new();
    }

    /// Closes it: what has arrived is dropped.
    pub(crate) fn close(&mut self) {
        self.usage = Usage::Closed;
        self.arrived.clear();
        self.forget_parts();
    }

    /// Takes in a message or part, of a message of `most` bytes at most. Whether it fits.
    pub(crate) fn take(&mut self, part: Part, ppid: Ppid, payload: Bytes, most: usize) -> bool {
        if self.parts.len() + payload.len() > most {
            return false;
        }
        let payload = match part {
            Part::Whole => payload,
            Part::First | Part::Middle => {
                self.parts.extend_from_slice(&payload);
                return true;
            }
            Part::Last => {
                self.parts.extend_from_slice(&payload);
                std::mem::take(&mut self.parts).freeze()
            }
        };
        let ppi = PayloadProtocolIdentifier::from(ppid.0);
        self.arrived.push_back(Chunks { ppi, payload });
        true
    }
}

/// A stream of an association, borrowed from it.
pub struct Stream<'a> {
    pub(crate) id: StreamId,
    pub(crate) association: &'a mut Association,
}

impl Stream<'_> {
    fn state(&self) -> Result<&StreamState, Error> {
        let state = self.association.streams.get(&self.id);
        state.ok_or(Error::ErrStreamClosed)
    }

    /// The next message.
    /// Errors: the stream is closed.
    pub fn read(&mut self) -> Result<Option<Chunks>, Error> {
        match self.state()?.usage {
            Usage::Closed => Err(Error::ErrStreamClosed),
            Usage::Open | Usage::Ending => Ok(self.association.read(self.id)),
        }
    }

    /// Queues a message. Returns its length.
    /// Errors: the stream is closed, the message is too long, or there is no room.
    pub fn write_with_ppi(
        &mut self,
        payload: &[u8],
        ppi: PayloadProtocolIdentifier,
    ) -> Result<usize, Error> {
        let state = self.state()?;
        if state.usage != Usage::Open {
            return Err(Error::ErrStreamClosed);
        }
        if payload.len() > self.association.max_send {
            return Err(Error::ErrOutboundPacketTooLarge);
        }
        // RFC 8832 §6: control messages are ordered and reliable.
        let (delivery, reliability) = match ppi {
            PayloadProtocolIdentifier::Dcep => (Delivery::Ordered, Reliability::Reliable),
            _ => (state.delivery, state.reliability),
        };
        let message = Message {
            stream: wire::StreamId(self.id),
            ppid: ppi.ppid(),
            delivery,
            payload: match payload {
                // RFC 8831 §6.6: an empty message is sent as one byte.
                [] => Bytes::from_static(&[0]),
                _ => Bytes::copy_from_slice(payload),
            },
        };
        let options = SendOptions {
            reliability,
            ..SendOptions::default()
        };
        match self.association.send(message, options) {
            Ok(()) => Ok(payload.len()),
            Err(SendError::BufferFull(_)) => Err(Error::ErrTryAgain),
            Err(SendError::TooLarge) => Err(Error::ErrOutboundPacketTooLarge),
            Err(SendError::InvalidStream) => Err(Error::ErrStreamCreateFailed),
            // No message has a key here.
            Err(SendError::ShuttingDown | SendError::Empty | SendError::Key(_)) => {
                Err(Error::ErrStreamClosed)
            }
        }
    }

    /// Whether messages can be read, now or later.
    pub fn is_readable(&self) -> bool {
        self.state().is_ok_and(|state| state.usage != Usage::Closed)
    }

    /// Whether messages can be queued.
    pub fn is_writable(&self) -> bool {
        self.state().is_ok_and(|state| state.usage == Usage::Open)
    }

    /// Closes the stream: all that was sent arrives, then this end resets it.
    /// Errors: the association is not up.
    pub fn close(&mut self) -> Result<(), Error> {
        self.association.close_stream(self.id)
    }

    /// Chooses how messages are delivered from now on.
    /// Errors: there is no such stream.
    pub fn set_reliability_params(
        &mut self,
        unordered: bool,
        kind: ReliabilityType,
        value: u32,
    ) -> Result<(), Error> {
        let state = self.association.streams.get_mut(&self.id);
        let state = state.ok_or(Error::ErrStreamClosed)?;
        state.delivery = match unordered {
            true => Delivery::Unordered,
            false => Delivery::Ordered,
        };
        state.reliability = match kind {
            ReliabilityType::Reliable => Reliability::Reliable,
            // RFC 7496 §3.1 counts to 255.
            ReliabilityType::Rexmit => {
                Reliability::Retransmissions(u8::try_from(value).unwrap_or(u8::MAX))
            }
            ReliabilityType::Timed => Reliability::Timed(Duration::from_millis(value.into())),
        };
        Ok(())
    }

    /// Bytes that are queued, or sent and not acknowledged.
    /// Errors: there is no such stream.
    pub fn buffered_amount(&self) -> Result<usize, Error> {
        self.state()?;
        Ok(self.association.buffered(self.id))
    }

    /// Tells each time that the bytes buffered fall to so many.
    /// Errors: there is no such stream.
    pub fn set_buffered_amount_low_threshold(&mut self, bytes: usize) -> Result<(), Error> {
        self.state()?;
        self.association.mark(self.id, bytes);
        Ok(())
    }
}
