use alloc::collections::VecDeque;
use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{Data, DataFlags, Ssn, StreamId, Tsn};

use super::queue::{Ticket, total};
use super::{Outgoing, Piece};
use crate::flight::sent::FragmentPosition;
use crate::value::ids::PathIndex;
use crate::{Acknowledgement, Delivery, Message, Redundancy};

/// A message sent at least in part and not fully acknowledged.
#[derive(Clone, Debug)]
pub(super) struct OutstandingMessage {
    outgoing: Outgoing,
    /// The SSN or MID.
    ssn_or_mid: u32,
    /// Bytes cut into chunks so far.
    fragmented: u32,
    /// Chunks cut so far.
    fragments: u32,
    /// Number of chunks that are still in the ring.
    chunks: u32,
    /// Number of these chunks whose bytes are still held.
    held: u32,
    /// For an abandoned message, the number of chunks neither acknowledged nor abandoned
    /// themselves.
    open: u32,
}

/// The part of an outstanding message that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// The whole message; the peer's user may have received it.
    Whole,
    /// A part; the peer cannot have received the whole message.
    Part,
}

impl OutstandingMessage {
    const fn new(outgoing: Outgoing, ssn_or_mid: u32) -> Self {
        Self {
            outgoing,
            ssn_or_mid,
            fragmented: 0,
            fragments: 0,
            chunks: 0,
            held: 0,
            open: 0,
        }
    }

    pub(super) const fn stream(&self) -> StreamId {
        self.outgoing.message.stream
    }

    pub(super) const fn ticket(&self) -> Ticket {
        self.outgoing.ticket
    }

    /// The path that the user chose.
    pub(super) const fn direction(&self) -> Option<PathIndex> {
        self.outgoing.direction
    }

    /// Whether the message leaves on every active path.
    pub(super) fn is_copied(&self) -> bool {
        self.outgoing.redundancy == Redundancy::EveryPath
    }

    pub(super) const fn message(&self) -> &Message {
        &self.outgoing.message
    }

    /// The SSN or MID.
    pub(super) const fn ssn_or_mid(&self) -> u32 {
        self.ssn_or_mid
    }

    /// Number of chunks that are still in the ring.
    pub(super) const fn chunks(&self) -> u32 {
        self.chunks
    }

    /// Whether the message was abandoned or has fully arrived; no other message is empty.
    pub(super) fn is_abandoned(&self) -> bool {
        self.outgoing.message.payload.is_empty()
    }

    /// Whether a chunk of this abandoned message may still arrive.
    pub(super) const fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Sets the number of chunks that may still arrive.
    pub(super) const fn set_open(&mut self, chunks: u32) {
        self.open = chunks;
    }

    /// A chunk was acknowledged, abandoned or removed.
    pub(super) const fn on_resolved(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// The peer reneged on a chunk.
    pub(super) fn on_reneged(&mut self) {
        self.open += u32::from(self.is_abandoned());
    }

    /// Abandons the message; bytes never cut into chunks count as one more chunk. Returns the
    /// message in its previous state and the number of those bytes.
    pub(super) fn abandon(&mut self) -> (Outgoing, usize) {
        let unsent = self.rest();
        let outgoing = self.outgoing.clone();
        self.let_all_go();
        self.chunks += u32::from(unsent > 0);
        (outgoing, unsent)
    }

    #[inline]
    pub(super) fn rest(&self) -> usize {
        self.outgoing.message.payload.len() - self.fragmented as usize
    }

    /// Whether no chunk is left in the ring and no byte is left to be cut.
    fn is_done(&self) -> bool {
        self.chunks == 0 && self.rest() == 0
    }

    /// Whether a chunk is held for retransmission.
    pub(super) const fn is_held(&self) -> bool {
        self.held > 0
    }

    /// Whether nothing is left to send or retransmit.
    fn is_delivered(&self) -> bool {
        self.held == 0 && self.rest() == 0
    }

    /// Stops holding a chunk of `len` bytes. Returns the bytes of send buffer freed: none if the
    /// message was abandoned, which freed everything.
    pub(super) fn let_go(&mut self, len: u16) -> usize {
        let freed = self.count_off(len);
        if self.is_delivered() {
            self.let_all_go();
        }
        freed
    }

    /// Like [`let_go`](Self::let_go), but may keep holding a message without chunks.
    #[inline]
    fn count_off(&mut self, len: u16) -> usize {
        if self.held == 0 {
            return 0;
        }
        self.held -= 1;
        let overhead = if self.is_delivered() {
            Outgoing::overhead()
        } else {
            0
        };
        usize::from(len) + overhead
    }

    fn let_all_go(&mut self) {
        self.outgoing.message.payload = Bytes::new();
        (self.fragmented, self.held) = (0, 0);
    }

    /// Cuts off the next `len` bytes.
    #[inline]
    pub(super) fn fragment(&mut self, len: u16) -> FragmentPosition {
        let (offset, fsn) = (self.fragmented, self.fragments);
        self.fragmented += u32::from(len);
        self.fragments = self.fragments.wrapping_add(1);
        self.chunks += 1;
        self.held += 1;
        let mut flags = DataFlags::EMPTY;
        if offset == 0 {
            flags = flags.union(DataFlags::BEGINNING);
        }
        if self.rest() == 0 {
            flags = flags.union(DataFlags::ENDING);
        }
        FragmentPosition { offset, fsn, flags }
    }

    /// The fragment's `len` bytes as a chunk, with the fragment's flags and `extra`.
    #[inline]
    pub(super) fn piece(
        &self,
        tsn: Tsn,
        fragment: FragmentPosition,
        len: u16,
        extra: DataFlags,
    ) -> Option<Piece<'_>> {
        let message = &self.outgoing.message;
        let mut flags = fragment.flags.union(extra);
        if message.delivery == Delivery::Unordered {
            flags = flags.union(DataFlags::UNORDERED);
        }
        if fragment.flags.contains(DataFlags::ENDING) {
            flags = flags.union(immediate_flag(self.outgoing.acknowledgement));
        }
        let begin = fragment.offset as usize;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "where it is an SSN, it has 16 bits"
        )]
        let ssn = Ssn(self.ssn_or_mid as u16);
        let data = Data {
            flags,
            tsn,
            stream: message.stream,
            ssn,
            ppid: message.ppid,
            payload: message.payload.get(begin..begin + usize::from(len))?,
        };
        Some(Piece {
            data,
            mid: self.ssn_or_mid,
            fsn: fragment.fsn,
        })
    }
}

/// The numbered messages that outstanding chunks are slices of.
#[derive(Clone, Debug)]
pub(super) enum Messages {
    /// In the order in which they were begun, which is also the order in which they are
    /// acknowledged.
    Row {
        first: u32,
        row: VecDeque<OutstandingMessage>,
    },
    /// In any order; several messages may be partly cut.
    Shelf(Shelf),
}

/// Messages stored at fixed indices.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    places: Vec<Option<(u64, OutstandingMessage)>>,
    free: Vec<u32>,
    /// Position of the newest message.
    newest: u32,
    begun: u64,
}

impl Messages {
    pub(super) const IN_ROW: Self = Self::Row {
        first: 0,
        row: VecDeque::new(),
    };

    /// Allows several messages to be partly cut at a time.
    pub(super) fn interleave(&mut self) {
        if let Self::Row { .. } = self {
            *self = Self::Shelf(Shelf::default());
        }
    }

    #[inline]
    pub(super) fn begin(
        &mut self,
        outgoing: Outgoing,
        ssn_or_mid: u32,
        len: u16,
    ) -> (u32, FragmentPosition) {
        let mut outstanding = OutstandingMessage::new(outgoing, ssn_or_mid);
        // Before the message is stored: changing freshly written memory is slow.
        let fragment = outstanding.fragment(len);
        let message = match self {
            Self::Row { first, row } => {
                row.push_back(outstanding);
                // There are at most as many messages as chunks, fewer than 2^16.
                first.wrapping_add(u32::try_from(row.len() - 1).unwrap_or(u32::MAX))
            }
            Self::Shelf(shelf) => shelf.put(outstanding),
        };
        (message, fragment)
    }

    #[inline]
    pub(super) fn get(&self, message: u32) -> Option<&OutstandingMessage> {
        match self {
            Self::Row { first, row } => row.get(message.wrapping_sub(*first) as usize),
            Self::Shelf(shelf) => shelf.get(message),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, message: u32) -> Option<&mut OutstandingMessage> {
        match self {
            Self::Row { first, row } => row.get_mut(message.wrapping_sub(*first) as usize),
            Self::Shelf(shelf) => {
                let place = shelf.places.get_mut(message as usize)?;
                place.as_mut().map(|(_, outstanding)| outstanding)
            }
        }
    }

    /// The newest message and its bytes not yet cut, if any.
    #[inline]
    pub(super) fn partial(&self) -> Option<(u32, usize)> {
        let (message, outstanding) = match self {
            Self::Row { first, row } => {
                let last = u32::try_from(row.len()).ok()?.wrapping_sub(1);
                (first.wrapping_add(last), row.back()?)
            }
            Self::Shelf(shelf) => (shelf.newest, shelf.get(shelf.newest)?),
        };
        let rest = outstanding.rest();
        (rest > 0).then_some((message, rest))
    }

    /// A chunk of the message, the oldest chunk of all, is acknowledged; `held` is its length if
    /// its bytes are still held. Returns the bytes of send buffer freed, and the message's ticket
    /// if the chunk was its last.
    #[inline]
    pub(super) fn release(&mut self, message: u32, held: Option<u16>) -> (usize, Ticket) {
        let Some(outstanding) = self.get_mut(message) else {
            return (0, Ticket::NONE);
        };
        let freed = held.map_or(0, |len| outstanding.count_off(len));
        let ticket = outstanding.ticket();
        outstanding.chunks -= 1;
        if !outstanding.is_done() {
            if outstanding.is_delivered() {
                outstanding.let_all_go();
            }
            return (freed, Ticket::NONE);
        }
        match self {
            Self::Row { first, row } => {
                row.pop_front();
                *first = first.wrapping_add(1);
            }
            Self::Shelf(shelf) => shelf.clear(message),
        }
        (freed, ticket)
    }

    /// The messages, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &OutstandingMessage> {
        let (row, shelf) = match self {
            Self::Row { row, .. } => (Some(row), None),
            Self::Shelf(shelf) => (None, Some(&shelf.places)),
        };
        let shelf = shelf.into_iter().flatten().flatten();
        let shelf = shelf.map(|(_, outstanding)| outstanding);
        row.into_iter().flatten().chain(shelf)
    }

    /// Number of messages.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Row { row, .. } => row.len(),
            Self::Shelf(shelf) => shelf.places.len() - shelf.free.len(),
        }
    }

    /// The charge of the stream's messages at their original length, counted from the newest until
    /// it exceeds `most`.
    pub(super) fn charge_on(&self, stream: StreamId, most: usize) -> usize {
        let is_on = |one: &&OutstandingMessage| one.stream() == stream && !one.is_abandoned();
        match self {
            Self::Row { row, .. } => {
                let newest_first = row.iter().rev().filter(is_on);
                total(newest_first.map(|one| &one.outgoing), most)
            }
            Self::Shelf(shelf) => {
                let all = shelf.places.iter().flatten().map(|(_, one)| one);
                total(all.filter(is_on).map(|one| &one.outgoing), most)
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Row { row, .. } => row.is_empty(),
            Self::Shelf(shelf) => shelf.free.len() == shelf.places.len(),
        }
    }

    /// Bytes on the heap, excluding user data.
    pub(super) fn footprint(&self) -> usize {
        match self {
            Self::Row { row, .. } => row.capacity() * size_of::<OutstandingMessage>(),
            Self::Shelf(shelf) => {
                shelf.places.capacity() * size_of::<Option<(u64, OutstandingMessage)>>()
                    + shelf.free.capacity() * size_of::<u32>()
            }
        }
    }

    /// Undelivered messages that were not abandoned, in the order in which they were begun, with
    /// how much of each was sent.
    pub(super) fn into_outgoing(self) -> impl Iterator<Item = (Outgoing, Extent)> {
        let (row, mut shelf) = match self {
            Self::Row { row, .. } => (row, Vec::new()),
            Self::Shelf(shelf) => (VecDeque::new(), shelf.places),
        };
        shelf.sort_by_key(|place| place.as_ref().map(|(begun, _)| *begun));
        let shelf = shelf
            .into_iter()
            .flatten()
            .map(|(_, outstanding)| outstanding);
        let all = row.into_iter().chain(shelf);
        let lost = all.filter(|outstanding| !outstanding.is_delivered());
        lost.map(|outstanding| {
            let extent = if outstanding.rest() == 0 {
                Extent::Whole
            } else {
                Extent::Part
            };
            (outstanding.outgoing, extent)
        })
    }
}

impl Shelf {
    fn get(&self, message: u32) -> Option<&OutstandingMessage> {
        let place = self.places.get(message as usize)?.as_ref();
        place.map(|(_, outstanding)| outstanding)
    }

    fn put(&mut self, outstanding: OutstandingMessage) -> u32 {
        self.begun += 1;
        let begun = Some((self.begun, outstanding));
        self.newest = if let Some(free) = self.free.pop() {
            if let Some(place) = self.places.get_mut(free as usize) {
                *place = begun;
            }
            free
        } else {
            self.places.push(begun);
            u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
        };
        self.newest
    }

    fn clear(&mut self, message: u32) {
        if let Some(place) = self.places.get_mut(message as usize) {
            *place = None;
            self.free.push(message);
        }
    }
}

/// The I bit for a message's last chunk, if the user asked for it (RFC 9260 §3.3.1).
pub(super) const fn immediate_flag(acknowledgement: Acknowledgement) -> DataFlags {
    match acknowledgement {
        Acknowledgement::Delayed => DataFlags::EMPTY,
        Acknowledgement::Immediate => DataFlags::IMMEDIATE,
    }
}
