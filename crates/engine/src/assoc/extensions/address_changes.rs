//! Address changes during an association (RFC 5061).

pub(crate) mod following;
pub(crate) mod heard;
mod peer;
mod requests;

use alloc::collections::VecDeque;
use core::net::IpAddr;

use bytes::Bytes;

use crate::value::ids::PathIndex;
use crate::{AddressChange, AddressChangeError};

/// Most queued changes.
const MAX_WAITING: usize = 16;

/// Address change requests of both ends of an association.
#[derive(Clone, Debug)]
pub(crate) struct AddressDialogue {
    /// The serial number of our next request; the first is our initial TSN (RFC 5061 §5.1, A2).
    pub(crate) next_serial: u32,
    pub(crate) waiting: VecDeque<AddressChange>,
    /// At most one request is outstanding (RFC 5061 §5.1.1, C1).
    pub(crate) outstanding: Option<OutstandingChange>,
    pub(crate) standing: AsconfSupport,
    /// The serial number of the peer's next request.
    pub(crate) due: u32,
    /// The answer to the peer's last request, which the peer may not have received.
    pub(crate) answer: Option<Bytes>,
}

/// Addresses that the peer removed, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct GoneAddresses(pub(crate) VecDeque<IpAddr>);

/// An unanswered request.
#[derive(Clone, Debug)]
pub(crate) struct OutstandingChange {
    pub(crate) serial: u32,
    pub(crate) change: AddressChange,
    /// The encoded chunk.
    pub(crate) chunk: Bytes,
    pub(crate) path: PathIndex,
    /// Number of retransmissions.
    pub(crate) repeats: u32,
}

impl OutstandingChange {
    /// Whether the request leaves from the address that it adds. Repeats alternate between the `paths`,
    /// so the source changes once each path had its turn: every path is tried from both addresses.
    fn is_turn_of_new(&self, paths: u32) -> bool {
        self.repeats / paths.max(1) % 2 == 1
    }
}

/// Whether the peer supports requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AsconfSupport {
    Open,
    /// The peer reported the chunk type as unknown.
    Refused,
}

/// Position of a peer's request in its sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AsconfSequence {
    /// The expected request.
    Next,
    /// The last request again, with the answer sent to it.
    Repeated(Bytes),
    /// Any other request, which is ignored.
    OutOfOrder,
}

impl AddressDialogue {
    /// Serial numbers start at the initial TSNs.
    pub(crate) const fn new(ours: u32, theirs: u32) -> Self {
        Self {
            next_serial: ours,
            waiting: VecDeque::new(),
            outstanding: None,
            standing: AsconfSupport::Open,
            due: theirs,
            answer: None,
        }
    }

    pub(crate) fn enqueue(&mut self, change: AddressChange) -> Result<(), AddressChangeError> {
        if self.waiting.len() >= MAX_WAITING {
            return Err(AddressChangeError::Busy);
        }
        self.waiting.push_back(change);
        Ok(())
    }

    /// Whether the change is queued or outstanding.
    pub(crate) fn is_pending(&self, change: AddressChange) -> bool {
        let outstanding = self.outstanding.as_ref().map(|sent| sent.change);
        outstanding == Some(change) || self.waiting.contains(&change)
    }

    /// Classifies a peer's request by its serial number (RFC 5061 §5.2).
    pub(crate) fn classify(&self, serial: u32) -> AsconfSequence {
        if serial == self.due {
            return AsconfSequence::Next;
        }
        match &self.answer {
            Some(answer) if serial == self.due.wrapping_sub(1) => {
                AsconfSequence::Repeated(answer.clone())
            }
            _ => AsconfSequence::OutOfOrder,
        }
    }
}

#[cfg(test)]
mod tests;
