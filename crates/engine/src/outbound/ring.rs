mod given_up;
mod marked;

use alloc::collections::{BTreeSet, VecDeque};

use sheave_wire::{DataFlags, StreamId, Tsn};

use super::messages::{Extent, Messages, OutstandingMessage};
use super::queue::Ticket;
use super::{Outgoing, Piece, Slot};
use crate::Time;
use crate::flight::flow::Flow;
use crate::flight::sent::{ChunkState, FastRetransmit, FragmentPosition, Sent};
use crate::on_demand::{Blank, OnDemand};
use crate::value::error::PeerFault;
use crate::value::ids::PathIndex;

/// The outstanding chunks, indexed by TSN, and the messages that they are slices of.
///
/// Chunks are counted from 0 (`seq`), which is easier to compare than TSNs that wrap.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    initial_tsn: Tsn,
    /// Whether TSNs may have begun anew: SACKs for those before may come yet.
    restarted: bool,
    first_seq: u64,
    order: MessageOrder,
    flight: OnDemand<Flight>,
}

/// The order of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageOrder {
    /// A message ends before the next begins.
    InRow,
    /// Several may be partly cut (RFC 8260).
    Interleaved,
}

/// The outstanding chunks.
#[derive(Clone, Debug)]
struct Flight {
    chunks: VecDeque<Sent>,
    messages: Messages,
    marked: BTreeSet<u64>,
    /// User bytes of chunks in flight.
    bytes_in_flight: u32,
    /// User bytes of chunks that are marked for retransmission.
    bytes_marked: u32,
}

impl Flight {
    const fn new() -> Self {
        Self {
            chunks: VecDeque::new(),
            messages: Messages::IN_ROW,
            marked: BTreeSet::new(),
            bytes_in_flight: 0,
            bytes_marked: 0,
        }
    }
}

impl Flight {
    /// A chunk of that many bytes is no longer to be sent again.
    fn unmark(&mut self, seq: u64, len: u16) {
        if self.marked.remove(&seq) {
            self.bytes_marked -= u32::from(len);
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
            restarted: false,
            first_seq: 0,
            order: MessageOrder::InRow,
            flight: OnDemand::NONE,
        }
    }

    /// From now on several messages may be partly cut; none is.
    pub(crate) const fn interleave(&mut self) {
        self.order = MessageOrder::Interleaved;
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

    pub(crate) fn bytes_marked(&self) -> u32 {
        self.flight.bytes_marked
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

    /// By how many chunks `cumulative_tsn_ack` moves the Cumulative TSN Ack Point; `None` if it
    /// lies behind it, or is of the TSNs before a reset (RFC 6525 §5.2.4): a SACK may be overtaken.
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
            // A reset of TSNs leads half of their space away, or back (RFC 6525 §5.2.4).
            if self.restarted && advance >= 1 << 30 {
                return Ok(None);
            }
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

    /// Number of outstanding messages.
    pub(crate) fn messages(&self) -> usize {
        self.flight.messages.len()
    }

    /// The charge of outstanding messages of a stream, counted until it is more than `most`.
    pub(crate) fn outstanding_on(&self, stream: StreamId, most: usize) -> usize {
        self.flight.messages.charge_on(stream, most)
    }

    /// The stream of the newest message, if that is partly cut.
    pub(crate) fn partial_stream(&self) -> Option<StreamId> {
        let (message, _) = self.partial()?;
        Some(self.flight.messages.get(message)?.stream())
    }

    /// The path that the user chose for a message that is partly sent.
    pub(crate) fn direction_of(&self, message: u32) -> Option<PathIndex> {
        self.flight.messages.get(message)?.direction()
    }

    /// Whether a message that is partly sent leaves on every active path.
    pub(crate) fn is_copied(&self, message: u32) -> bool {
        let outstanding = self.flight.messages.get(message);
        outstanding.is_some_and(OutstandingMessage::is_copied)
    }

    /// The TSN of the chunk that will be cut next.
    pub(crate) fn next_tsn(&self) -> Tsn {
        self.tsn(self.next_seq())
    }

    /// TSNs may have begun anew.
    pub(crate) const fn expect_earlier(&mut self) {
        self.restarted = true;
    }

    /// Gives the chunk that will be cut next that TSN; nothing must be outstanding.
    pub(crate) fn rebase(&mut self, next: Tsn) {
        self.expect_earlier();
        let offset = next.distance_from(self.next_tsn());
        self.initial_tsn = self.initial_tsn.plus(offset);
    }

    /// Takes a message in, whose first `len` bytes are cut off; it is an SSN or MID on the wire.
    /// Returns its number.
    #[inline]
    pub(crate) fn begin(
        &mut self,
        outgoing: Outgoing,
        ssn_or_mid: u32,
        len: u16,
    ) -> (u32, FragmentPosition) {
        let messages = &mut self.flight.messages;
        if self.order == MessageOrder::Interleaved {
            messages.interleave();
        }
        messages.begin(outgoing, ssn_or_mid, len)
    }

    /// Cuts the next `len` bytes of a message off that was begun.
    #[inline]
    pub(crate) fn fragment(&mut self, message: u32, len: u16) -> Option<FragmentPosition> {
        Some(self.flight.messages.get_mut(message)?.fragment(len))
    }

    /// Makes what was just cut off a message the chunk `seq`, the next one, and gives it as it goes
    /// on the wire.
    #[inline]
    pub(crate) fn launch(
        &mut self,
        seq: u64,
        (message, fragment): (u32, FragmentPosition),
        len: u16,
        slot: Slot,
    ) -> Option<Piece<'_>> {
        let tsn = self.tsn(seq);
        let flight = &mut *self.flight;
        flight.bytes_in_flight += u32::from(len);
        flight.chunks.push_back(Sent {
            message,
            offset: fragment.offset,
            fsn: fragment.fsn,
            len,
            flags: fragment.flags,
            state: ChunkState::InFlight,
            path: slot.path,
            next_path: slot.path,
            fast: FastRetransmit::Eligible,
            retransmissions: 0,
            sent_at: slot.now,
        });
        let outstanding = flight.messages.get(message)?;
        outstanding.piece(tsn, fragment, len, slot.flags)
    }

    /// The chunk as it goes on the wire.
    pub(crate) fn data(&self, seq: u64, extra: DataFlags) -> Option<Piece<'_>> {
        let chunk = self.get(seq)?;
        let outstanding = self.flight.messages.get(chunk.message)?;
        outstanding.piece(self.tsn(seq), chunk.fragment(), chunk.len, extra)
    }

    /// The stream of a chunk, and its bytes, while they are held to be sent again.
    pub(crate) fn held(&self, seq: u64) -> Option<(StreamId, usize)> {
        let chunk = self.get(seq)?;
        let outstanding = self.flight.messages.get(chunk.message)?;
        let held = chunk.state != ChunkState::Released && outstanding.is_held();
        held.then_some((outstanding.stream(), usize::from(chunk.len)))
    }

    /// The bytes that are held, and those that are still to be cut, with their streams.
    pub(crate) fn held_by_stream(&self) -> impl Iterator<Item = (StreamId, usize)> {
        let chunks = (self.first_seq..self.next_seq()).filter_map(|seq| self.held(seq));
        let rests = self.flight.messages.iter();
        chunks.chain(rests.map(|outstanding| (outstanding.stream(), outstanding.rest())))
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
                flight.unmark(self.first_seq, chunk.len);
            }
            ChunkState::Acked | ChunkState::Released | ChunkState::Abandoned => {}
        }
        self.first_seq += 1;
        if self.order == MessageOrder::Interleaved
            && !chunk.is_resolved()
            && let Some(outstanding) = flight.messages.get_mut(chunk.message)
        {
            outstanding.on_resolved();
        }
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
                self.flight.unmark(seq, before.len);
            }
        }
        self.with_interleaved(before.message, OutstandingMessage::on_resolved);
        Some(before)
    }

    /// Tells a message whose chunks may stand anywhere what became of one.
    #[inline]
    fn with_interleaved(&mut self, message: u32, tell: impl FnOnce(&mut OutstandingMessage)) {
        if self.order == MessageOrder::Interleaved
            && let Some(flight) = self.flight.existing()
            && let Some(outstanding) = flight.messages.get_mut(message)
        {
            tell(outstanding);
        }
    }

    /// The receiver will never drop a chunk that it has reported: nothing more is held of it.
    /// Returns the bytes of send buffer that this frees.
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
            .map_or(0, |outstanding| outstanding.let_go(len))
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
        self.with_interleaved(chunk.message, OutstandingMessage::on_reneged);
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
        self.flight.bytes_marked += u32::from(before.len);
        self.flight.marked.insert(seq);
        Some(before)
    }

    /// Marks all that is in flight on `path` for retransmission on `onto`. What gap
    /// reports marked and waits there has timed out, too.
    pub(crate) fn mark_path(&mut self, path: PathIndex, onto: PathIndex) {
        let mut bytes = 0;
        let Some(flight) = self.flight.existing() else {
            return;
        };
        for (seq, chunk) in (self.first_seq..).zip(flight.chunks.iter_mut()) {
            if chunk.path == path && chunk.state == ChunkState::InFlight {
                chunk.state = ChunkState::Marked;
                chunk.next_path = onto;
                bytes += u32::from(chunk.len);
                flight.marked.insert(seq);
            } else if chunk.next_path == path && chunk.state == ChunkState::MarkedFast {
                chunk.state = ChunkState::Marked;
            }
        }
        flight.bytes_in_flight -= bytes;
        flight.bytes_marked += bytes;
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

    /// Sends a marked chunk to `onto`.
    pub(crate) fn redirect(&mut self, seq: u64, onto: PathIndex) {
        if let Some(chunk) = self.get_mut(seq)
            && chunk.is_marked()
        {
            chunk.next_path = onto;
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

    /// Counts the chunks that went by `from`, where nothing is in flight, as sent by `onto`: they may
    /// yet be acknowledged, and taken back. Returns their bytes.
    pub(crate) fn rehome(&mut self, from: PathIndex, onto: PathIndex) -> u64 {
        let mut bytes = 0;
        let Some(flight) = self.flight.existing() else {
            return bytes;
        };
        for chunk in &mut flight.chunks {
            if chunk.path == from {
                chunk.path = onto;
                bytes += chunk.wire_len();
            }
        }
        bytes
    }

    /// A marked chunk is in flight again.
    pub(crate) fn resend(&mut self, seq: u64, now: Time) {
        if let Some(chunk) = self.get_mut(seq)
            && chunk.is_marked()
        {
            chunk.state = ChunkState::InFlight;
            chunk.path = chunk.next_path;
            chunk.retransmissions = chunk.retransmissions.saturating_add(1);
            chunk.sent_at = now;
            let len = chunk.len;
            self.flight.unmark(seq, len);
            self.flight.bytes_in_flight += u32::from(len);
        }
    }

    /// Moves the path's note of its oldest chunk in flight forward past all that is no longer. Whether
    /// it moved.
    pub(crate) fn settle_earliest(&self, path: PathIndex, flow: &mut Flow) -> bool {
        let Some(noted) = flow.earliest() else {
            return false;
        };
        let start = noted.max(self.first_seq);
        let skip = usize::try_from(start - self.first_seq).unwrap_or(usize::MAX);
        let found = (start..)
            .zip(self.flight.chunks.iter().skip(skip))
            .find(|(_, chunk)| chunk.path == path && chunk.state == ChunkState::InFlight);
        flow.set_earliest(found.map(|(seq, _)| seq))
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

    pub(super) fn into_outstanding(mut self) -> impl Iterator<Item = (Outgoing, Extent)> {
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
