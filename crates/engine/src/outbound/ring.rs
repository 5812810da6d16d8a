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

/// The outstanding chunks, indexed by TSN, and the messages they are slices of.
///
/// Chunks are numbered from 0 (`seq`), since these numbers compare more simply than wrapping TSNs.
#[derive(Clone, Debug)]
pub(crate) struct Ring {
    initial_tsn: Tsn,
    /// Whether TSNs may have been reset, so that SACKs for earlier TSNs may still arrive.
    restarted: bool,
    /// Chunks that earlier handshakes sent with the same TSNs and took back, 65,535 at most.
    recalled: u16,
    first_seq: u64,
    order: MessageOrder,
    flight: OnDemand<Flight>,
}

/// The order of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageOrder {
    /// A message is cut completely before the next one begins.
    InRow,
    /// Several messages may be partly cut (RFC 8260).
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
    /// Removes the retransmission mark of a chunk of `len` bytes.
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
            recalled: 0,
            first_seq: 0,
            order: MessageOrder::InRow,
            flight: OnDemand::NONE,
        }
    }

    /// Allows several messages to be partly cut; none is so far.
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

    /// The next chunk to be cut.
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

    /// Number of chunks by which `cumulative_tsn_ack` moves the Cumulative TSN Ack Point; `None` if
    /// it lies before that point, as in a reordered SACK, or precedes a TSN reset (RFC 6525
    /// §5.2.4).
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
            // A reset moves TSNs by half of their space (RFC 6525 §5.2.4).
            if self.restarted && advance >= 1 << 30 {
                return Ok(None);
            }
            return Err(PeerFault::violation(
                "acknowledged a TSN that was never sent",
            ));
        }
        Ok(Some(advance))
    }

    /// Takes the place of a ring of an earlier handshake with the same peer, whose chunks were taken back.
    pub(crate) fn follow(&mut self, earlier: &Self) {
        let sent = u16::try_from(earlier.next_seq()).unwrap_or(u16::MAX);
        self.recalled = earlier.recalled.max(sent);
    }

    /// Whether a chunk with the TSN was taken back: a late SACK may still acknowledge it.
    #[cold]
    pub(crate) fn has_recalled(&self, tsn: Tsn) -> bool {
        self.recalled > 0 && tsn.is_before(self.tsn(self.recalled.into()))
    }

    /// The newest message and its bytes not yet cut, if any.
    #[inline]
    pub(crate) fn partial(&self) -> Option<(u32, usize)> {
        self.flight.messages.partial()
    }

    /// Number of outstanding messages.
    pub(crate) fn messages(&self) -> usize {
        self.flight.messages.len()
    }

    /// The charge of a stream's outstanding messages, counted until it exceeds `most`.
    pub(crate) fn outstanding_on(&self, stream: StreamId, most: usize) -> usize {
        self.flight.messages.charge_on(stream, most)
    }

    /// The stream of the newest message, if the message is partly cut.
    pub(crate) fn partial_stream(&self) -> Option<StreamId> {
        let (message, _) = self.partial()?;
        Some(self.flight.messages.get(message)?.stream())
    }

    /// The path that the user chose for a partly sent message.
    pub(crate) fn direction_of(&self, message: u32) -> Option<PathIndex> {
        self.flight.messages.get(message)?.direction()
    }

    /// Whether a partly sent message leaves on every active path.
    pub(crate) fn is_copied(&self, message: u32) -> bool {
        let outstanding = self.flight.messages.get(message);
        outstanding.is_some_and(OutstandingMessage::is_copied)
    }

    /// The TSN of the next chunk to be cut.
    pub(crate) fn next_tsn(&self) -> Tsn {
        self.tsn(self.next_seq())
    }

    /// TSNs may have been reset.
    pub(crate) const fn expect_earlier(&mut self) {
        self.restarted = true;
    }

    /// Makes `next` the TSN of the next chunk to be cut; no chunk may be outstanding.
    pub(crate) fn rebase(&mut self, next: Tsn) {
        self.expect_earlier();
        let offset = next.distance_from(self.next_tsn());
        self.initial_tsn = self.initial_tsn.plus(offset);
    }

    /// Adds a message and cuts off its first `len` bytes. Returns the message's number in the ring.
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

    /// Cuts the next `len` bytes off a message already begun.
    #[inline]
    pub(crate) fn fragment(&mut self, message: u32, len: u16) -> Option<FragmentPosition> {
        Some(self.flight.messages.get_mut(message)?.fragment(len))
    }

    /// Adds the fragment just cut as the next chunk, `seq`, and returns the chunk to be written.
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

    /// The chunk to be written to a packet.
    pub(crate) fn data(&self, seq: u64, extra: DataFlags) -> Option<Piece<'_>> {
        let chunk = self.get(seq)?;
        let outstanding = self.flight.messages.get(chunk.message)?;
        outstanding.piece(self.tsn(seq), chunk.fragment(), chunk.len, extra)
    }

    /// The stream and length of a chunk while its bytes are held for retransmission.
    pub(crate) fn held(&self, seq: u64) -> Option<(StreamId, usize)> {
        let chunk = self.get(seq)?;
        let outstanding = self.flight.messages.get(chunk.message)?;
        let held = chunk.state != ChunkState::Released && outstanding.is_held();
        held.then_some((outstanding.stream(), usize::from(chunk.len)))
    }

    /// The lengths, with streams, of all held chunks and of the bytes still to be cut.
    pub(crate) fn held_by_stream(&self) -> impl Iterator<Item = (StreamId, usize)> {
        let chunks = (self.first_seq..self.next_seq()).filter_map(|seq| self.held(seq));
        let rests = self.flight.messages.iter();
        chunks.chain(rests.map(|outstanding| (outstanding.stream(), outstanding.rest())))
    }

    /// Removes the oldest chunk, now cumulatively acknowledged. Returns its previous state, the
    /// bytes of send buffer freed, and the ticket of a message that ends with it.
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

    /// Applies a gap report. Returns the chunk's previous state if the report is new.
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

    /// Updates a message of an interleaved ring, whose chunks may be anywhere.
    #[inline]
    fn with_interleaved(&mut self, message: u32, tell: impl FnOnce(&mut OutstandingMessage)) {
        if self.order == MessageOrder::Interleaved
            && let Some(flight) = self.flight.existing()
            && let Some(outstanding) = flight.messages.get_mut(message)
        {
            tell(outstanding);
        }
    }

    /// Stops holding a reported chunk that the receiver will never drop. Returns the bytes of send
    /// buffer freed.
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

    /// The receiver reneged on a chunk: it counts as in flight again.
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

    /// Marks a chunk in flight for retransmission on its last path. Returns its previous state.
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

    /// Marks everything in flight on `path` for retransmission on `onto`. Chunks that gap reports
    /// marked and that wait there count as timed out, too.
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

    /// The outstanding chunk with the TSN.
    pub(crate) fn seq_of(&self, tsn: Tsn) -> Option<u64> {
        let ahead = tsn.distance_from(self.tsn(self.first_seq));
        let seq = self.first_seq + u64::from(ahead);
        (seq < self.next_seq()).then_some(seq)
    }

    /// The number of the chunk with the TSN, outstanding or acknowledged; `None` if the TSN was
    /// never sent.
    pub(crate) fn sent_seq(&self, tsn: Tsn) -> Option<u64> {
        let next = self.next_seq();
        let behind = self.tsn(next).distance_from(tsn);
        (1..1 << 31)
            .contains(&behind)
            .then(|| next.checked_sub(u64::from(behind)))
            .flatten()
    }

    /// Moves a chunk marked because of damage to `onto`. Gap reports no longer count against the
    /// chunk.
    pub(crate) fn redirect_damaged(&mut self, seq: u64, onto: PathIndex) {
        if let Some(chunk) = self.get_mut(seq)
            && chunk.is_marked()
        {
            chunk.next_path = onto;
            chunk.fast = FastRetransmit::Spent;
        }
    }

    /// Moves a marked chunk to `onto`.
    pub(crate) fn redirect(&mut self, seq: u64, onto: PathIndex) {
        if let Some(chunk) = self.get_mut(seq)
            && chunk.is_marked()
        {
            chunk.next_path = onto;
        }
    }

    /// Moves to `onto` the chunks that were last sent on `from` and marked by gap reports. Returns
    /// whether there are any.
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

    /// Reassigns to `onto` the chunks last sent on `from`, where none is in flight; the peer may
    /// yet acknowledge or renege on them. Returns their bytes.
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

    /// Advances the flow's oldest chunk in flight past chunks no longer in flight. Returns whether
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

    /// Frees memory if nothing is outstanding.
    pub(crate) fn trim(&mut self) {
        if self.flight.chunks.is_empty() && self.flight.messages.is_empty() {
            self.flight.release();
        }
    }

    /// Bytes on the heap, excluding user data.
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
