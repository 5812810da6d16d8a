//! Reading messages and notifications (RFC 6458 §3.1.4, §5.3).

use sheave_engine::Time;

use super::Stack;
use crate::calls::{Keep, Limits};
use crate::inbox::Item;
use crate::reading::Reading;
use crate::{Errno, Incoming, ReadToken, SocketId};

impl Stack {
    /// Returns the result of `recvmsg` with these buffer sizes (RFC 6458 §3.1.4), without dequeuing
    /// before [`consume`](Self::consume). No bytes and no flags mean end of stream.
    ///
    /// # Errors
    /// The errors of `recvmsg`; `EAGAIN` if the call would block.
    pub fn peek(&mut self, now: Time, id: SocketId, limits: Limits) -> Result<Incoming, Errno> {
        let (abi, socket) = (self.profile.abi, self.sockets.find(id)?);
        if limits.flags & abi.message_flags().error_queue != 0 {
            // The error queue is always empty.
            return Err(Errno::EAGAIN);
        }
        if socket.only_accepts(abi.system()) {
            return Err(Errno::ENOTCONN);
        }
        self.load(now, id, 0);
        let socket = self.sockets.find(id)?;
        if socket.own.recv_nxt_info != 0
            && let Some(number) = socket.next_assoc()
        {
            if let Some(mut attached) = self.attached(number) {
                attached.mark_messages(now);
            }
            self.load(now, id, 1);
        }
        let reading = Reading {
            now,
            lookup: self.lookup(id)?,
            limits,
            wall_clock: self.wall_clock,
            protected: self.transport.is_protected(),
        };
        if let Some(shown) = reading.first() {
            return Ok(shown);
        }
        let socket = self.sockets.find_mut(id)?;
        let before = socket.error;
        let outcome = socket.nothing_to_read(abi, limits);
        if socket.error != before {
            self.changes.touch(id);
        }
        outcome
    }

    /// Replaces a mark by its next message from the engine.
    pub(super) fn load(&mut self, now: Time, id: SocketId, place: usize) {
        loop {
            let Ok(socket) = self.sockets.find_mut(id) else {
                return;
            };
            let Some(number) = socket.inbox.unmark(place) else {
                return;
            };
            let Some(mut attached) = self.attached(number) else {
                continue;
            };
            let arrived = attached.association.unread.take();
            attached.association.used_at = now;
            let Some(mut piece) = attached.take_piece(now) else {
                continue;
            };
            piece.arrived = arrived.unwrap_or(now);
            if let Ok(socket) = self.sockets.find_mut(id) {
                let items = &mut socket.inbox.items;
                items.insert(place.min(items.len()), Item::Message(piece));
            }
            self.digest(now);
            return;
        }
    }

    /// Dequeues bytes that [`peek`](Self::peek) returned, after they reached the program. Does
    /// nothing if the bytes are already gone.
    pub fn consume(&mut self, now: Time, id: SocketId, token: ReadToken) {
        let Ok(socket) = self.sockets.find_mut(id) else {
            return;
        };
        let inbox = &mut socket.inbox;
        if token.keep == Keep::Kept || token.item != inbox.taken {
            return;
        }
        let (offset, length) = match inbox.items.front_mut() {
            Some(Item::Message(piece)) => (&mut piece.offset, piece.received.message.payload.len()),
            Some(Item::Notification { offset, bytes, .. }) => (offset, bytes.len()),
            _ => return,
        };
        if *offset != token.offset {
            return;
        }
        *offset += token.length;
        self.changes.touch(id);
        if *offset < length {
            return;
        }
        inbox.taken += 1;
        if let Some(Item::Message(piece)) = inbox.items.pop_front() {
            let association = self.associations.get(piece.assoc);
            let is_open = association.is_some_and(|found| found.is_in_parts(piece.message()));
            match (piece.ends(), socket.own.fragment_interleave) {
                (true, _) => inbox.end(piece.assoc),
                // RFC 6458 §8.1.20: unless the rest will not come.
                (false, 0) if is_open || inbox.has_end_of(&piece) => inbox.begin(piece.assoc),
                (false, _) => {}
            }
            if let Some(mut attached) = self.attached(piece.assoc) {
                attached.mark_messages(now);
                attached.mark_part(now);
            }
        }
    }

    /// Size of the next message or notification (`FIONREAD`), bytes; 0 if there is none.
    ///
    /// # Errors
    /// The errors of `ioctl`.
    pub fn next_length(&mut self, now: Time, id: SocketId) -> Result<usize, Errno> {
        if self.sockets.find(id)?.only_listens() {
            return Err(Errno::ENOTCONN);
        }
        self.load(now, id, 0);
        Ok(match self.sockets.find(id)?.inbox.items.front() {
            Some(Item::Message(piece)) => piece.received.message.payload.len() - piece.offset,
            Some(Item::Notification { bytes, offset, .. }) => bytes.len() - offset,
            _ => 0,
        })
    }
}
