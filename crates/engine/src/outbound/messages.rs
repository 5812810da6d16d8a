use alloc::collections::VecDeque;
use alloc::vec::Vec;

use bytes::Bytes;
use sheave_wire::{Data, DataFlags, Ssn, StreamId, Tsn};

use super::queue::Ticket;
use super::{Outgoing, Piece, immediate_flag};
use crate::{Delivery, Message};

/// A message that is partly or wholly sent and not wholly acknowledged.
#[derive(Debug)]
pub(super) struct Flying {
    outgoing: Outgoing,
    /// Its SSN or MID.
    ordinal: u32,
    /// Bytes cut into chunks so far.
    cut: u32,
    /// Chunks cut so far.
    fragments: u32,
    /// Its chunks that are still in the ring.
    chunks: u32,
    /// Those of them of which something is held.
    held: u32,
}

/// Where in its message a chunk stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// Where it begins, bytes.
    pub(super) offset: u32,
    /// How many chunks come before it.
    pub(super) fsn: u32,
    /// Beginning and ending bits.
    pub(super) flags: DataFlags,
}

impl Flying {
    const fn new(outgoing: Outgoing, ordinal: u32) -> Self {
        Self {
            outgoing,
            ordinal,
            cut: 0,
            fragments: 0,
            chunks: 0,
            held: 0,
        }
    }

    pub(super) const fn stream(&self) -> StreamId {
        self.outgoing.message.stream
    }

    pub(super) const fn ticket(&self) -> Ticket {
        self.outgoing.ticket
    }

    pub(super) const fn message(&self) -> &Message {
        &self.outgoing.message
    }

    /// Its SSN or MID.
    pub(super) const fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Its chunks that are still in the ring.
    pub(super) const fn chunks(&self) -> u32 {
        self.chunks
    }

    /// Whether it was given up, or has arrived whole: no other message is empty.
    pub(super) fn is_abandoned(&self) -> bool {
        self.outgoing.message.payload.is_empty()
    }

    /// Gives it up; its bytes that were never cut count as one chunk more. Returns it as it was, and
    /// how many these are.
    pub(super) fn abandon(&mut self) -> (Outgoing, usize) {
        let unsent = self.rest();
        let outgoing = self.outgoing.clone();
        self.let_all_go();
        self.chunks += u32::from(unsent > 0);
        (outgoing, unsent)
    }

    #[inline]
    pub(super) fn rest(&self) -> usize {
        self.outgoing.message.payload.len() - self.cut as usize
    }

    /// Whether nothing is left of it in the ring, nor to be cut.
    fn is_done(&self) -> bool {
        self.chunks == 0 && self.rest() == 0
    }

    /// Whether nothing is left to be sent or sent again.
    fn is_delivered(&self) -> bool {
        self.held == 0 && self.rest() == 0
    }

    /// A chunk of that many bytes need not be held any more. Returns the bytes of send buffer that
    /// this frees: none if the message was given up, which freed all of it.
    pub(super) fn let_go(&mut self, len: u16) -> usize {
        let freed = self.count_off(len);
        if self.is_delivered() {
            self.let_all_go();
        }
        freed
    }

    /// As [`let_go`](Self::let_go), but what nothing is left of may still be held.
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
        (self.cut, self.held) = (0, 0);
    }

    /// Cuts the next `len` bytes off.
    #[inline]
    pub(super) fn cut(&mut self, len: u16) -> Cut {
        let (offset, fsn) = (self.cut, self.fragments);
        self.cut += u32::from(len);
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
        Cut { offset, fsn, flags }
    }

    /// The `len` bytes at a place as a chunk with the flags of the place, and others.
    #[inline]
    pub(super) fn piece(
        &self,
        tsn: Tsn,
        place: Cut,
        len: u16,
        extra: DataFlags,
    ) -> Option<Piece<'_>> {
        let message = &self.outgoing.message;
        let mut flags = place.flags.union(extra);
        if message.delivery == Delivery::Unordered {
            flags = flags.union(DataFlags::UNORDERED);
        }
        if place.flags.contains(DataFlags::ENDING) {
            flags = flags.union(immediate_flag(self.outgoing.acknowledgement));
        }
        let begin = place.offset as usize;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "where it is an SSN, it has 16 bits"
        )]
        let ssn = Ssn(self.ordinal as u16);
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
            mid: self.ordinal,
            fsn: place.fsn,
        })
    }
}

/// The messages that outstanding chunks are slices of, numbered.
#[derive(Debug)]
pub(super) enum Messages {
    /// In the order in which they begin, which is that in which they are acknowledged.
    Row { first: u32, row: VecDeque<Flying> },
    /// In any order: several are partly cut.
    Shelf(Shelf),
}

/// Messages, each in a place whose number it keeps.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    places: Vec<Option<(u64, Flying)>>,
    free: Vec<u32>,
    /// Where the newest was put.
    newest: u32,
    begun: u64,
}

impl Messages {
    pub(super) const IN_ROW: Self = Self::Row {
        first: 0,
        row: VecDeque::new(),
    };

    /// Lets several be partly cut, if that is not so already.
    pub(super) fn interleave(&mut self) {
        if let Self::Row { .. } = self {
            *self = Self::Shelf(Shelf::default());
        }
    }

    #[inline]
    pub(super) fn begin(&mut self, outgoing: Outgoing, ordinal: u32, len: u16) -> (u32, Cut) {
        let mut flying = Flying::new(outgoing, ordinal);
        // Before it is put away: what was just written is slow to change.
        let cut = flying.cut(len);
        let message = match self {
            Self::Row { first, row } => {
                row.push_back(flying);
                // Never more than chunks, which are below 2^16.
                first.wrapping_add(u32::try_from(row.len() - 1).unwrap_or(u32::MAX))
            }
            Self::Shelf(shelf) => shelf.put(flying),
        };
        (message, cut)
    }

    #[inline]
    pub(super) fn get(&self, message: u32) -> Option<&Flying> {
        match self {
            Self::Row { first, row } => row.get(message.wrapping_sub(*first) as usize),
            Self::Shelf(shelf) => shelf.get(message),
        }
    }

    #[inline]
    pub(super) fn get_mut(&mut self, message: u32) -> Option<&mut Flying> {
        match self {
            Self::Row { first, row } => row.get_mut(message.wrapping_sub(*first) as usize),
            Self::Shelf(shelf) => {
                let place = shelf.places.get_mut(message as usize)?;
                place.as_mut().map(|(_, flying)| flying)
            }
        }
    }

    /// The newest, and its bytes that are still to be cut, if any.
    #[inline]
    pub(super) fn partial(&self) -> Option<(u32, usize)> {
        let (message, flying) = match self {
            Self::Row { first, row } => {
                let last = u32::try_from(row.len()).ok()?.wrapping_sub(1);
                (first.wrapping_add(last), row.back()?)
            }
            Self::Shelf(shelf) => (shelf.newest, shelf.get(shelf.newest)?),
        };
        let rest = flying.rest();
        (rest > 0).then_some((message, rest))
    }

    /// A chunk of that message is acknowledged; of all, the oldest. `held`: its bytes, if they still
    /// are. Returns the bytes of send buffer that this frees, and the ticket of the message if it
    /// was the last one.
    #[inline]
    pub(super) fn release(&mut self, message: u32, held: Option<u16>) -> (usize, Ticket) {
        let Some(flying) = self.get_mut(message) else {
            return (0, Ticket::NONE);
        };
        let freed = held.map_or(0, |len| flying.count_off(len));
        let ticket = flying.ticket();
        flying.chunks -= 1;
        if !flying.is_done() {
            if flying.is_delivered() {
                flying.let_all_go();
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

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Row { row, .. } => row.is_empty(),
            Self::Shelf(shelf) => shelf.free.len() == shelf.places.len(),
        }
    }

    /// Bytes on the heap, user data not counted.
    pub(super) fn footprint(&self) -> usize {
        match self {
            Self::Row { row, .. } => row.capacity() * size_of::<Flying>(),
            Self::Shelf(shelf) => {
                shelf.places.capacity() * size_of::<Option<(u64, Flying)>>()
                    + shelf.free.capacity() * size_of::<u32>()
            }
        }
    }

    /// Those that neither arrived whole nor were given up, in the order in which they were begun.
    pub(super) fn into_outgoing(self) -> impl Iterator<Item = Outgoing> {
        let (row, mut shelf) = match self {
            Self::Row { row, .. } => (row, Vec::new()),
            Self::Shelf(shelf) => (VecDeque::new(), shelf.places),
        };
        shelf.sort_by_key(|place| place.as_ref().map(|(begun, _)| *begun));
        let shelf = shelf.into_iter().flatten().map(|(_, flying)| flying);
        let all = row.into_iter().chain(shelf);
        let lost = all.filter(|flying| !flying.is_delivered());
        lost.map(|flying| flying.outgoing)
    }
}

impl Shelf {
    fn get(&self, message: u32) -> Option<&Flying> {
        let place = self.places.get(message as usize)?.as_ref();
        place.map(|(_, flying)| flying)
    }

    fn put(&mut self, flying: Flying) -> u32 {
        self.begun += 1;
        let begun = Some((self.begun, flying));
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
