//! Messages on the streams of a connection.

use std::collections::{BTreeMap, VecDeque};

use bytes::{Buf, Bytes, BytesMut};
use quinn_proto::{Connection, Dir, StreamId};
use sheave_sim::tcp::{LENGTH_LEN, length_prefix};
use sheave_sim::{Admission, Arrival};

/// Lower than the priority of any other stream, 0.
const DEFERRED: i32 = -1;

/// The streams in both directions.
#[derive(Debug, Default)]
pub(super) struct Streams {
    /// Streams to the peer, by number.
    outgoing: Vec<Outgoing>,
    /// Bytes of incomplete messages.
    incoming: BTreeMap<StreamId, BytesMut>,
    arrivals: VecDeque<Arrival>,
}

#[derive(Debug)]
struct Outgoing {
    id: StreamId,
    /// The rest of a message that did not fit the send buffer.
    backlog: [Bytes; 2],
}

impl Streams {
    pub(super) fn send(
        &mut self,
        connection: &mut Connection,
        stream: u16,
        payload: Bytes,
    ) -> Admission {
        let Ok(len) = u32::try_from(payload.len()) else {
            return Admission::Full;
        };
        let Some(outgoing) = self.open(connection, stream) else {
            return Admission::Full;
        };
        if outgoing.is_waiting() {
            return Admission::Full;
        }
        let prefix = Bytes::copy_from_slice(&length_prefix(len));
        let mut message = [prefix, payload];
        if connection
            .send_stream(outgoing.id)
            .write_chunks(&mut message)
            .is_err()
        {
            return Admission::Full;
        }
        outgoing.backlog = message;
        outgoing.flush(connection);
        Admission::Taken
    }

    /// The stream with that number; `None` if the peer allows no more streams.
    fn open(&mut self, connection: &mut Connection, stream: u16) -> Option<&mut Outgoing> {
        while self.outgoing.len() <= usize::from(stream) {
            let id = connection.streams().open(Dir::Uni)?;
            let backlog = Default::default();
            self.outgoing.push(Outgoing { id, backlog });
        }
        self.outgoing.get_mut(usize::from(stream))
    }

    pub(super) fn defer(&mut self, connection: &mut Connection, stream: u16) {
        if let Some(outgoing) = self.open(connection, stream) {
            // Fails if the stream is closed; nothing is sent on it then.
            let _ = connection.send_stream(outgoing.id).set_priority(DEFERRED);
        }
    }

    /// Moves waiting bytes of a stream into the send buffer.
    pub(super) fn flush(&mut self, connection: &mut Connection, id: StreamId) {
        let mut all = self.outgoing.iter_mut();
        if let Some(outgoing) = all.find(|outgoing| outgoing.id == id) {
            outgoing.flush(connection);
        }
    }

    /// Ends all streams whose messages are in the send buffer; true if the peer has everything.
    pub(super) fn finish(&self, connection: &mut Connection) -> bool {
        for outgoing in &self.outgoing {
            if !outgoing.is_waiting() {
                // Fails if the stream has ended.
                let _ = connection.send_stream(outgoing.id).finish();
            }
        }
        connection.streams().send_streams() == 0
    }

    /// Reads new streams of the peer.
    pub(super) fn accept(&mut self, connection: &mut Connection) {
        while let Some(id) = connection.streams().accept(Dir::Uni) {
            self.read(connection, id);
        }
    }

    pub(super) fn read(&mut self, connection: &mut Connection, id: StreamId) {
        let buffer = self.incoming.entry(id).or_default();
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else {
            return;
        };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            buffer.extend_from_slice(&chunk.bytes);
        }
        // The packet with new credit leaves when the connection is polled next.
        let _ = chunks.finalize();
        while let Some(payload) = message(buffer) {
            let stream = u16::try_from(id.index()).unwrap_or(u16::MAX);
            self.arrivals.push_back(Arrival { stream, payload });
        }
    }

    pub(super) fn receive(&mut self) -> Option<Arrival> {
        self.arrivals.pop_front()
    }
}

impl Outgoing {
    /// Writes until nothing is left or the stream is blocked: quinn reports that a stream is writable
    /// again only after it has refused a byte.
    fn flush(&mut self, connection: &mut Connection) {
        while let Some(first) = self.backlog.iter().position(Buf::has_remaining) {
            let waiting = &mut self.backlog[first..];
            let written = connection.send_stream(self.id).write_chunks(waiting);
            if written.is_err() {
                return;
            }
        }
    }

    fn is_waiting(&self) -> bool {
        self.backlog.iter().any(Buf::has_remaining)
    }
}

/// Takes a whole message from the beginning of a stream's bytes.
fn message(buffer: &mut BytesMut) -> Option<Bytes> {
    let len = u32::from_be_bytes(*buffer.first_chunk()?);
    let end = LENGTH_LEN + usize::try_from(len).ok()?;
    if buffer.len() < end {
        return None;
    }
    let mut message = buffer.split_to(end);
    message.advance(LENGTH_LEN);
    Some(message.freeze())
}
