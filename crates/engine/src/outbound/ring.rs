mod given_up;

use alloc::collections::{BTreeSet, VecDeque};

use sheave_wire::{Data, DataFlags, StreamId, Tsn};

use super::messages::{Cut, Messages};
use super::queue::Ticket;
use super::{Flow, Outgoing, Piece, Slot};
use crate::Time;
use crate::error::PeerFault;
use crate::on_demand::{Blank, OnDemand};
use crate::path::PathIndex;

/// Where an outstanding chunk stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkState {
    /// On its way.
    InFlight,
    /// To be sent again, after a timeout.
    Marked,
    /// To be sent again, since SACKs showed it to be lost.
    MarkedFast,
    /// Reported by a gap block.
    Acked,
    /// Reported by one as never to be dropped: nothing is held of it.
    Released,
    /// Given up, to be skipped by the peer (RFC 3758 §3.5).
    Abandoned,
}

/// One outstanding DATA chunk: a slice of a flying message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Which message, counted as the ring counts them.
    message: u32,
    /// Where in the message it begins, bytes.
    offset: u32,
    /// How many chunks of the message come before it.
    fsn: u32,
    /// User bytes.
    pub(crate) len: u16,
    /// Beginning and ending bits.
    flags: DataFlags,
    pub(crate) state: ChunkState,
    /// The path that it was last sent on: what is credited when it is acknowledged, even where it
    /// is marked to go elsewhere (RFC 9260 §8.2).
    pub(crate) path: PathIndex,
    /// The path that it goes to if it is marked.
    pub(crate) next_path: PathIndex,
    /// Whether it may still be fast retransmitted.
    fast: FastRetransmit,
    /// How often it was sent again, up to 255.
    pub(crate) retransmissions: u8,
    /// When it was last sent.
    pub(crate) sent_at: Time,
}

/// A chunk is fast retransmitted once; after that only T3-rtx repairs it (RFC 9260 §7.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FastRetransmit {
    Eligible,
    Spent,
}

impl Sent {
    /// Where in its message it stands.
    const fn place(&self) -> Cut {
        Cut {
            offset: self.offset,
            fsn: self.fsn,
            flags: self.flags,
        }
    }

    /// Bytes of the chunk without padding.
    pub(crate) const fn wire_len_unpadded(&self) -> usize {
        Data::HEADER_LEN + self.len as usize
    }

    /// Bytes of the chunk with padding, as congestion control counts them.
    pub(crate) const fn wire_len(&self) -> u64 {
        wire_len(self.len as usize)
    }

    pub(crate) fn is_fast_eligible(&self) -> bool {
        self.fast == FastRetransmit::Eligible
    }

    /// It was sent once so far.
    pub(crate) const fn is_first_transmission(&self) -> bool {
        self.retransmissions == 0
    }

    pub(crate) const fn is_acked(&self) -> bool {
        matches!(self.state, ChunkState::Acked | ChunkState::Released)
    }

    const fn is_marked(&self) -> bool {
        matches!(self.state, ChunkState::Marked | ChunkState::MarkedFast)
    }
}

/// Bytes of a chunk with `len` user bytes, padding included.
#[inline]
pub(crate) const fn wire_len(len: usize) -> u64 {
    ((Data::HEADER_LEN + len) as u64).next_multiple_of(4)
}

/// The outstanding chunks, indexed by TSN, and the messages that they are slices of.
///
/// Chunks are counted from 0 (`seq`), which is easier to compare than TSNs that wrap.
#[derive(Debug)]
pub(crate) struct Ring {
    initial_tsn: Tsn,
    first_seq: u64,
    order: Order,
    flight: OnDemand<Flight>,
}

/// How messages follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// One ends before the next begins.
    InRow,
    /// Several may be partly cut (RFC 8260).
    Interleaved,
}

/// What is outstanding.
#[derive(Debug)]
struct Flight {
    chunks: VecDeque<Sent>,
    messages: Messages,
    marked: BTreeSet<u64>,
    /// User bytes of chunks in flight.
    bytes_in_flight: u32,
}

impl Flight {
    const fn new() -> Self {
        Self {
            chunks: VecDeque::new(),
            messages: Messages::IN_ROW,
            marked: BTreeSet::new(),
            bytes_in_flight: 0,
        }
    }
}

impl Blank for Flight {
    #[inline]
    fn blank() -> &'static Self {
        const NONE: &Flight = &Flight::new();
        NONE
    }

    fn fresh() -> Self {
        Self::new()
    }
}

impl Ring {
    pub(crate) const fn new(initial_tsn: Tsn) -> Self {
        Self {
            initial_tsn,
            first_seq: 0,
            order: Order::InRow,
            flight: OnDemand::NONE,
        }
    }

    /// From now on several messages may be partly cut; none is.
    pub(crate) const fn interleave(&mut self) {
        self.order = Order::Interleaved;
    }

    pub(crate) const fn initial_tsn(&self) -> Tsn {
        self.initial_tsn
    }

    /// The oldest chunk that is not cumulatively acknowledged.
    pub(crate) const fn first_seq(&self) -> u64 {
        self.first_seq
    }

    /// The chunk that will be cut next.
    pub(crate) fn next_seq(&self) -> u64 {
        self.first_seq + self.flight.chunks.len() as u64
    }

    pub(crate) fn len(&self) -> usize {
        self.flight.chunks.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.flight.chunks.is_empty()
    }

    pub(crate) fn bytes_in_flight(&self) -> u32 {
        self.flight.bytes_in_flight
    }

    pub(crate) fn get(&self, seq: u64) -> Option<&Sent> {
        self.flight
            .chunks
            .get(usize::try_from(seq.checked_sub(self.first_seq)?).ok()?)
    }

    fn get_mut(&mut self, seq: u64) -> Option<&mut Sent> {
        let index = usize::try_from(seq.checked_sub(self.first_seq)?).ok()?;
        self.flight.existing()?.chunks.get_mut(index)
    }

    pub(crate) fn first_marked_seq(&self) -> Option<u64> {
        self.flight.marked.first().copied()
    }

    /// The oldest marked chunk that is to go to that path.
    pub(crate) fn first_marked_onto(&self, path: PathIndex) -> Option<u64> {
        self.find_marked(|chunk| chunk.next_path == path)
    }

    /// The oldest marked chunk that was last sent on that path.
    pub(crate) fn first_marked_from(&self, path: PathIndex) -> Option<u64> {
        self.find_marked(|chunk| chunk.path == path)
    }

    fn find_marked(&self, wanted: impl Fn(&Sent) -> bool) -> Option<u64> {
        let mut marked = self.flight.marked.iter().copied();
        marked.find(|seq| self.get(*seq).is_some_and(&wanted))
    }

    pub(crate) fn first_marked(&self) -> Option<&Sent> {
        self.get(self.first_marked_seq()?)
    }

    /// By how many chunks `cumulative_tsn_ack` moves the Cumulative TSN Ack Point; `None` if it
    /// lies behind it.
    pub(crate) fn cumulative_advance(
        &self,
        cumulative_tsn_ack: Tsn,
    ) -> Result<Option<u64>, PeerFault> {
        let point = self.tsn(self.first_seq).prev();
        if cumulative_tsn_ack.is_before(point) {
            return Ok(None);
        }
        let advance = u64::from(cumulative_tsn_ack.distance_from(point));
        if advance > self.flight.chunks.len() as u64 {
            return Err(PeerFault::violation(
                "acknowledged a TSN that was never sent",
            ));
        }
        Ok(Some(advance))
    }

    /// The newest message, and its bytes that are still to be cut, if any.
    #[inline]
    pub(crate) fn partial(&self) -> Option<(u32, usize)> {
        self.flight.messages.partial()
    }

    /// The stream of the newest message, if that is partly cut.
    pub(crate) fn partial_stream(&self) -> Option<StreamId> {
        let (message, _) = self.partial()?;
        Some(self.flight.messages.get(message)?.stream())
    }

    /// The TSN of the chunk that will be cut next.
    pub(crate) fn next_tsn(&self) -> Tsn {
        self.tsn(self.next_seq())
    }

    /// Gives the chunk that will be cut next that TSN; nothing must be outstanding.
    pub(crate) fn rebase(&mut self, next: Tsn) {
        let offset = next.distance_from(self.next_tsn());
        self.initial_tsn = self.initial_tsn.plus(offset);
    }

    /// Takes a message in, whose first `len` bytes are cut off; it is an SSN or MID on the wire.
    /// Returns its number.
    #[inline]
    pub(crate) fn begin(&mut self, outgoing: Outgoing, ordinal: u32, len: u16) -> (u32, Cut) {
        let messages = &mut self.flight.messages;
        if self.order == Order::Interleaved {
            messages.interleave();
        }
        messages.begin(outgoing, ordinal, len)
    }

    /// Cuts the next `len` bytes of a message off that was begun.
    #[inline]
    pub(crate) fn cut(&mut self, message: u32, len: u16) -> Option<Cut> {
        Some(self.flight.messages.get_mut(message)?.cut(len))
    }

    /// Makes what was just cut off a message a chunk, and gives it as it goes on the wire.
    #[inline]
    pub(crate) fn launch(
        &mut self,
        message: u32,
        cut: Cut,
        len: u16,
        slot: Slot,
    ) -> Option<Piece<'_>> {
        let tsn = self.tsn(self.next_seq());
        let flight = &mut *self.flight;
        flight.bytes_in_flight += u32::from(len);
        flight.chunks.push_back(Sent {
            message,
            offset: cut.offset,
            fsn: cut.fsn,
            len,
            flags: cut.flags,
            state: ChunkState::InFlight,
            path: slot.path,
            next_path: slot.path,
            fast: FastRetransmit::Eligible,
            retransmissions: 0,
            sent_at: slot.now,
        });
        let flying = flight.messages.get(message)?;
        flying.piece(tsn, cut, len, slot.flags)
    }

    /// The chunk as it goes on the wire.
    pub(crate) fn data(&self, seq: u64, extra: DataFlags) -> Option<Piece<'_>> {
        let chunk = self.get(seq)?;
        let flying = self.flight.messages.get(chunk.message)?;
        flying.piece(self.tsn(seq), chunk.place(), chunk.len, extra)
    }

    /// Takes the oldest chunk out, as cumulatively acknowledged. Returns it as it stood, the
    /// bytes of send buffer that it frees, and the ticket of a message that ends with it.
    #[inline(always)] // So that the chunk is looked at in registers.
    pub(crate) fn pop(&mut self) -> Option<(Sent, usize, Ticket)> {
        let flight = self.flight.existing()?;
        let chunk = flight.chunks.pop_front()?;
        match chunk.state {
            ChunkState::InFlight => flight.bytes_in_flight -= u32::from(chunk.len),
            ChunkState::Marked | ChunkState::MarkedFast => {
                flight.marked.remove(&self.first_seq);
            }
            ChunkState::Acked | ChunkState::Released | ChunkState::Abandoned => {}
        }
        self.first_seq += 1;
        let held = (chunk.state != ChunkState::Released).then_some(chunk.len);
        let (released, done) = flight.messages.release(chunk.message, held);
        Some((chunk, released, done))
    }

    /// Notes a gap report. Returns the chunk as it stood, if the report is news.
    pub(crate) fn acknowledge(&mut self, seq: u64) -> Option<Sent> {
        let chunk = self.get_mut(seq)?;
        let before = *chunk;
        if before.state == ChunkState::Abandoned {
            return None;
        }
        chunk.state = ChunkState::Acked;
        match before.state {
            ChunkState::Acked | ChunkState::Abandoned => return None,
            ChunkState::Released => {
                chunk.state = ChunkState::Released;
                return None;
            }
            ChunkState::InFlight => self.flight.bytes_in_flight -= u32::from(before.len),
            ChunkState::Marked | ChunkState::MarkedFast => {
                self.flight.marked.remove(&seq);
            }
        }
        Some(before)
    }

    /// The receiver will never drop a chunk that it has reported: nothing more is held of it. Returns
    /// the bytes of send buffer that this frees.
    pub(crate) fn release(&mut self, seq: u64) -> usize {
        let Some(chunk) = self.get_mut(seq) else {
            return 0;
        };
        if chunk.state != ChunkState::Acked {
            return 0;
        }
        chunk.state = ChunkState::Released;
        let (message, len) = (chunk.message, chunk.len);
        let flight = self.flight.existing();
        flight
            .and_then(|flight| flight.messages.get_mut(message))
            .map_or(0, |flying| flying.let_go(len))
    }

    /// The receiver has dropped a chunk that it had reported: it counts as in flight again.
    pub(crate) fn renege(&mut self, seq: u64) -> Option<Sent> {
        let chunk = self.get_mut(seq)?;
        if chunk.state != ChunkState::Acked {
            return None;
        }
        chunk.state = ChunkState::InFlight;
        let chunk = *chunk;
        self.flight.bytes_in_flight += u32::from(chunk.len);
        Some(chunk)
    }

    /// Marks a chunk in flight for retransmission on the path that it was sent on. Returns it as
    /// it stood.
    pub(crate) fn mark(&mut self, seq: u64, as_state: ChunkState) -> Option<Sent> {
        let chunk = self.get_mut(seq)?;
        if chunk.state != ChunkState::InFlight {
            return None;
        }
        let before = *chunk;
        chunk.state = as_state;
        chunk.next_path = chunk.path;
        if as_state == ChunkState::MarkedFast {
            chunk.fast = FastRetransmit::Spent;
        }
        self.flight.bytes_in_flight -= u32::from(before.len);
        self.flight.marked.insert(seq);
        Some(before)
    }

    /// Marks all that is in flight on `path` for retransmission on `onto`. Returns the user bytes
    /// marked.
    pub(crate) fn mark_path(&mut self, path: PathIndex, onto: PathIndex) -> u32 {
        let mut bytes = 0;
        let Some(flight) = self.flight.existing() else {
            return bytes;
        };
        for (seq, chunk) in (self.first_seq..).zip(flight.chunks.iter_mut()) {
            if chunk.path == path && chunk.state == ChunkState::InFlight {
                chunk.state = ChunkState::Marked;
                chunk.next_path = onto;
                bytes += u32::from(chunk.len);
                flight.marked.insert(seq);
            }
        }
        flight.bytes_in_flight -= bytes;
        bytes
    }

    /// The outstanding chunk of that TSN.
    pub(crate) fn seq_of(&self, tsn: Tsn) -> Option<u64> {
        let ahead = tsn.distance_from(self.tsn(self.first_seq));
        let seq = self.first_seq + u64::from(ahead);
        (seq < self.next_seq()).then_some(seq)
    }

    /// The number of the chunk of that TSN, outstanding or acknowledged; `None` if none was ever
    /// sent with it.
    pub(crate) fn sent_seq(&self, tsn: Tsn) -> Option<u64> {
        let next = self.next_seq();
        let behind = self.tsn(next).distance_from(tsn);
        (1..1 << 31)
            .contains(&behind)
            .then(|| next.checked_sub(u64::from(behind)))
            .flatten()
    }

    /// Sends a chunk that was marked because it was damaged to `onto`. Gap reports, in which it is
    /// missing, mean nothing from now on.
    pub(crate) fn redirect_damaged(&mut self, seq: u64, onto: PathIndex) {
        if let Some(chunk) = self.get_mut(seq)
            && chunk.is_marked()
        {
            chunk.next_path = onto;
            chunk.fast = FastRetransmit::Spent;
        }
    }

    /// Sends what was marked by gap reports and went by `from` to `onto`. Whether there is such a
    /// chunk.
    pub(crate) fn redirect_fast(&mut self, from: PathIndex, onto: PathIndex) -> bool {
        let Some(flight) = self.flight.existing() else {
            return false;
        };
        let mut any = false;
        for seq in &flight.marked {
            let index = usize::try_from(seq - self.first_seq).unwrap_or(usize::MAX);
            if let Some(chunk) = flight.chunks.get_mut(index)
                && chunk.state == ChunkState::MarkedFast
                && chunk.path == from
            {
                chunk.next_path = onto;
                any = true;
            }
        }
        any
    }

    pub(crate) fn redirect_marked(&mut self, from: PathIndex, onto: PathIndex) {
        let Some(flight) = self.flight.existing() else {
            return;
        };
        for seq in &flight.marked {
            let index = usize::try_from(seq - self.first_seq).unwrap_or(usize::MAX);
            if let Some(chunk) = flight.chunks.get_mut(index)
                && chunk.next_path == from
            {
                chunk.next_path = onto;
            }
        }
    }

    /// A marked chunk is in flight again.
    pub(crate) fn resend(&mut self, seq: u64, now: Time) {
        if self.flight.marked.is_empty() || !self.flight.marked.remove(&seq) {
            return;
        }
        if let Some(chunk) = self.get_mut(seq)
            && chunk.is_marked()
        {
            chunk.state = ChunkState::InFlight;
            chunk.path = chunk.next_path;
            chunk.retransmissions = chunk.retransmissions.saturating_add(1);
            chunk.sent_at = now;
            let len = chunk.len;
            self.flight.bytes_in_flight += u32::from(len);
        }
    }

    /// Moves the path's note of its oldest chunk in flight forward past all that is no longer.
    pub(crate) fn settle_earliest(&self, path: PathIndex, flow: &mut Flow) {
        let Some(noted) = flow.earliest() else { return };
        let start = noted.max(self.first_seq);
        let skip = usize::try_from(start - self.first_seq).unwrap_or(usize::MAX);
        let found = (start..)
            .zip(self.flight.chunks.iter().skip(skip))
            .find(|(_, chunk)| chunk.path == path && chunk.state == ChunkState::InFlight);
        flow.set_earliest(found.map(|(seq, _)| seq));
    }

    /// Gives back the room for what is outstanding, if nothing is.
    pub(crate) fn trim(&mut self) {
        if self.flight.chunks.is_empty() && self.flight.messages.is_empty() {
            self.flight.release();
        }
    }

    /// Bytes on the heap, user data not counted.
    pub(crate) fn footprint(&self) -> usize {
        self.flight.footprint()
            + self.flight.chunks.capacity() * size_of::<Sent>()
            + self.flight.messages.footprint()
    }

    pub(crate) fn into_flying(mut self) -> impl Iterator<Item = Outgoing> {
        let messages = self.flight.take().messages;
        messages.into_outgoing()
    }

    const fn tsn(&self, seq: u64) -> Tsn {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "TSNs wrap at 2^32 by definition"
        )]
        let steps = seq as u32;
        self.initial_tsn.plus(steps)
    }
}
