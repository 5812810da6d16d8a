//! Messages that come in parts.

use alloc::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use sheave_engine::{Part, Received};
use sheave_wire::StreamId;

use crate::options::is_within;
use crate::{ChannelOptions, Fault, Kind, Message};

/// Unfinished messages, and the bytes that they take together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assemblies {
    /// SCTP messages that the engine hands over in parts.
    parts: BTreeMap<StreamId, BytesMut>,
    /// Messages in partial SCTP messages (RFC 8831 §6.6).
    partials: BTreeMap<StreamId, (Kind, BytesMut)>,
    held: usize,
}

impl Assemblies {
    /// The whole SCTP message, once its last part is there.
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
        // The rest of a message that was refused or cut off.
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

    /// Takes a partial message in.
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

    /// The message that ends with `payload`, and may have begun with partial ones.
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

    /// Forgets the SCTP message that came in part on a stream.
    pub(crate) fn cut_off(&mut self, stream: StreamId) {
        if let Some(assembly) = self.parts.remove(&stream) {
            self.held -= assembly.len();
        }
    }

    /// Forgets everything that came in part on a stream.
    pub(crate) fn forget(&mut self, stream: StreamId) {
        self.cut_off(stream);
        if let Some((_, assembly)) = self.partials.remove(&stream) {
            self.held -= assembly.len();
        }
    }

    /// Bytes of all unfinished messages.
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
