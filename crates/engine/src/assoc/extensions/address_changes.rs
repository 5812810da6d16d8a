//! Addresses that come and go while an association lives (RFC 5061).

pub(crate) mod following;
pub(crate) mod heard;
mod peer;
mod requests;

use alloc::collections::VecDeque;
use core::net::IpAddr;

use bytes::Bytes;

use crate::value::ids::PathIndex;
use crate::{AddressChange, AddressChangeError};

/// Changes that wait at most.
const MAX_WAITING: usize = 16;

/// The requests of both ends of one association.
#[derive(Clone, Debug)]
pub(crate) struct AddressDialogue {
    /// The serial number of our next request; the first is our initial TSN (RFC 5061 §5.1, A2).
    pub(crate) next_serial: u32,
    pub(crate) waiting: VecDeque<AddressChange>,
    /// There is one at most (RFC 5061 §5.1.1, C1).
    pub(crate) outstanding: Option<OutstandingChange>,
    pub(crate) standing: AsconfSupport,
    /// The serial number of the peer's next request.
    pub(crate) due: u32,
    /// The answer to its last one, which it may not have got.
    pub(crate) answer: Option<Bytes>,
}

/// Addresses that the peer has no more, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct GoneAddresses(pub(crate) VecDeque<IpAddr>);

/// A request that is not answered yet.
#[derive(Clone, Debug)]
pub(crate) struct OutstandingChange {
    pub(crate) serial: u32,
    pub(crate) change: AddressChange,
    /// The whole chunk.
    pub(crate) chunk: Bytes,
    pub(crate) path: PathIndex,
    /// Number of retransmissions.
    pub(crate) repeats: u32,
}

/// Whether the peer takes requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AsconfSupport {
    Open,
    /// The peer has said that it does not know the chunk.
    Refused,
}

/// The position of a peer's request in the sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AsconfSequence {
    /// The one that is due.
    Next,
    /// The last one again: this was the answer.
    Repeated(Bytes),
    /// Neither: it is passed over.
    OutOfOrder,
}

impl AddressDialogue {
    /// Numbers begin with the initial TSNs.
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

    /// Whether that change is under way.
    pub(crate) fn is_pending(&self, change: AddressChange) -> bool {
        let outstanding = self.outstanding.as_ref().map(|sent| sent.change);
        outstanding == Some(change) || self.waiting.contains(&change)
    }

    /// Classifies a request of the peer by its serial number (RFC 5061 §5.2).
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
