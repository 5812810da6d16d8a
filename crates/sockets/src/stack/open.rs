//! Messages that programs pass part by part (`SCTP_EXPLICIT_EOR`, RFC 6458 §8.1.26). The parts are
//! kept here and sent together with the last one, so a message cannot exceed the send buffer.

use bytes::Bytes;
use sheave_engine::{Extension, Message, SendFailure, SendOptions, Time};
use sheave_wire::StreamId;

use super::Stack;
use crate::socket::OpenMessage;
use crate::{AssocId32, Errno, SocketId};

/// Whether a call ends its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Here,
    Later,
    /// A complete message for many associations.
    Alone,
}

impl Stack {
    /// Joins the parts kept so far with those of the call that ends the message.
    ///
    /// # Errors
    /// `EINVAL` if another stream has an unfinished message, whose parts the peer could not tell
    /// apart; `EMSGSIZE` for a message larger than the send buffer.
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

    /// Checks whether a part of an unfinished message can be kept: all kept parts of an association
    /// must fit the send buffer.
    ///
    /// # Errors
    /// The errors of [`with_open_parts`](Self::with_open_parts); `EAGAIN` if the call would block.
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

    /// Bytes of unfinished messages kept for an association.
    pub(super) fn kept_of(&self, number: AssocId32) -> usize {
        let open = self.assocs.get(&number).map(|found| found.open.values());
        open.map_or(0, |open| open.map(|open| open.bytes.len()).sum())
    }

    /// The unfinished message of a stream, if any.
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

    /// Keeps a part of an unfinished message.
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

    /// Drops the unfinished message of a stream.
    pub(super) fn close_message(&mut self, number: AssocId32, stream: StreamId) {
        if let Some(association) = self.assocs.get_mut(&number) {
            association.open.remove(&stream);
        }
    }

    /// Returns unfinished messages as failed when their association has ended.
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
