//! Messages that programs hand in part by part (`SCTP_EXPLICIT_EOR`, RFC 6458 §8.1.26). They are kept
//! here and sent when their end is known, so that one is no longer than a send buffer.

use bytes::Bytes;
use sheave_engine::{Extension, Message, SendFailure, SendOptions, Time};
use sheave_wire::StreamId;

use super::Stack;
use crate::socket::OpenMessage;
use crate::{AssocId32, Errno, SocketId};

/// Whether a call hands in the end of its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Here,
    Later,
    /// The message is one by itself, for many associations.
    Alone,
}

impl Stack {
    /// The message that a call ends, with the parts that came before.
    ///
    /// # Errors
    /// `EINVAL` while another stream has a message without an end, whose parts the peer could not tell
    /// apart; `EMSGSIZE` for one that no send buffer has room for.
    pub(super) fn with_open_parts(
        &mut self,
        id: SocketId,
        number: AssocId32,
        (message, options): (Message, SendOptions),
    ) -> Result<(Message, SendOptions), Errno> {
        let Some(open) = self.open_on(number, message.stream)? else {
            return Ok((message, options));
        };
        let options = open.options;
        let whole = Message {
            payload: Bytes::from([&open.bytes[..], &message.payload].concat()),
            ..open.described.clone()
        };
        self.check_length(id, number, whole.payload.len())?;
        Ok((whole, options))
    }

    /// Whether a part of a message that has no end yet can be kept: as if it were one, and all that are
    /// kept for an association are no more than a send buffer.
    ///
    /// # Errors
    /// As [`with_open_parts`](Self::with_open_parts); `EAGAIN` where it would have to wait.
    pub(super) fn check_part(
        &mut self,
        now: Time,
        id: SocketId,
        number: AssocId32,
        (message, options): &(Message, SendOptions),
    ) -> Result<(), Errno> {
        let open = self.open_on(number, message.stream)?;
        let before = open.map_or(0, |open| open.bytes.len());
        self.check_length(id, number, before + message.payload.len())?;
        if self.kept_of(number) + message.payload.len() > self.send_limit(id) {
            return Err(Errno::EMSGSIZE);
        }
        self.check_one(now, number, message, options)
    }

    /// Bytes of messages without an end that are kept for an association.
    pub(super) fn kept_of(&self, number: AssocId32) -> usize {
        let open = self.assocs.get(&number).map(|found| found.open.values());
        open.map_or(0, |open| open.map(|open| open.bytes.len()).sum())
    }

    /// The message without an end on a stream, if it has one.
    fn open_on(
        &mut self,
        number: AssocId32,
        stream: StreamId,
    ) -> Result<Option<&OpenMessage>, Errno> {
        let association = self.assocs.get(&number).ok_or(Errno::EPIPE)?;
        if association.open.is_empty() {
            return Ok(None);
        }
        let open = association.open.get(&stream);
        if open.is_none() {
            let assoc = self.endpoint.assoc(association.engine);
            let mixes = assoc.is_some_and(|assoc| assoc.agrees_on(Extension::Interleaving));
            return mixes.then_some(None).ok_or(Errno::EINVAL);
        }
        Ok(open)
    }

    fn check_length(&self, id: SocketId, number: AssocId32, length: usize) -> Result<(), Errno> {
        let is_cut = self.find(id)?.own.disable_fragments == 0;
        let is_too_long = length > self.send_limit(id)
            // RFC 6458 §8.1.11
            || !is_cut && length > self.fragmentation_point(number);
        match is_too_long {
            true => Err(Errno::EMSGSIZE),
            false => Ok(()),
        }
    }

    /// Keeps a part of a message that has no end yet.
    pub(super) fn keep_part(
        &mut self,
        now: Time,
        number: AssocId32,
        (message, options): (Message, SendOptions),
    ) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        association.used_at = now;
        let described = Message {
            payload: Bytes::new(),
            ..message.clone()
        };
        let open = association.open.entry(message.stream);
        let open = open.or_insert_with(|| OpenMessage {
            described,
            options,
            bytes: Vec::new(),
        });
        open.bytes.extend_from_slice(&message.payload);
    }

    /// The message on a stream has its end.
    pub(super) fn close_message(&mut self, number: AssocId32, stream: StreamId) {
        if let Some(association) = self.assocs.get_mut(&number) {
            association.open.remove(&stream);
        }
    }

    /// Hands messages back that had no end when their association came to its own.
    pub(super) fn return_open(&mut self, number: AssocId32) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        for open in core::mem::take(&mut association.open).into_values() {
            let message = Message {
                payload: open.bytes.into(),
                ..open.described
            };
            self.notify_failed(number, &message, open.options.context, SendFailure::Unsent);
        }
    }
}
