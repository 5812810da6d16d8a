//! Reading messages and notifications (RFC 6458 §3.1.4, §5.3).

use core::net::SocketAddr;

use bytes::Bytes;
use sheave_engine::Time;

use super::Stack;
use super::readiness::has_end;
use crate::abi::{ControlType, Field, MessageFlags, Record, SendFlags, Struct, System};
use crate::calls::{Keep, Limits};
use crate::control::{ControlWriter, Cut};
use crate::inbox::{Item, Piece};
use crate::notification::{describe, message_flags};
use crate::settings::{DefaultSend, EventType};
use crate::socket::{Fate, Half, Kind, Socket};
use crate::{AssocId32, ConnectState, Errno, Incoming, ReadToken, SocketId};

impl Stack {
    /// Returns the result of `recvmsg` with these buffer sizes (RFC 6458 §3.1.4), without dequeuing
    /// before [`consume`](Self::consume). No bytes and no flags mean end of stream.
    ///
    /// # Errors
    /// The errors of `recvmsg`; `EAGAIN` if the call would block.
    pub fn peek(&mut self, now: Time, id: SocketId, limits: Limits) -> Result<Incoming, Errno> {
        let socket = self.find(id)?;
        let flags = self.abi.message_flags();
        if limits.flags & flags.error_queue != 0 {
            // The error queue is always empty.
            return Err(Errno::EAGAIN);
        }
        if socket.only_listens() && self.abi.system() == System::Linux {
            return Err(Errno::ENOTCONN);
        }
        self.load(now, id, 0);
        let socket = self.find(id)?;
        if socket.own.recv_nxt_info != 0
            && let Some(first) = socket.inbox.items.front()
        {
            let number = first.assoc();
            self.mark_messages(now, number);
            self.load(now, id, 1);
        }
        let socket = self.find(id)?;
        match socket.inbox.items.front() {
            Some(Item::Message(piece)) => Ok(self.show_message(socket, piece, limits)),
            Some(Item::Notification {
                peer,
                bytes,
                offset,
                ..
            }) => {
                let rest = bytes.slice(*offset..);
                let mut shown = self.show(socket, (rest, *offset, *peer), limits);
                shown.flags |= flags.notification;
                let mut control = self.control_writer(socket, now, limits);
                if socket.own.recv_nxt_info != 0 {
                    self.describe_next(socket, &mut control);
                }
                if control.cut == Cut::Some {
                    shown.flags |= flags.control_truncated;
                }
                Ok(Incoming {
                    control: control.bytes,
                    ..shown
                })
            }
            _ => self.nothing_to_read(id, limits),
        }
    }

    fn nothing_to_read(&mut self, id: SocketId, limits: Limits) -> Result<Incoming, Errno> {
        let MessageFlags {
            dont_wait, peek, ..
        } = self.abi.message_flags();
        let system = self.abi.system();
        let socket = self.find_mut(id)?;
        if let Some(error) = socket.error {
            if system == System::Linux || limits.flags & peek == 0 {
                socket.error = None;
                self.touch(id);
            }
            return Err(error);
        }
        // On Linux, a blocking read fails if the program itself has ended the association.
        let is_left =
            system == System::Linux && (socket.fate, socket.reading) == (Fate::Left, Half::Open);
        if is_left && limits.flags & dont_wait == 0 {
            return Err(Errno::ENOTCONN);
        }
        if has_end(system, socket) {
            let token = ReadToken {
                item: socket.inbox.taken,
                offset: 0,
                length: 0,
                keep: Keep::Kept,
            };
            return Ok(Incoming {
                payload: Bytes::new(),
                name: None,
                control: Vec::new(),
                flags: 0,
                token,
            });
        }
        if system == System::FreeBsd {
            return Err(emptiness_of_free_bsd(socket));
        }
        let hopeless = match socket.kind {
            Kind::OneToMany => socket.assocs.is_empty() && socket.backlog.is_none(),
            Kind::OneToOne => matches!(socket.fate, Fate::None | Fate::Lost),
            Kind::PeeledOff => matches!(socket.fate, Fate::Ended | Fate::Left | Fate::Lost),
        };
        let waits = socket.connect == ConnectState::InProgress;
        if hopeless && !waits && limits.flags & dont_wait == 0 {
            return Err(Errno::ENOTCONN);
        }
        Err(Errno::EAGAIN)
    }

    /// Replaces a mark by its next message from the engine.
    fn load(&mut self, now: Time, id: SocketId, place: usize) {
        loop {
            let Some(socket) = self.sockets.get_mut(&id) else {
                return;
            };
            let Some(Item::Mark { assoc, count }) = socket.inbox.items.get_mut(place) else {
                return;
            };
            let number = *assoc;
            *count -= 1;
            if *count == 0 {
                socket.inbox.items.remove(place);
            }
            let Some(association) = self.assocs.get_mut(&number) else {
                continue;
            };
            let arrived = association.unread.take();
            association.used_at = now;
            let Some(mut piece) = self.take_piece(now, number) else {
                continue;
            };
            piece.arrived = arrived.unwrap_or(now);
            if let Some(socket) = self.sockets.get_mut(&id) {
                socket
                    .inbox
                    .items
                    .insert(place.min(socket.inbox.items.len()), Item::Message(piece));
            }
            self.digest(now);
            return;
        }
    }

    /// Fetches all messages from the engine that the inbox marks.
    pub(super) fn load_all(&mut self, now: Time, id: SocketId) {
        while let Some(place) = self.sockets.get(&id).and_then(|socket| {
            let is_mark = |item: &Item| matches!(item, Item::Mark { .. });
            socket.inbox.items.iter().position(is_mark)
        }) {
            self.load(now, id, place);
        }
    }

    fn show_message(&self, socket: &Socket, piece: &Piece, limits: Limits) -> Incoming {
        let rest = piece.received.message.payload.slice(piece.offset..);
        let whole = rest.len() <= limits.payload;
        let mut shown = self.show(socket, (rest, piece.offset, piece.peer), limits);
        let flags = self.abi.message_flags();
        if !(whole && piece.ends()) {
            shown.flags &= !flags.end_of_record;
        }
        let mut control = self.control_writer(socket, piece.arrived, limits);
        let ends = whole && piece.ends() || self.abi.system() == System::Linux;
        if socket.own.recv_nxt_info != 0 && ends {
            self.describe_next(socket, &mut control);
        }
        let values = self.values(piece);
        if socket.own.recv_rcv_info != 0 {
            let record = place(Record::new(self.abi, Struct::RcvInfo), piece);
            control.push(ControlType::RcvInfo, describe(record, &values, piece.assoc));
        }
        if self.wants_data_io(socket, piece.assoc) {
            let record = place(Record::new(self.abi, Struct::SndRcvInfo), piece);
            control.push(ControlType::SndRcv, describe(record, &values, piece.assoc));
        }
        if control.cut == Cut::Some {
            shown.flags |= flags.control_truncated;
        }
        Incoming {
            control: control.bytes,
            ..shown
        }
    }

    /// Starts the ancillary data with the arrival time, if the program asks for it. Like in Linux,
    /// a notification's arrival time is the time of the read.
    fn control_writer(&self, socket: &Socket, arrived: Time, limits: Limits) -> ControlWriter {
        let mut control = ControlWriter::new(self.abi, limits.control);
        if let Some(form) = socket.own.timestamps {
            control.push_timestamp(form, self.since_epoch(arrived));
        }
        control
    }

    /// Describes the message after the first, if present (RFC 6458 §5.3.6).
    fn describe_next(&self, socket: &Socket, control: &mut ControlWriter) {
        let SendFlags {
            complete,
            notification,
            ..
        } = self.abi.send_flags();
        let (values, length, assoc) = match socket.inbox.items.get(1) {
            Some(Item::Message(next)) => {
                let mut values = self.values(next);
                if next.ends() {
                    values.flags |= complete;
                }
                (values, next.received.message.payload.len(), next.assoc)
            }
            Some(Item::Notification { assoc, bytes, .. }) => {
                let values = DefaultSend {
                    flags: notification | complete,
                    ..DefaultSend::default()
                };
                (values, bytes.len(), *assoc)
            }
            _ => return,
        };
        let record = Record::new(self.abi, Struct::NxtInfo).set(Field::Length, length as u64);
        let record = describe(record, &values, assoc);
        control.push(ControlType::NxtInfo, record);
    }

    fn wants_data_io(&self, socket: &Socket, assoc: AssocId32) -> bool {
        match self.assocs.get(&assoc) {
            Some(association) => association.settings.wants(EventType::DataIo),
            None => socket.defaults.wants(EventType::DataIo),
        }
    }

    fn values(&self, piece: &Piece) -> DefaultSend {
        let message = &piece.received.message;
        DefaultSend {
            stream: message.stream.0,
            flags: message_flags(self.abi, message.delivery),
            ppid: message.ppid.0.to_be_bytes(),
            context: piece.context,
            time_to_live: 0,
        }
    }

    /// Returns as many bytes as the buffer holds.
    fn show(
        &self,
        socket: &Socket,
        (rest, offset, peer): (Bytes, usize, SocketAddr),
        limits: Limits,
    ) -> Incoming {
        let flags = self.abi.message_flags();
        let length = rest.len().min(limits.payload);
        let peeks = limits.flags & flags.peek != 0;
        let end = if length == rest.len() {
            flags.end_of_record
        } else {
            0
        };
        Incoming {
            payload: rest.slice(..length),
            name: Some(socket.present(peer)),
            control: Vec::new(),
            flags: end,
            token: ReadToken {
                item: socket.inbox.taken,
                offset,
                length,
                keep: if peeks { Keep::Kept } else { Keep::Taken },
            },
        }
    }

    /// Dequeues bytes that [`peek`](Self::peek) returned, after they reached the program. Does
    /// nothing if the bytes are already gone.
    pub fn consume(&mut self, now: Time, id: SocketId, token: ReadToken) {
        let Some(socket) = self.sockets.get_mut(&id) else {
            return;
        };
        if token.keep == Keep::Kept || token.item != socket.inbox.taken {
            return;
        }
        let (offset, length) = match socket.inbox.items.front_mut() {
            Some(Item::Message(piece)) => (&mut piece.offset, piece.received.message.payload.len()),
            Some(Item::Notification { offset, bytes, .. }) => (offset, bytes.len()),
            _ => return,
        };
        if *offset != token.offset {
            return;
        }
        *offset += token.length;
        if *offset >= length {
            let item = socket.inbox.items.pop_front();
            socket.inbox.taken += 1;
            if let Some(Item::Message(piece)) = item {
                let association = self.assocs.get(&piece.assoc);
                let is_open = association.is_some_and(|found| found.is_in_parts(piece.message()));
                match (piece.ends(), socket.own.fragment_interleave) {
                    (true, _) => socket.inbox.end(piece.assoc),
                    // RFC 6458 §8.1.20: unless the rest will not come.
                    (false, 0) if is_open || socket.inbox.has_end_of(&piece) => {
                        socket.inbox.begin(piece.assoc);
                    }
                    (false, _) => {}
                }
                self.mark_messages(now, piece.assoc);
                self.mark_part(now, piece.assoc);
            }
        }
        self.touch(id);
    }

    /// Size of the next message or notification (`FIONREAD`), bytes; 0 if there is none.
    ///
    /// # Errors
    /// The errors of `ioctl`.
    pub fn next_length(&mut self, now: Time, id: SocketId) -> Result<usize, Errno> {
        let socket = self.find(id)?;
        if socket.only_listens() {
            return Err(Errno::ENOTCONN);
        }
        self.load(now, id, 0);
        let front = self
            .sockets
            .get(&id)
            .and_then(|socket| socket.inbox.items.front());
        Ok(match front {
            Some(Item::Message(piece)) => piece.received.message.payload.len() - piece.offset,
            Some(Item::Notification { bytes, offset, .. }) => bytes.len() - offset,
            _ => 0,
        })
    }
}

/// FreeBSD's error for a read from an empty queue: without an association, even a non-blocking read
/// reports that no data can come.
const fn emptiness_of_free_bsd(socket: &Socket) -> Errno {
    match (socket.kind, socket.fate, socket.connect) {
        (Kind::OneToMany, ..) | (_, Fate::None, ConnectState::InProgress) => Errno::EAGAIN,
        (_, Fate::Lost, _) | (_, Fate::None, ConnectState::Failed(_)) => Errno::ECONNRESET,
        (_, Fate::None, _) => Errno::ENOTCONN,
        _ => Errno::EAGAIN,
    }
}

/// Fills in the sequence numbers of a message.
fn place(record: Record, piece: &Piece) -> Record {
    let origin = piece.received.origin;
    record
        .set(Field::Ssn, origin.ssn_or_mid)
        .set(Field::Tsn, origin.tsn.0)
        .set(Field::CumulativeTsn, piece.cumulative.0)
}
