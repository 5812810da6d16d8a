//! The receiving half of an association: DATA chunks in, messages out (RFC 9260 §6.2, §6.5-§6.9).

mod acknowledger;
mod assembly;
mod backlog;
mod delivery;
mod fragment;
mod gathering;
mod handover;
mod interleaved;
mod receiver_parts;
mod room;
mod skip;
mod stream_order;
mod tsn_tracker;
mod window;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use bytes::Bytes;

#[cfg(test)]
use sheave_wire::GapBlock;
use sheave_wire::{Data, Ppid, StreamId, Tsn};

use crate::group::Group;
use crate::on_demand::{Element, Queue};
use crate::pool::Pool;
use crate::value::error::PeerFault;
use crate::value::ids::PathIndex;
use crate::value::protection::{Protection, is_of_key_managers};
use crate::{Delivery, Message, MessageParts, Part, Received};
use assembly::Assembly;
use backlog::Backlog;
use fragment::Fragment;
use receiver_parts::ReceiverParts;
use stream_order::StreamOrder;
use tsn_tracker::{Report, TsnPosition, TsnTracker};
use window::{CHUNK_OVERHEAD, Drained, MESSAGE_OVERHEAD, Window};

pub(crate) use acknowledger::{Acknowledger, PacketSeen};
pub(crate) use skip::Forward;

/// Bytes after which the next part of a message is delivered, once partial delivery has begun.
const PART_SIZE: usize = 64 << 10;

/// Data from the peer that the user has not read yet.
///
/// An in-order chunk costs one comparison, one copy and no search. Chunks beyond a gap are stored
/// in the backlog; a complete message leaves it as soon as its stream's order allows. When the gap
/// closes, the remaining chunks follow in TSN order. Messages are read in the order in which they
/// became deliverable.
#[derive(Clone, Debug)]
pub(crate) struct Inbound {
    tsns: TsnTracker,
    order: StreamOrder,
    assembly: Assembly,
    backlog: Backlog,
    ready: Queue<Received>,
    window: Window,
    partial_delivery_point: u32,
    retention: Retention,
    parts: MessageParts,
    serves_key_managers: bool,
    /// The path on which the current packet arrived.
    path: PathIndex,
    extensions: Group<ReceiverParts>,
    stats: InboundStats,
    work: u64,
}

impl Element for Received {
    const NONE: &'static VecDeque<Self> = &VecDeque::new();
}

/// Whether chunks beyond a gap are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retention {
    /// Chunks beyond a gap are stored, and reported in gap blocks (RFC 9260 §6.7).
    Selective,
    /// Chunks beyond a gap are stored and never dropped (draft-natarajan-tsvwg-sctp-nrsack).
    Kept,
    /// Chunks beyond a gap are not stored: go-back-N, or the messages of key managers in plain text.
    InOrder,
}

/// The outcome of receiving a DATA chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// New and in order; no TSN is missing.
    New,
    /// New; an earlier TSN is missing.
    OutOfOrder,
    /// New; the chunk filled the last gap.
    FilledGap,
    /// A duplicate; its TSN is reported.
    Duplicate,
    /// Dropped for lack of room, and treated as not received. The association may still have become
    /// readable.
    NoRoom,
    /// Acknowledged and dropped, since the stream does not exist; the peer gets an ERROR chunk (RFC
    /// 9260 §6.5).
    InvalidStream(StreamId),
}

/// Counters of the receiving half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InboundStats {
    /// Messages read by the user; partial delivery counts at the last part.
    pub(crate) messages: u64,
    /// Payload bytes read by the user.
    pub(crate) bytes: u64,
    /// New chunks; wraps.
    pub(crate) chunks: u32,
    /// Chunks dropped for lack of room; wraps.
    pub(crate) dropped_for_memory: u32,
}

impl Inbound {
    /// The state before the peer's first chunk.
    ///
    /// `streams`: number of streams that the peer may use. `receive_buffer`: buffer size in bytes,
    /// and the window advertised in INIT or INIT ACK. `partial_delivery_point`: bytes of an
    /// incomplete message at which partial delivery begins.
    pub(crate) fn new(
        peer_initial_tsn: Tsn,
        streams: u16,
        receive_buffer: usize,
        partial_delivery_point: usize,
    ) -> Self {
        Self {
            tsns: TsnTracker::new(peer_initial_tsn),
            order: StreamOrder::new(streams),
            assembly: Assembly::default(),
            backlog: Backlog::default(),
            ready: Queue::NONE,
            window: Window::new(receive_buffer),
            partial_delivery_point: u32::try_from(partial_delivery_point).unwrap_or(u32::MAX),
            retention: Retention::Selective,
            parts: MessageParts::Mixed,
            serves_key_managers: false,
            path: PathIndex(0),
            extensions: Group::NONE,
            stats: InboundStats::default(),
            work: 0,
        }
    }

    /// Delivers the messages of key managers, if there are any, whole.
    pub(crate) fn with_protection(mut self, protection: Protection) -> Self {
        self.serves_key_managers = protection != Protection::Off;
        self
    }

    /// Whether messages on that stream with that identifier are never delivered in parts.
    fn keeps_whole(&self, stream: StreamId, ppid: Ppid) -> bool {
        self.serves_key_managers && is_of_key_managers(stream, ppid)
    }

    /// Sets whether other messages may come between the parts of a message.
    pub(crate) const fn with_parts(mut self, parts: MessageParts) -> Self {
        self.parts = parts;
        self
    }

    /// Resets the state for a restarted peer (RFC 9260 §5.2.4.1).
    ///
    /// Complete messages stay readable. Returns the streams whose partial delivery is cut off.
    pub(crate) fn restart(&mut self, peer_initial_tsn: Tsn, streams: u16) -> Vec<StreamId> {
        let begun = self.assembly.has_begun();
        let label = self.assembly.abandon();
        let partly = label.filter(|_| begun).map(|label| label.stream);
        let interleaved = self
            .extensions
            .take(|extensions| &mut extensions.interleaved);
        let interleaved = interleaved.iter().flat_map(|state| state.partly());
        let cut_off = partly.into_iter().chain(interleaved).collect();
        self.retention = Retention::Selective;
        self.extensions
            .put(|extensions| &mut extensions.skipping, None);
        self.tsns = TsnTracker::new(peer_initial_tsn);
        self.order = StreamOrder::new(streams);
        self.backlog = Backlog::default();
        self.window = Window::new(self.window.size());
        for received in self.ready.iter() {
            let payload = received.message.payload.len();
            self.window.charge(payload, MESSAGE_OVERHEAD);
        }
        cut_off
    }

    /// Resets the SSNs of these streams to 0, or of all streams if the list is empty. Messages that
    /// waited for earlier ones of such a stream become readable, since no earlier message will
    /// come. Returns the same as [`restart`](Self::restart).
    pub(crate) fn reset_streams(&mut self, streams: &[StreamId]) -> Vec<StreamId> {
        self.work += streams.len() as u64;
        for message in self.order.reset(streams) {
            self.work += 1;
            self.ready.push_back(message);
        }
        self.reset_interleaved(streams)
    }

    /// Grants the peer `count` more streams.
    pub(crate) fn add_streams(&mut self, count: u16) {
        self.order.add_streams(count);
    }

    /// Sets what becomes of chunks beyond a gap that arrive from now on.
    pub(crate) fn retain(&mut self, retention: Retention) {
        self.retention = retention;
    }

    /// Sets the path of the packet whose chunks follow.
    #[inline]
    pub(crate) const fn on_packet(&mut self, path: PathIndex) {
        self.path = path;
    }

    /// Receives one DATA chunk.
    ///
    /// `memory_left`: bytes that all associations together may still store. This limit and the
    /// receive buffer may be exceeded by at most one chunk, the next in order. `pool`: allocator
    /// for the payload.
    pub(crate) fn accept(
        &mut self,
        data: &Data<'_>,
        memory_left: usize,
        pool: &mut Pool,
    ) -> Result<Arrival, PeerFault> {
        if data.payload.is_empty() {
            return Err(PeerFault::NO_USER_DATA);
        }
        // RFC 8260 §2.2.3
        if self.extensions.interleaved.is_some() {
            return Err(interleaved::NOT_INTERLEAVED);
        }
        match self.tsns.place(data.tsn) {
            TsnPosition::Next(at) => self.accept_next(at, data, memory_left, pool),
            TsnPosition::Beyond(_) if self.retention == Retention::InOrder => {
                Ok(Arrival::OutOfOrder)
            }
            TsnPosition::Beyond(at) => self.accept_beyond(at, data, memory_left),
            TsnPosition::Received => {
                self.tsns.note_duplicate(data.tsn);
                Ok(Arrival::Duplicate)
            }
            TsnPosition::TooFar => Ok(self.refuse()),
        }
    }

    /// Counts a new chunk.
    #[inline]
    pub(crate) fn count_chunk(&mut self) {
        self.stats.chunks = self.stats.chunks.wrapping_add(1);
    }

    /// Whether a chunk with that TSN would be new.
    pub(crate) fn is_new(&self, tsn: Tsn) -> bool {
        matches!(
            self.tsns.place(tsn),
            TsnPosition::Next(_) | TsnPosition::Beyond(_)
        )
    }

    /// Whether [`receive`](Self::receive) would return a message or a part.
    #[inline]
    pub(crate) fn is_readable(&self) -> bool {
        if self.is_within_message() {
            return self.assembly.is_offered();
        }
        let interleaved = self.extensions.interleaved.as_ref();
        !self.ready.is_empty()
            || self.assembly.is_offered()
            || interleaved.is_some_and(|state| state.is_offered())
    }

    /// The next message, or part of one.
    #[inline(always)] // So that the message is moved once.
    pub(crate) fn receive(&mut self) -> Option<Received> {
        if self.is_within_message() {
            return self.receive_part();
        }
        let received = self.take_ready();
        let Some(Received { message, part, .. }) = &received else {
            return self.receive_part();
        };
        self.window.release(message.payload.len(), MESSAGE_OVERHEAD);
        self.stats.bytes += message.payload.len() as u64;
        self.stats.messages += u64::from(matches!(part, Part::Whole | Part::Last));
        if self.ready.is_empty() {
            self.offer_part();
            if self.extensions.interleaved.is_some() {
                self.offer_if_narrow();
            }
        }
        received
    }

    /// Takes the whole messages that `is_meant` selects out of those readable from position `from`
    /// on. They stay charged to the window until [`release`](Self::release).
    pub(crate) fn divert(
        &mut self,
        from: usize,
        is_meant: impl Fn(&Message) -> bool,
    ) -> Vec<Bytes> {
        let mut diverted = Vec::new();
        let Some(ready) = self.ready.existing() else {
            return diverted;
        };
        let mut at = from;
        while let Some(received) = ready.get(at) {
            if received.part != Part::Whole || !is_meant(&received.message) {
                at += 1;
            } else if let Some(received) = ready.remove(at) {
                diverted.push(received.message.payload);
            }
        }
        diverted
    }

    /// Frees the room of a [diverted](Self::divert) message.
    pub(crate) fn release(&mut self, payload: usize) {
        self.window.release(payload, MESSAGE_OVERHEAD);
    }

    /// Number of messages that can be read, excluding parts of an incomplete message.
    pub(crate) fn unread(&self) -> usize {
        match self.is_within_message() {
            true => 0,
            false => self.ready.len(),
        }
    }

    /// Whether partial delivery is in progress and no other message may be read before its end.
    #[inline]
    fn is_within_message(&self) -> bool {
        self.parts == MessageParts::Together && self.assembly.has_begun()
    }

    /// Current size of the receive buffer, bytes.
    pub(crate) const fn receive_buffer(&self) -> usize {
        self.window.size()
    }

    /// Bytes stored, overhead included.
    #[inline]
    pub(crate) fn buffered(&self) -> usize {
        self.window.buffered()
    }

    /// Bytes stored, overhead included, plus the records of TSNs beyond a gap and of partially
    /// delivered messages.
    #[inline]
    pub(crate) fn memory(&self) -> usize {
        let interleaved = self.extensions.get(|extensions| &extensions.interleaved);
        let records = interleaved.map_or(0, interleaved::Interleaved::records);
        self.buffered() + self.tsns.memory() + records
    }

    /// Counts a step of work for a chunk that carries no ordered data.
    pub(crate) const fn on_chunk_to_dispatch(&mut self) {
        self.work += 1;
    }

    /// Elementary steps so far, not counting one per DATA chunk: other chunks, and each waiting
    /// item or list entry that was examined. Proportional to the bytes received (A41).
    pub(crate) const fn work(&self) -> u64 {
        self.work
    }

    /// The window to advertise now, bytes of payload (RFC 9260 §6.2).
    pub(crate) fn rwnd(&self) -> u32 {
        self.window.advertisement()
    }

    /// Grows the buffer to at least `size` bytes.
    pub(crate) fn widen(&mut self, size: usize) {
        self.window.widen(size);
    }

    /// Sets the partial delivery point, bytes.
    pub(crate) fn set_partial_delivery_point(&mut self, bytes: usize) {
        self.partial_delivery_point = u32::try_from(bytes).unwrap_or(u32::MAX);
    }

    /// Records that a SACK advertising that window was sent.
    pub(crate) fn on_advertised(&mut self, rwnd: u32) {
        self.window.on_advertised(rwnd);
    }

    /// Whether reading has opened the window far enough to require a SACK now.
    #[inline]
    pub(crate) fn window_update_due(&self) -> bool {
        let drained = if self.is_readable() {
            Drained::No
        } else {
            Drained::Yes
        };
        self.window.update_is_due(drained)
    }

    /// The cumulative TSN: the last one before which no TSN is missing.
    #[inline]
    pub(crate) fn cumulative_tsn(&self) -> Tsn {
        self.tsns.cumulative_tsn()
    }

    /// Whether a TSN is missing.
    pub(crate) fn has_gaps(&self) -> bool {
        self.tsns.has_gaps()
    }

    #[cfg(test)]
    /// The lowest gap blocks for a SACK, at most `max` (RFC 9260 §6.7).
    pub(crate) fn gap_blocks(&mut self, max: usize) -> &[GapBlock] {
        self.tsns.gap_blocks(max)
    }

    /// Gap blocks and duplicate TSNs of a SACK for this many packets, at most `max` entries
    /// together; gap blocks first (RFC 9260 §3.3.4).
    pub(crate) fn report(&mut self, max: usize, packets: u8) -> Report<'_> {
        self.tsns.report(max, packets)
    }

    /// Clears the duplicate TSNs after a SACK has reported them.
    pub(crate) fn clear_duplicates(&mut self) {
        self.tsns.clear_duplicates();
    }

    /// Messages that are still readable when the association ends, in delivery order.
    pub(crate) fn into_unread(mut self) -> Vec<Received> {
        let mut rest = None;
        if self.assembly.has_begun() {
            self.assembly.offer();
            if self.is_within_message() {
                rest = self.receive_part();
                self.parts = MessageParts::Mixed;
            }
        }
        if let Some(state) = self.extensions.interleaved() {
            state.offer_rests();
        }
        let others = core::iter::from_fn(|| self.receive());
        rest.into_iter().chain(others).collect()
    }

    /// Whether [`trim`](Self::trim) may free memory.
    pub(crate) fn is_spread(&self) -> bool {
        self.ready.exists() || self.assembly.has_room()
    }

    /// Frees memory that an idle association does not need.
    pub(crate) fn trim(&mut self) {
        self.ready.trim();
        self.order.trim();
        self.assembly.trim();
        self.backlog.trim();
        self.tsns.trim();
    }

    /// Heap bytes, excluding user data.
    pub(crate) fn footprint(&self) -> usize {
        self.ready.room()
            + self.assembly.footprint()
            + self.order.footprint()
            + self.tsns.footprint()
            + self.extensions.footprint()
            + self
                .extensions
                .interleaved
                .as_ref()
                .map_or(0, |state| state.footprint())
    }

    /// Counters.
    pub(crate) fn stats(&self) -> InboundStats {
        self.stats
    }

    // Not inlined: this way the message moves with the wide stores that wrote it. Inlining splits
    // it into small stores followed by wide loads, which stall the processor.
    #[inline(never)]
    fn take_ready(&mut self) -> Option<Received> {
        self.ready.existing()?.pop_front()
    }

    /// Takes the available part of an incomplete message.
    #[inline]
    fn receive_part(&mut self) -> Option<Received> {
        if self.extensions.interleaved.is_some() {
            return self.receive_interleaved_part();
        }
        if !self.assembly.is_offered() {
            return None;
        }
        self.receive_assembled_part()
    }

    #[inline(never)] // Few messages are read in parts.
    fn receive_assembled_part(&mut self) -> Option<Received> {
        let part = self.assembly.take_part()?;
        let payload = part.message.payload.len();
        self.window.release(payload, 0);
        self.stats.bytes += payload as u64;
        Some(part)
    }

    #[inline]
    fn accept_next(
        &mut self,
        at: u64,
        data: &Data<'_>,
        memory_left: usize,
        pool: &mut Pool,
    ) -> Result<Arrival, PeerFault> {
        let had_gaps = self.tsns.has_gaps();
        if !self.order.is_valid(data.stream) {
            if self.assembly.label().is_some() {
                self.tolerate(PeerFault::MIXED_FRAGMENTS)?;
                self.break_off();
            }
            self.tsns.receive(at);
            self.absorb(at, pool)?;
            return Ok(Arrival::InvalidStream(data.stream));
        }
        // One byte of room admits a chunk of any size: refusing the next in-order chunk would cause
        // a deadlock.
        if !self.make_room(at, 1, memory_left) && !self.is_stuck() && !self.is_starved() {
            return self.refuse_next();
        }
        self.window.on_arrival(data.payload.len());
        self.append(Fragment::from_chunk(data, self.path), pool)?;
        self.tsns.receive(at);
        if had_gaps {
            self.absorb(at, pool)?;
        }
        self.offer_part();
        Ok(match (had_gaps, self.tsns.has_gaps()) {
            (false, _) => Arrival::New,
            (true, true) => Arrival::OutOfOrder,
            (true, false) => Arrival::FilledGap,
        })
    }

    fn accept_beyond(
        &mut self,
        at: u64,
        data: &Data<'_>,
        memory_left: usize,
    ) -> Result<Arrival, PeerFault> {
        if !self.order.is_valid(data.stream) {
            return Ok(self.note_invalid_beyond(at, data.stream, memory_left));
        }
        let fragment = Fragment::from_chunk(data, self.path);
        let payload = fragment.len();
        if !self.make_room_beyond(at, payload + CHUNK_OVERHEAD, memory_left) {
            return Ok(self.refuse());
        }
        // The peer may have abandoned the message before sending all of it (RFC 3758 §3.5, A3).
        if let Err(fault) = self.backlog.check(at, &fragment) {
            self.tolerate(fault)?;
        }
        self.window.on_arrival(payload);
        self.tsns.receive(at);
        if fragment.part == Part::Whole && self.may_overtake(&fragment.label) {
            self.complete(fragment)?;
        } else {
            self.window.charge(payload, CHUNK_OVERHEAD);
            if let Some(span) = self.backlog.insert(at, fragment) {
                self.deliver_early(span)?;
            }
        }
        Ok(Arrival::OutOfOrder)
    }

    /// Records only the TSN of a chunk beyond a gap on a nonexistent stream, if there is room for
    /// the record (A42).
    fn note_invalid_beyond(&mut self, at: u64, stream: StreamId, memory_left: usize) -> Arrival {
        if !self.make_room_beyond(at, 0, memory_left) {
            return self.refuse();
        }
        self.tsns.receive(at);
        Arrival::InvalidStream(stream)
    }
}

#[cfg(test)]
mod tests;
