//! The first entry of a socket's queue, as `recvmsg` returns it (RFC 6458 §5.3).

use core::net::SocketAddr;
use core::time::Duration;

use bytes::Bytes;
use sheave_engine::Time;

use crate::abi::{ControlType, Field, Record, SendFlags, Struct, System};
use crate::calls::{Keep, Limits};
use crate::control::{ControlWriter, Cut};
use crate::inbox::{Item, Piece};
use crate::lookup::Lookup;
use crate::notification::{describe, message_flags};
use crate::settings::{DefaultSend, EventType};
use crate::socket::Socket;
use crate::{Abi, AssocId32, Incoming, ReadToken};

/// A call that reads from a socket.
pub(crate) struct Reading<'a> {
    pub(crate) now: Time,
    pub(crate) lookup: Lookup<'a>,
    pub(crate) limits: Limits,
    /// Wall-clock time at [`Time::ZERO`], since the Unix epoch.
    pub(crate) wall_clock: Duration,
    /// Whether the stack takes protected packets alone.
    pub(crate) protected: bool,
}

impl Reading<'_> {
    const fn abi(&self) -> Abi {
        self.lookup.abi
    }

    const fn socket(&self) -> &Socket {
        self.lookup.socket
    }

    /// The result for the first entry; `None` if it is not a readable message or notification.
    pub(crate) fn first(&self) -> Option<Incoming> {
        match self.socket().inbox.items.front()? {
            Item::Message(piece) => Some(self.message(piece)),
            Item::Notification {
                peer,
                bytes,
                offset,
                ..
            } => {
                let rest = bytes.slice(*offset..);
                let mut shown = self.show((rest, *offset, *peer));
                shown.flags |= self.abi().message_flags().notification;
                let mut control = self.control_writer(self.now);
                if self.socket().own.recv_nxt_info != 0 {
                    self.describe_next(&mut control);
                }
                Some(self.with(shown, control))
            }
            Item::Mark { .. } => None,
        }
    }

    fn with(&self, mut shown: Incoming, control: ControlWriter) -> Incoming {
        if control.cut == Cut::Some {
            shown.flags |= self.abi().message_flags().control_truncated;
        }
        shown.control = control.bytes;
        shown
    }

    fn message(&self, piece: &Piece) -> Incoming {
        let rest = piece.received.message.payload.slice(piece.offset..);
        let whole = rest.len() <= self.limits.payload;
        let mut shown = self.show((rest, piece.offset, piece.peer));
        let flags = self.abi().message_flags();
        if !(whole && piece.ends()) {
            shown.flags &= !flags.end_of_record;
        }
        if self.protected {
            shown.flags |= flags.protected;
        }
        let mut control = self.control_writer(piece.arrived);
        let ends = whole && piece.ends() || self.abi().system() == System::Linux;
        if self.socket().own.recv_nxt_info != 0 && ends {
            self.describe_next(&mut control);
        }
        let values = self.values(piece);
        if self.socket().own.recv_rcv_info != 0 {
            let record = place(Record::new(self.abi(), Struct::RcvInfo), piece);
            control.push(ControlType::RcvInfo, describe(record, &values, piece.assoc));
        }
        if self.wants_data_io(piece.assoc) {
            let record = place(Record::new(self.abi(), Struct::SndRcvInfo), piece);
            control.push(ControlType::SndRcv, describe(record, &values, piece.assoc));
        }
        self.with(shown, control)
    }

    /// Returns as many bytes as the buffer holds.
    fn show(&self, (rest, offset, peer): (Bytes, usize, SocketAddr)) -> Incoming {
        let flags = self.abi().message_flags();
        let length = rest.len().min(self.limits.payload);
        let peeks = self.limits.flags & flags.peek != 0;
        let end = if length == rest.len() {
            flags.end_of_record
        } else {
            0
        };
        Incoming {
            payload: rest.slice(..length),
            name: Some(self.socket().present(peer)),
            control: Vec::new(),
            flags: end,
            token: ReadToken {
                item: self.socket().inbox.taken,
                offset,
                length,
                keep: if peeks { Keep::Kept } else { Keep::Taken },
            },
        }
    }

    /// Starts the ancillary data with the arrival time, if the program asks for it. Like in Linux,
    /// a notification's arrival time is the time of the read.
    fn control_writer(&self, arrived: Time) -> ControlWriter {
        let mut control = ControlWriter::new(self.abi(), self.limits.control);
        if let Some(form) = self.socket().own.timestamps {
            let since_epoch = self.wall_clock.saturating_add(arrived.since(Time::ZERO));
            control.push_timestamp(form, since_epoch);
        }
        control
    }

    /// Describes the message after the first, if present (RFC 6458 §5.3.6).
    fn describe_next(&self, control: &mut ControlWriter) {
        let SendFlags {
            complete,
            notification,
            ..
        } = self.abi().send_flags();
        let (values, length, assoc) = match self.socket().inbox.items.get(1) {
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
        let record = Record::new(self.abi(), Struct::NxtInfo).set(Field::Length, length as u64);
        let record = describe(record, &values, assoc);
        control.push(ControlType::NxtInfo, record);
    }

    fn wants_data_io(&self, assoc: AssocId32) -> bool {
        match self.lookup.associations.get(assoc) {
            Some(association) => association.settings.wants(EventType::DataIo),
            None => self.socket().defaults.wants(EventType::DataIo),
        }
    }

    fn values(&self, piece: &Piece) -> DefaultSend {
        let message = &piece.received.message;
        DefaultSend {
            stream: message.stream.0,
            flags: message_flags(self.abi(), message.delivery),
            ppid: message.ppid.0.to_be_bytes(),
            context: piece.context,
            time_to_live: 0,
        }
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
