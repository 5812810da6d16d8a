//! Messages that programs pass part by part (`SCTP_EXPLICIT_EOR`, RFC 6458 §8.1.26). The parts are
//! kept here and sent together with the last one, so a message cannot exceed the send buffer.

use bytes::Bytes;
use sheave_engine::{Extension, Message, SendFailure, SendOptions, Time};
use sheave_wire::StreamId;

use super::Attached;
use crate::Errno;
use crate::association::OpenMessage;

impl Attached<'_> {
    /// Joins the parts kept so far with those of the call that ends the message.
    ///
    /// # Errors
    /// `EINVAL` if another stream has an unfinished message, whose parts the peer could not tell
    /// apart; `EMSGSIZE` for a message larger than the send buffer.
    pub(crate) fn with_open_parts(
        &mut self,
        (message, options): (Message, SendOptions),
    ) -> Result<(Message, SendOptions), Errno> {
        let Some(open) = self.open_on(message.stream)? else {
            return Ok((message, options));
        };
        let options = open.options;
        let whole = Message {
            payload: Bytes::from([&open.bytes[..], &message.payload].concat()),
            ..open.described.clone()
        };
        self.check_length(whole.payload.len())?;
        Ok((whole, options))
    }

    /// Checks whether a part of an unfinished message can be kept: all kept parts of an association
    /// must fit the send buffer.
    ///
    /// # Errors
    /// The errors of [`with_open_parts`](Self::with_open_parts); `EAGAIN` if the call would block.
    pub(crate) fn check_part(
        &mut self,
        now: Time,
        (message, options): &(Message, SendOptions),
    ) -> Result<(), Errno> {
        let open = self.open_on(message.stream)?;
        let before = open.map_or(0, |open| open.bytes.len());
        self.check_length(before + message.payload.len())?;
        if self.association.kept() + message.payload.len() > self.send_limit() {
            return Err(Errno::EMSGSIZE);
        }
        self.check(now, message, options)
    }

    /// The unfinished message of a stream, if any.
    fn open_on(&mut self, stream: StreamId) -> Result<Option<&OpenMessage>, Errno> {
        if self.association.open.is_empty() {
            return Ok(None);
        }
        if !self.association.open.contains_key(&stream) {
            let mixes = |assoc: sheave_engine::Assoc<'_>| assoc.agrees_on(Extension::Interleaving);
            let mixes = self.engine().is_some_and(mixes);
            return mixes.then_some(None).ok_or(Errno::EINVAL);
        }
        Ok(self.association.open.get(&stream))
    }

    fn send_limit(&self) -> usize {
        let socket = self.socket.as_ref();
        socket.map_or(0, |socket| self.profile.send_buffer(socket))
    }

    fn check_length(&self, length: usize) -> Result<(), Errno> {
        let socket = self.socket.as_ref();
        let is_whole = socket.is_some_and(|socket| socket.own.disable_fragments != 0);
        let point = || (self.association).fragmentation_point(&self.transport.endpoint);
        // RFC 6458 §8.1.11
        match length > self.send_limit() || is_whole && length > point() {
            true => Err(Errno::EMSGSIZE),
            false => Ok(()),
        }
    }

    /// Keeps a part of an unfinished message.
    pub(crate) fn keep_part(&mut self, now: Time, (message, options): (Message, SendOptions)) {
        self.association.used_at = now;
        let open = self.association.open.entry(message.stream);
        let open = open.or_insert_with(|| OpenMessage {
            described: Message {
                payload: Bytes::new(),
                ..message.clone()
            },
            options,
            bytes: Vec::new(),
        });
        open.bytes.extend_from_slice(&message.payload);
    }

    /// Returns unfinished messages as failed when their association has ended.
    pub(super) fn return_open(&mut self) {
        for open in core::mem::take(&mut self.association.open).into_values() {
            let message = Message {
                payload: open.bytes.into(),
                ..open.described
            };
            self.notify_failed(&message, open.options.context, SendFailure::Unsent);
        }
    }
}
