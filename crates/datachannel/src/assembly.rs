//! Reassembly of messages that arrive in parts.

use alloc::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use sheave_engine::{Part, Received};
use sheave_wire::StreamId;

use crate::options::is_within;
use crate::{ChannelOptions, Fault, Kind, Message};

/// Unfinished messages, and their total size.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assemblies {
    /// Parts of SCTP messages from the engine's partial delivery.
    parts: BTreeMap<StreamId, BytesMut>,
    /// Data channel messages split over several SCTP messages (RFC 8831 §6.6).
    partials: BTreeMap<StreamId, (Kind, BytesMut)>,
    held: usize,
}

impl Assemblies {
    /// Returns the whole SCTP message with its last part.
    pub(crate) fn whole(
        &mut self,
        received: Received,
        options: &ChannelOptions,
    ) -> Result<Option<sheave_engine::Message>, Fault> {
        let Received {
            mut message, part, ..
        } = received;
        let stream = message.stream;
        if matches!(part, Part::Whole | Part::First) {
            self.cut_off(stream);
        }
        match part {
            Part::Whole => {
                check_size(message.payload.len(), options)?;
                return Ok(Some(message));
            }
            Part::First => {
                self.parts.insert(stream, BytesMut::new());
            }
            Part::Middle | Part::Last => {}
        }
        // The rest of a refused or cut-off message.
        let Some(assembly) = self.parts.get_mut(&stream) else {
            return Ok(None);
        };
        check_size(assembly.len() + message.payload.len(), options)?;
        check_held(self.held + message.payload.len(), options)?;
        assembly.extend_from_slice(&message.payload);
        self.held += message.payload.len();
        if part != Part::Last {
            return Ok(None);
        }
        let assembly = self.parts.remove(&stream).unwrap_or_default();
        self.held -= assembly.len();
        message.payload = assembly.freeze();
        Ok(Some(message))
    }

    /// Adds a partial message.
    pub(crate) fn add_partial(
        &mut self,
        stream: StreamId,
        kind: Kind,
        payload: &[u8],
        options: &ChannelOptions,
    ) -> Result<(), Fault> {
        let (begun, assembly) = (self.partials)
            .entry(stream)
            .or_insert_with(|| (kind, BytesMut::new()));
        if *begun != kind {
            return Err(Fault::MisplacedPart);
        }
        check_size(assembly.len() + payload.len(), options)?;
        check_held(self.held + payload.len(), options)?;
        assembly.extend_from_slice(payload);
        self.held += payload.len();
        Ok(())
    }

    /// Completes a message with `payload`; partial messages may have begun it.
    pub(crate) fn finish(
        &mut self,
        stream: StreamId,
        kind: Kind,
        payload: Bytes,
        options: &ChannelOptions,
    ) -> Result<Message, Fault> {
        let Some((begun, mut assembly)) = self.partials.remove(&stream) else {
            return Ok(Message { kind, payload });
        };
        self.held -= assembly.len();
        if begun != kind {
            return Err(Fault::MisplacedPart);
        }
        check_size(assembly.len() + payload.len(), options)?;
        assembly.extend_from_slice(&payload);
        let payload = assembly.freeze();
        Ok(Message { kind, payload })
    }

    /// Drops the unfinished SCTP message on a stream.
    pub(crate) fn cut_off(&mut self, stream: StreamId) {
        if let Some(assembly) = self.parts.remove(&stream) {
            self.held -= assembly.len();
        }
    }

    /// Drops all unfinished data on a stream.
    pub(crate) fn forget(&mut self, stream: StreamId) {
        self.cut_off(stream);
        if let Some((_, assembly)) = self.partials.remove(&stream) {
            self.held -= assembly.len();
        }
    }

    /// Size of all unfinished messages, bytes.
    pub(crate) const fn held(&self) -> usize {
        self.held
    }
}

const fn check_size(bytes: usize, options: &ChannelOptions) -> Result<(), Fault> {
    if is_within(bytes, options.max_receive_size) {
        Ok(())
    } else {
        Err(Fault::MessageTooLarge)
    }
}

const fn check_held(bytes: usize, options: &ChannelOptions) -> Result<(), Fault> {
    if bytes <= options.max_unfinished {
        Ok(())
    } else {
        Err(Fault::TooMuchUnfinished)
    }
}

#[cfg(test)]
mod tests;
