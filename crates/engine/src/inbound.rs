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

#[cfg(test)]
use sheave_wire::GapBlock;
use sheave_wire::{Data, StreamId, Tsn};

use crate::group::Group;
use crate::on_demand::{Element, Queue};
use crate::pool::Pool;
use crate::value::error::PeerFault;
use crate::value::ids::PathIndex;
use crate::{Delivery, MessageParts, Part, Received};
use assembly::Assembly;
use backlog::Backlog;
use fragment::Fragment;
use receiver_parts::ReceiverParts;
use stream_order::StreamOrder;
use tsn_tracker::{Report, TsnPosition, TsnTracker};
use window::{CHUNK_OVERHEAD, Drained, MESSAGE_OVERHEAD, Window};

pub(crate) use acknowledger::{Acknowledger, PacketSeen};
pub(crate) use skip::Forward;

/// Bytes after which the next part of a message is handed over, once one was.
const PART_SIZE: usize = 64 << 10;

/// Data that has arrived from the peer and is not yet read.
///
/// A chunk in order costs one comparison, one copy and no search. Chunks beyond a gap stand in the
/// backlog, from where complete messages leave as soon as their stream allows it; when the gap
/// closes, the rest moves on in order of TSN. Messages are read in the order in which they became
/// deliverable.
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
    /// The path that the packet at hand came on.
    path: PathIndex,
    extensions: Group<ReceiverParts>,
    stats: InboundStats,
    work: u64,
}

impl Element for Received {
    const NONE: &'static VecDeque<Self> = &VecDeque::new();
}

/// Whether chunks beyond a gap are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Retention {
    /// Data beyond a gap is kept, and reported in gap blocks (RFC 9260 §6.7).
    Selective,
    /// Data beyond a gap is kept, and never dropped (draft-natarajan-tsvwg-sctp-nrsack).
    Kept,
    /// Data beyond a gap is not kept: go-back-N.
    InOrder,
}

/// The result of a DATA chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// In order, and nothing is missing.
    New,
    /// New, and something is missing.
    OutOfOrder,
    /// New, and nothing is missing any more.
    FilledGap,
    /// The chunk had arrived before; its TSN is reported.
    Duplicate,
    /// Dropped, as if it had not arrived. The association may nonetheless have become readable.
    NoRoom,
    /// Acknowledged and dropped (RFC 9260 §6.5): the peer wants an ERROR chunk.
    InvalidStream(StreamId),
}

/// Counters of the receiving half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InboundStats {
    /// Messages handed to the user; one in parts counts with its last.
    pub(crate) messages: u64,
    /// Bytes of payload handed to the user.
    pub(crate) bytes: u64,
    /// Chunks that were new; wraps.
    pub(crate) chunks: u32,
    /// Chunks dropped because there was no room; wraps.
    pub(crate) dropped_for_memory: u32,
}

impl Inbound {
    /// The state before the peer's first chunk.
    ///
    /// `streams`: what the peer may use. `receive_buffer`: bytes to store, and the window that
    /// INIT or INIT ACK advertises. `partial_delivery_point`: bytes of an incomplete message from
    /// which on it is handed over in parts.
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
            path: PathIndex(0),
            extensions: Group::NONE,
            stats: InboundStats::default(),
            work: 0,
        }
    }

    /// The same, with parts of messages handed over that way.
    pub(crate) const fn with_parts(mut self, parts: MessageParts) -> Self {
        self.parts = parts;
        self
    }

    /// Starts over with a peer that was restarted (RFC 9260 §5.2.4.1).
    ///
    /// Messages that are complete stay readable. Returns the streams of messages of which only
    /// some parts were handed over: the rest never comes.
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

    /// The peer begins the SSNs of these streams anew; of all streams if there are none. What waits
    /// for earlier messages of such a stream becomes readable: none will come. Returns as
    /// [`restart`](Self::restart).
    pub(crate) fn reset_streams(&mut self, streams: &[StreamId]) -> Vec<StreamId> {
        self.work += streams.len() as u64;
        for message in self.order.reset(streams) {
            self.work += 1;
            self.ready.push_back(message);
        }
        self.reset_interleaved(streams)
    }

    /// The peer may use `count` more streams.
    pub(crate) fn add_streams(&mut self, count: u16) {
        self.order.add_streams(count);
    }

    /// Keeps nothing that arrives beyond a gap from now on, since both sides want go-back-N.
    pub(crate) fn keep_in_order_only(&mut self) {
        self.retention = Retention::InOrder;
    }

    /// Never drops stored data from now on, since both sides keep what they acknowledge.
    pub(crate) fn keep_what_is_acknowledged(&mut self) {
        self.retention = Retention::Kept;
    }

    /// Notes the path of the packet whose chunks follow.
    #[inline]
    pub(crate) const fn on_packet(&mut self, path: PathIndex) {
        self.path = path;
    }

    /// Takes one DATA chunk.
    ///
    /// `memory_left`: bytes that may still be stored by all associations together. It, and the
    /// receive buffer, are exceeded by at most one chunk, which is in order. `pool`: where the
    /// memory for it comes from.
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

    /// Counts a chunk that was new.
    #[inline]
    pub(crate) fn count_chunk(&mut self) {
        self.stats.chunks = self.stats.chunks.wrapping_add(1);
    }

    /// Whether a chunk of that TSN would be new.
    pub(crate) fn is_new(&self, tsn: Tsn) -> bool {
        matches!(
            self.tsns.place(tsn),
            TsnPosition::Next(_) | TsnPosition::Beyond(_)
        )
    }

    /// Whether [`receive`](Self::receive) has something.
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

    /// Number of messages that can be read, parts of an incomplete one not counted.
    pub(crate) fn unread(&self) -> usize {
        match self.is_within_message() {
            true => 0,
            false => self.ready.len(),
        }
    }

    /// Whether a message was begun, and nothing else may be read before its end.
    #[inline]
    fn is_within_message(&self) -> bool {
        self.parts == MessageParts::Together && self.assembly.has_begun()
    }

    /// Bytes of the receive buffer as it is now.
    pub(crate) const fn receive_buffer(&self) -> usize {
        self.window.size()
    }

    /// Bytes stored, overhead included.
    #[inline]
    pub(crate) fn buffered(&self) -> usize {
        self.window.buffered()
    }

    /// Bytes stored, overhead included, and the records of TSNs beyond a gap and of messages of which
    /// a part was handed over.
    #[inline]
    pub(crate) fn memory(&self) -> usize {
        let interleaved = self.extensions.get(|extensions| &extensions.interleaved);
        let records = interleaved.map_or(0, interleaved::Interleaved::records);
        self.buffered() + self.tsns.memory() + records
    }

    /// Counts a chunk of another type than those that carry data in order.
    pub(crate) const fn on_chunk_to_dispatch(&mut self) {
        self.work += 1;
    }

    /// Elementary steps taken so far, beyond one for each chunk of data: chunks of other types, and
    /// whatever was looked at that waited or was named in a list. In proportion to the bytes received
    /// (A41).
    pub(crate) const fn work(&self) -> u64 {
        self.work
    }

    /// The window to advertise now, bytes of payload (RFC 9260 §6.2).
    pub(crate) fn rwnd(&self) -> u32 {
        self.window.advertisement()
    }

    /// Makes the buffer at least `size` bytes large.
    pub(crate) fn widen(&mut self, size: usize) {
        self.window.widen(size);
    }

    /// Hands incomplete messages over in parts from so many bytes on.
    pub(crate) fn set_partial_delivery_point(&mut self, bytes: usize) {
        self.partial_delivery_point = u32::try_from(bytes).unwrap_or(u32::MAX);
    }

    /// Notes that a SACK with that window was sent.
    pub(crate) fn on_advertised(&mut self, rwnd: u32) {
        self.window.on_advertised(rwnd);
    }

    /// Whether the reader has opened the window so far that the peer must hear it now.
    #[inline]
    pub(crate) fn window_update_due(&self) -> bool {
        let drained = if self.is_readable() {
            Drained::No
        } else {
            Drained::Yes
        };
        self.window.update_is_due(drained)
    }

    /// The last TSN before which none is missing.
    #[inline]
    pub(crate) fn cumulative_tsn(&self) -> Tsn {
        self.tsns.cumulative_tsn()
    }

    /// Whether a TSN is missing.
    pub(crate) fn has_gaps(&self) -> bool {
        self.tsns.has_gaps()
    }

    #[cfg(test)]
    /// The gap blocks of a SACK, from the lowest on, at most `max` (RFC 9260 §6.7).
    pub(crate) fn gap_blocks(&mut self, max: usize) -> &[GapBlock] {
        self.tsns.gap_blocks(max)
    }

    /// The two lists of a SACK after this many packets, with at most `max` entries together; gap blocks
    /// come first (RFC 9260 §3.3.4).
    pub(crate) fn report(&mut self, max: usize, packets: u8) -> Report<'_> {
        self.tsns.report(max, packets)
    }

    /// Forgets the duplicates: a SACK has reported them.
    pub(crate) fn clear_duplicates(&mut self) {
        self.tsns.clear_duplicates();
    }

    /// Messages that can still be read when the association ends, in order of delivery.
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

    /// Whether there is something that [`trim`](Self::trim) may give back.
    pub(crate) fn is_spread(&self) -> bool {
        self.ready.exists() || self.assembly.has_room()
    }

    /// Gives back memory that only a busy association needs; for one that has nothing to do.
    pub(crate) fn trim(&mut self) {
        self.ready.trim();
        self.order.trim();
        self.assembly.trim();
        self.backlog.trim();
        self.tsns.trim();
    }

    /// Bytes on the heap, user data not counted.
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

    // A call of its own leaves the message in memory as it was written, in large pieces. Inlined, it
    // is taken apart and put together again for its callers, who then read large pieces where small
    // ones were just written, for which processors stall.
    #[inline(never)]
    fn take_ready(&mut self) -> Option<Received> {
        self.ready.existing()?.pop_front()
    }

    /// Takes what is on offer of an incomplete message.
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
        // One byte of room is enough for one chunk, whatever its size: the next chunk must get in,
        // or nothing moves.
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
        // What was given up was perhaps never sent to its end (RFC 3758 §3.5, A3).
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

    /// Keeps the TSN alone of a chunk beyond a gap on a stream that does not exist, if there is room
    /// for it (A42).
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
