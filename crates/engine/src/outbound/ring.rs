mod given_up;

use alloc::collections::{BTreeSet, VecDeque};

use core::ops::Range;

use sheave_wire::{Data, DataFlags, Ssn, StreamId, Tsn};

use super::{Flow, Outgoing, Slot, immediate_flag};
use crate::error::PeerFault;
use crate::on_demand::{Blank, OnDemand};
use crate::path::PathIndex;
use crate::{Delivery, Time};

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

    const fn is_marked(&self) -> bool {
        matches!(self.state, ChunkState::Marked | ChunkState::MarkedFast)
    }
}

/// Bytes of a chunk with `len` user bytes, padding included.
#[inline]
pub(crate) const fn wire_len(len: usize) -> u64 {
    ((Data::HEADER_LEN + len) as u64).next_multiple_of(4)
}

/// A message that is partly or wholly sent and not wholly acknowledged.
#[derive(Debug)]
pub(crate) struct Flying {
    outgoing: Outgoing,
    ssn: u16,
    /// Bytes cut into chunks so far.
    cut: usize,
    /// Its chunks that are still in the ring.
    chunks: u32,
}

impl Flying {
    #[inline]
    fn rest(&self) -> usize {
        self.outgoing.message.payload.len() - self.cut
    }

    /// The bytes in `range` as a chunk with the flags of its place, `place`, and others.
    #[inline]
    fn data(
        &self,
        tsn: Tsn,
        range: Range<usize>,
        place: DataFlags,
        extra: DataFlags,
    ) -> Option<Data<'_>> {
        let message = &self.outgoing.message;
        let mut flags = place.union(extra);
        if message.delivery == Delivery::Unordered {
            flags = flags.union(DataFlags::UNORDERED);
        }
        if place.contains(DataFlags::ENDING) {
            flags = flags.union(immediate_flag(self.outgoing.acknowledgement));
        }
        Some(Data {
            flags,
            tsn,
            stream: message.stream,
            ssn: Ssn(self.ssn),
            ppid: message.ppid,
            payload: message.payload.get(range)?,
        })
    }
}

/// The outstanding chunks, indexed by TSN, and the messages that they are slices of.
///
/// Chunks are counted from 0 (`seq`), which is easier to compare than TSNs that wrap.
#[derive(Debug)]
pub(crate) struct Ring {
    initial_tsn: Tsn,
    first_seq: u64,
    flight: OnDemand<Flight>,
}

/// What is outstanding.
#[derive(Debug)]
struct Flight {
    chunks: VecDeque<Sent>,
    first_message: u32,
    messages: VecDeque<Flying>,
    marked: BTreeSet<u64>,
    /// User bytes of chunks in flight.
    bytes_in_flight: u32,
}

impl Flight {
    const fn new() -> Self {
        Self {
            chunks: VecDeque::new(),
            first_message: 0,
            messages: VecDeque::new(),
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
            flight: OnDemand::NONE,
        }
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

    /// Bytes of the newest message that are still to be cut, if any.
    #[inline]
    pub(crate) fn partial_rest(&self) -> Option<usize> {
        self.flight
            .messages
            .back()
            .map(Flying::rest)
            .filter(|rest| *rest > 0)
    }

    /// The stream of the message that is partly cut, if one is.
    pub(crate) fn partial_stream(&self) -> Option<StreamId> {
        let newest = self.flight.messages.back()?;
        (newest.rest() > 0).then_some(newest.outgoing.message.stream)
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

    /// Makes `outgoing` the message that is cut next.
    #[inline]
    pub(crate) fn begin(&mut self, outgoing: Outgoing, ssn: u16) {
        self.flight.messages.push_back(Flying {
            outgoing,
            ssn,
            cut: 0,
            chunks: 0,
        });
    }

    /// Cuts the next `len` bytes of the newest message into a chunk, and gives it as it goes on
    /// the wire.
    #[inline]
    pub(crate) fn cut(&mut self, len: usize, slot: Slot) -> Option<Data<'_>> {
        let tsn = self.tsn(self.next_seq());
        let flight = &mut *self.flight;
        let index = u32::try_from(flight.messages.len()).ok()?.checked_sub(1)?;
        let flying = flight.messages.back_mut()?;
        let begin = flying.cut;
        let offset = u32::try_from(begin).ok()?;
        let short_len = u16::try_from(len).ok()?;
        flying.cut += len;
        flying.chunks += 1;
        let mut flags = DataFlags::EMPTY;
        if begin == 0 {
            flags = flags.union(DataFlags::BEGINNING);
        }
        if flying.rest() == 0 {
            flags = flags.union(DataFlags::ENDING);
        }
        flight.bytes_in_flight += u32::from(short_len);
        flight.chunks.push_back(Sent {
            message: flight.first_message.wrapping_add(index),
            offset,
            len: short_len,
            flags,
            state: ChunkState::InFlight,
            path: slot.path,
            next_path: slot.path,
            fast: FastRetransmit::Eligible,
            retransmissions: 0,
            sent_at: slot.now,
        });
        flying.data(tsn, begin..begin + len, flags, slot.flags)
    }

    /// The chunk as it goes on the wire.
    pub(crate) fn data(&self, seq: u64, extra: DataFlags) -> Option<Data<'_>> {
        let chunk = self.get(seq)?;
        let index = chunk.message.wrapping_sub(self.flight.first_message);
        let flying = self.flight.messages.get(index as usize)?;
        let begin = chunk.offset as usize;
        let range = begin..begin + usize::from(chunk.len);
        flying.data(self.tsn(seq), range, chunk.flags, extra)
    }

    /// Takes the oldest chunk out, as cumulatively acknowledged. Returns it as it stood, and the
    /// bytes of send buffer that it frees.
    pub(crate) fn pop(&mut self) -> Option<(Sent, usize)> {
        let flight = self.flight.existing()?;
        let chunk = flight.chunks.pop_front()?;
        match chunk.state {
            ChunkState::InFlight => flight.bytes_in_flight -= u32::from(chunk.len),
            ChunkState::Marked | ChunkState::MarkedFast => {
                flight.marked.remove(&self.first_seq);
            }
            ChunkState::Acked | ChunkState::Abandoned => {}
        }
        self.first_seq += 1;
        let mut released = usize::from(chunk.len);
        if let Some(flying) = flight.messages.front_mut() {
            flying.chunks -= 1;
            if flying.chunks == 0 && flying.rest() == 0 {
                released += Outgoing::overhead();
            }
            if flying.is_abandoned() {
                // All that it took was freed when it was given up.
                released = 0;
            }
            if flying.chunks == 0 && flying.rest() == 0 {
                flight.messages.pop_front();
                flight.first_message = flight.first_message.wrapping_add(1);
            }
        }
        Some((chunk, released))
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
            ChunkState::InFlight => self.flight.bytes_in_flight -= u32::from(before.len),
            ChunkState::Marked | ChunkState::MarkedFast => {
                self.flight.marked.remove(&seq);
            }
        }
        Some(before)
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
            + self.flight.messages.capacity() * size_of::<Flying>()
    }

    pub(crate) fn into_flying(mut self) -> impl Iterator<Item = Outgoing> {
        let messages = self.flight.take().messages;
        let unanswered = messages.into_iter().filter(|flying| !flying.is_abandoned());
        unanswered.map(|flying| flying.outgoing)
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
