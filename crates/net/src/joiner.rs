use sheave_engine::{Delivery, Message, Origin, Part, Received};
use sheave_wire::StreamId;

use crate::error::ReceiveError;

/// Joins the parts of large messages (partial delivery, RFC 9260 §6.9).
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    /// Incomplete messages, at most one per stream and delivery mode (ordered, unordered).
    open: Vec<Joining>,
}

#[derive(Debug)]
struct Joining {
    first: Message,
    /// Origin of the first part.
    origin: Origin,
    bytes: Vec<u8>,
    room: Room,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Enough,
    /// The limit is exceeded: the rest is discarded.
    Exceeded,
}

impl Joiner {
    /// Adds a message or a part; returns the whole message, with the origin of its first part, once
    /// complete.
    pub(crate) fn push(
        &mut self,
        received: Received,
        limit: usize,
    ) -> Option<Result<Received, ReceiveError>> {
        let Received {
            message,
            part,
            origin,
        } = received;
        let key = (message.stream, message.delivery);
        let at = self.open.iter().position(|joining| joining.key() == key);
        match (part, at) {
            (Part::Whole, _) if message.payload.len() > limit => too_large(limit),
            (Part::Whole, _) => Some(Ok(Received {
                message,
                part,
                origin,
            })),
            (Part::First, _) => {
                // A message still incomplete here was aborted (`Event::PartialDeliveryAborted`).
                self.open.retain(|joining| joining.key() != key);
                let mut joining = Joining::new(message.clone(), origin);
                joining.append(&message.payload, limit);
                self.open.push(joining);
                None
            }
            (Part::Middle, Some(at)) => {
                self.open[at].append(&message.payload, limit);
                None
            }
            (Part::Last, Some(at)) => {
                let mut joining = self.open.swap_remove(at);
                joining.append(&message.payload, limit);
                match joining.room {
                    Room::Enough => Some(Ok(joining.finish())),
                    Room::Exceeded => too_large(limit),
                }
            }
            // The first part was already returned by `receive`.
            (Part::Middle | Part::Last, None) => None,
        }
    }
}

fn too_large(limit: usize) -> Option<Result<Received, ReceiveError>> {
    Some(Err(ReceiveError::TooLarge { limit }))
}

impl Joining {
    fn new(mut first: Message, origin: Origin) -> Self {
        first.payload.clear();
        Self {
            first,
            origin,
            bytes: Vec::new(),
            room: Room::Enough,
        }
    }

    fn key(&self) -> (StreamId, Delivery) {
        (self.first.stream, self.first.delivery)
    }

    fn append(&mut self, bytes: &[u8], limit: usize) {
        if self.room == Room::Enough && bytes.len() <= limit - self.bytes.len() {
            self.bytes.extend_from_slice(bytes);
        } else {
            self.room = Room::Exceeded;
            self.bytes = Vec::new();
        }
    }

    fn finish(self) -> Received {
        Received {
            message: Message {
                payload: self.bytes.into(),
                ..self.first
            },
            part: Part::Whole,
            origin: self.origin,
        }
    }
}

#[cfg(test)]
mod tests;
