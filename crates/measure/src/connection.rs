//! Connections between two processes or threads, and the load on them.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sheave::{Association, Message, StreamId};

use crate::pair::UserData;

/// The transfer that two ends perform.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Load {
    /// Traffic pattern.
    pub work: Work,
    /// Message size, bytes.
    pub size: usize,
    /// Concurrent connections.
    pub connections: u16,
    /// Sending time, ms; for echoes, number of round trips.
    pub amount: u32,
    /// Size of bulk messages during echoes, bytes.
    pub bulk: usize,
}

/// Traffic patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// A single direction, as fast as possible
    Stream,
    /// Echo of a single message
    Echo,
    /// Echo of a single message during one-way bulk transfer
    EchoBeside,
}

/// An end's part in a transfer.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Part {
    /// The transfer.
    pub load: Load,
    /// The server's port, for a client.
    pub port: Option<u16>,
}

/// An end of a connection.
pub trait Connection: Send {
    /// Sends a message as an application writes it.
    fn send_next(&mut self, data: &mut UserData) -> io::Result<()>;

    /// Sends a copy of a message.
    fn send(&mut self, message: &[u8]) -> io::Result<()>;

    /// Receives a message, or a part of one; returns its stream and content, or `None` at the end.
    fn receive(&mut self) -> io::Result<Option<(u16, &[u8])>>;

    /// Sends the received message back, after `mark` has changed it.
    fn echo(&mut self, mark: Option<fn(&mut [u8])>) -> io::Result<()>;

    /// Ends the connection when the peer has received everything.
    fn close(&mut self) -> io::Result<()>;

    /// Receives a message of a known length.
    /// Errors: the connection ended, or the message is longer.
    fn receive_exact(&mut self, message: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while filled < message.len() {
            let (_, part) = self.receive()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            let room = message.get_mut(filled..filled + part.len());
            room.ok_or(io::ErrorKind::InvalidData)?
                .copy_from_slice(part);
            filled += part.len();
        }
        Ok(())
    }
}

/// A TCP connection, without Nagle's algorithm.
#[derive(Debug)]
pub struct Tcp {
    socket: TcpStream,
    /// Number by which the ends tell several connections apart.
    stream: u16,
    buffer: Vec<u8>,
    filled: usize,
}

impl Tcp {
    /// Uses a socket for messages of `size` bytes on the stream of that number.
    pub fn new(socket: TcpStream, stream: u16, size: usize) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        Ok(Self {
            socket,
            stream,
            buffer: vec![0; size],
            filled: 0,
        })
    }
}

impl Connection for Tcp {
    fn send_next(&mut self, data: &mut UserData) -> io::Result<()> {
        data.write_next(&mut self.buffer);
        self.socket.write_all(&self.buffer)
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.socket.write_all(message)
    }

    fn receive(&mut self) -> io::Result<Option<(u16, &[u8])>> {
        self.filled = self.socket.read(&mut self.buffer)?;
        let part = self.buffer.get(..self.filled).unwrap_or_default();
        Ok((self.filled > 0).then_some((self.stream, part)))
    }

    fn echo(&mut self, mark: Option<fn(&mut [u8])>) -> io::Result<()> {
        let part = self.buffer.get_mut(..self.filled).unwrap_or_default();
        if let Some(mark) = mark {
            mark(part);
        }
        self.socket.write_all(part)
    }

    fn close(&mut self) -> io::Result<()> {
        self.socket.shutdown(Shutdown::Write)?;
        // Waits until the peer has read everything.
        self.socket.read_to_end(&mut Vec::new()).map(drop)
    }
}

/// An association, of which one stream is used for sending.
#[derive(Debug)]
pub struct Sctp {
    association: Association,
    stream: StreamId,
    received: Option<Message>,
}

impl Sctp {
    /// Sends on one stream of an association.
    #[must_use]
    pub const fn new(association: Association, stream: StreamId) -> Self {
        Self {
            association,
            stream,
            received: None,
        }
    }

    fn send_bytes(&self, payload: Bytes) -> io::Result<()> {
        let message = Message::new(self.stream, payload);
        self.association.send(message).map_err(io::Error::other)
    }
}

impl Connection for Sctp {
    fn send_next(&mut self, data: &mut UserData) -> io::Result<()> {
        self.send_bytes(data.next_bytes())
    }

    fn send(&mut self, message: &[u8]) -> io::Result<()> {
        self.send_bytes(Bytes::copy_from_slice(message))
    }

    fn receive(&mut self) -> io::Result<Option<(u16, &[u8])>> {
        let received = self.association.receive().map_err(io::Error::other)?;
        self.received = received.map(|received| received.message);
        let message = self.received.as_ref();
        Ok(message.map(|message| (message.stream.0, &message.payload[..])))
    }

    fn echo(&mut self, mark: Option<fn(&mut [u8])>) -> io::Result<()> {
        let Some(mut message) = self.received.take() else {
            return Ok(());
        };
        if let Some(mark) = mark {
            let mut payload = message.payload.to_vec();
            mark(&mut payload);
            message.payload = payload.into();
        }
        self.association.send(message).map_err(io::Error::other)
    }

    fn close(&mut self) -> io::Result<()> {
        let closed = self.association.shutdown();
        closed.map_err(|reason| io::Error::other(format!("{reason:?}")))
    }
}
