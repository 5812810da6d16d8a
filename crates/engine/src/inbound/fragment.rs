use bytes::Bytes;
use sheave_wire::{Data, DataFlags, Ppid, Ssn, StreamId};

use crate::value::ids::PathIndex;
use crate::{Delivery, Message, Origin, Part, Received};

/// A DATA chunk during reassembly: its label and its payload.
#[derive(Clone, Debug)]
pub(super) struct Fragment<'a> {
    pub(super) label: Label,
    pub(super) origin: Origin,
    pub(super) part: Part,
    pub(super) payload: Payload<'a>,
}

/// The message that a chunk belongs to, as its header describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) stream: StreamId,
    pub(super) ssn: Ssn,
    pub(super) ppid: Ppid,
    pub(super) delivery: Delivery,
}

/// The payload of a chunk, borrowed from the packet or owned.
#[derive(Clone, Debug)]
pub(super) enum Payload<'a> {
    Borrowed(&'a [u8]),
    Owned(Bytes),
}

impl<'a> Fragment<'a> {
    #[inline]
    pub(super) fn from_chunk(data: &Data<'a>, path: PathIndex) -> Self {
        let delivery = if data.flags.contains(DataFlags::UNORDERED) {
            Delivery::Unordered
        } else {
            Delivery::Ordered
        };
        // RFC 9260 §3.3.1: the B and E bits.
        let part = match (
            data.flags.contains(DataFlags::BEGINNING),
            data.flags.contains(DataFlags::ENDING),
        ) {
            (true, true) => Part::Whole,
            (true, false) => Part::First,
            (false, false) => Part::Middle,
            (false, true) => Part::Last,
        };
        Self {
            label: Label {
                stream: data.stream,
                ssn: data.ssn,
                ppid: data.ppid,
                delivery,
            },
            origin: Origin {
                tsn: data.tsn,
                ssn_or_mid: data.ssn.0.into(),
                path,
            },
            part,
            payload: Payload::Borrowed(data.payload),
        }
    }

    pub(super) fn into_owned(self) -> Fragment<'static> {
        Fragment {
            label: self.label,
            origin: self.origin,
            part: self.part,
            payload: Payload::Owned(self.payload.into_bytes()),
        }
    }

    /// Bytes of payload.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.payload.as_slice().len()
    }

    #[inline]
    pub(super) fn begins(&self) -> bool {
        matches!(self.part, Part::Whole | Part::First)
    }

    #[inline]
    pub(super) fn ends(&self) -> bool {
        matches!(self.part, Part::Whole | Part::Last)
    }
}

impl Label {
    /// Whether two chunks can belong to one message (RFC 9260 §6.9). The PPID is the first chunk's.
    #[inline]
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        self.stream == other.stream
            && self.delivery == other.delivery
            && (self.delivery == Delivery::Unordered || self.ssn == other.ssn)
    }

    #[inline]
    pub(super) fn received(self, origin: Origin, payload: Bytes, part: Part) -> Received {
        let message = Message {
            stream: self.stream,
            ppid: self.ppid,
            delivery: self.delivery,
            payload,
        };
        Received {
            message,
            part,
            origin,
        }
    }
}

impl Payload<'_> {
    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }

    /// Copies the payload; the only copy between packet and user.
    #[inline]
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Borrowed(bytes) => Bytes::copy_from_slice(bytes),
            Self::Owned(bytes) => bytes,
        }
    }
}
