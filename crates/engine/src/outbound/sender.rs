//! The sender: its state, and the procedures that change it, one file each.

mod abandonment;
mod admission;
mod concurrency;
mod copying;
mod corruption;
mod digest;
mod directions;
mod fragmentation;
mod handover;
mod hedge;
mod keys;
mod losses;
mod low_water;
mod numbering;
pub(super) mod recall;
mod released;
mod reset;
mod scouting;
mod tail;
mod window_probe;

use alloc::boxed::Box;
use alloc::vec::Vec;

use sheave_wire::{Data, StreamId, Tsn};

use crate::congestion::Recovery;
use crate::flight::sent::{ChunkState, wire_len};
use crate::group::Group;
use crate::on_demand::OnDemand;
use crate::outbound::Terms;
use crate::outbound::acked::AckedRanges;
use crate::outbound::buffer_room::{BufferRoom, Refusal, overdraft};
use crate::outbound::concurrent::ConcurrentPaths;
use crate::outbound::fast_recovery::FastRecovery;
use crate::outbound::loss_detection::Detector;
use crate::outbound::loss_detection::LossDetector;
use crate::outbound::message_keys::MessageKeys;
use crate::outbound::probe::WindowProbe;
use crate::outbound::queue::{Outgoing, SendQueue, Ticket};
use crate::outbound::ring::Ring;
use crate::outbound::sack_outcome::Shares;
use crate::outbound::sender_parts::SenderParts;
use crate::outbound::slot::{Overlong, Piece, Resent, Slot};
use crate::path::Path;
use crate::per_stream::PerStream;
use crate::value::error::Objection;
use crate::value::ids::PathIndex;
use crate::{Bundling, Delivery, Message, Options, Redundancy, SendFailure, SendOptions, Time};

/// Maximum number of outstanding chunks. Gap reports reach no further, and it keeps the ordered
/// messages outstanding on one stream below 2^16 (RFC 9260 §6.1).
const MAX_OUTSTANDING: usize = 65_535;

/// Outstanding chunks beyond those that the send buffer is charged for (our choice).
const MOST_UNCHARGED: usize = 1024;

/// Sends the user data of one association.
#[derive(Clone, Debug)]
pub(crate) struct Outbound {
    queue: SendQueue,
    ring: Ring,
    acked: OnDemand<AckedRanges>,
    /// Memory reused for the next SACK's outcome.
    shares: Option<Box<Shares>>,
    /// Miss indications after which a chunk is lost, 1 to 4.
    missing_reports: u8,
    pub(super) detector: Detector,
    pub(super) extensions: Group<SenderParts>,
    pub(crate) corruption_retransmissions: u32,
    /// Work that SACKs caused beyond the data sent: gap blocks read and chunks reneged on.
    pub(crate) work: u64,
    fast_recovery: FastRecovery,
    bundling: Bundling,
    /// Next stream sequence number.
    ssns: PerStream<u16>,
    streams: u16,
    /// The receive window last advertised by the peer, bytes.
    told_rwnd: u32,
    /// The largest receive window ever advertised by the peer, bytes.
    widest_rwnd: u32,
    /// Bytes handed in by the user and not cumulatively acknowledged by the peer, with overhead.
    buffered: usize,
    /// Buffered bytes that exceeded the buffer when it last filled up, at most 4 GiB.
    overdraft: u32,
    /// The ticket of the newest message.
    last_ticket: Ticket,
    pub(crate) messages_sent: u64,
    pub(crate) bytes_sent: u64,
}

impl Outbound {
    pub(crate) fn new(initial_tsn: Tsn, streams: u16, options: &Options) -> Self {
        let mut extensions: Group<SenderParts> = Group::NONE;
        extensions.put(
            |extensions| &mut extensions.concurrent,
            ConcurrentPaths::chosen(options.multipath),
        );
        Self {
            queue: SendQueue::new(options.scheduler),
            ring: Ring::new(initial_tsn),
            acked: OnDemand::NONE,
            shares: None,
            missing_reports: options.missing_reports,
            detector: Detector::chosen(options.loss_detection, options.multipath),
            extensions,
            corruption_retransmissions: 0,
            work: 0,
            fast_recovery: FastRecovery::Out,
            bundling: options.bundling,
            ssns: PerStream::default(),
            streams,
            told_rwnd: 0,
            widest_rwnd: 0,
            buffered: 0,
            overdraft: 0,
            last_ticket: Ticket::NONE,
            messages_sent: 0,
            bytes_sent: 0,
        }
    }

    /// Whether no more chunks may be outstanding. Behind a lost chunk, the records of chunks that
    /// arrived remain, though the send buffer is no longer charged for them.
    #[inline]
    fn is_full(&self) -> bool {
        let charged = self.buffered / Outgoing::overhead();
        self.ring.len() >= MAX_OUTSTANDING.min(MOST_UNCHARGED + charged)
    }

    /// Applies the streams and receive window granted by the peer. Returns the messages refused.
    pub(crate) fn on_negotiated(&mut self, streams: u16, peer_rwnd: u32) -> Vec<Outgoing> {
        self.streams = streams;
        self.told_rwnd = peer_rwnd;
        self.widest_rwnd = peer_rwnd;
        let refused = self.queue.remove_streams_from(StreamId(streams));
        self.buffered -= refused.iter().map(Outgoing::charge).sum::<usize>();
        if let Some(partial) = self.extensions.partial() {
            partial.forget(&refused);
        }
        if let Some(keys) = self.extensions.message_keys() {
            keys.forget(&refused);
        }
        for Outgoing { message, .. } in &refused {
            self.note_freed(message.stream, message.payload.len());
        }
        refused
    }

    /// Number of chunks sent and not cumulatively acknowledged.
    pub(crate) fn outstanding(&self) -> usize {
        self.ring.len()
    }

    /// Number of messages not yet begun.
    pub(crate) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Decides whether a message enters a buffer with this room, abandoning other messages for it
    /// if possible. On a full buffer, returns the condition that the message waits for.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        message: &Message,
        terms: Option<Terms>,
        room: BufferRoom,
    ) -> Result<(), (Objection, Option<Refusal>)> {
        if message.payload.is_empty() {
            return Err((Objection::Empty, None));
        }
        if message.stream.0 >= self.streams {
            return Err((Objection::InvalidStream, None));
        }
        let after = self.buffered.saturating_add(Outgoing::charge_for(message));
        if after <= room.limit || self.buffered == 0 {
            self.overdraft = overdraft(after, room.limit);
            return Ok(());
        }
        let outcome = self.admit_beyond(message, room, terms);
        outcome.map_err(|refusal| (Objection::BufferFull, Some(refusal)))
    }

    /// Queues a message that was [admitted](Self::admit).
    #[inline]
    pub(crate) fn enqueue(
        &mut self,
        message: Message,
        options: SendOptions,
        terms: Option<Terms>,
        direction: Option<PathIndex>,
    ) {
        let ticket = self.enter(message.stream, terms, options.key);
        self.buffered += Outgoing::charge_for(&message);
        self.note_queued(&message);
        if direction.is_some() {
            self.note_direction();
        }
        self.queue
            .push(Outgoing::new(message, options, ticket, direction));
    }

    pub(crate) const fn streams(&self) -> u16 {
        self.streams
    }

    pub(crate) const fn buffered(&self) -> usize {
        self.buffered
    }

    /// The rest of the window last advertised by the peer, bytes. Chunks marked or abandoned since
    /// are not in flight and use none of it (RFC 9260 §6.2.1 C).
    pub(crate) fn peer_rwnd(&self) -> u32 {
        self.told_rwnd.saturating_sub(self.ring.bytes_in_flight())
    }

    /// The largest window that the peer advertised: its empty buffer, bytes.
    pub(crate) const fn widest_rwnd(&self) -> usize {
        self.widest_rwnd as usize
    }

    /// Largest user data of a chunk: limited by the peer's empty buffer and by the user's setting.
    pub(crate) fn largest_chunk(&self) -> usize {
        self.widest_rwnd().min(self.max_fragment())
    }

    pub(crate) const fn initial_tsn(&self) -> Tsn {
        self.ring.initial_tsn()
    }

    /// The number of the next chunk to be cut.
    pub(crate) fn next_seq(&self) -> u64 {
        self.ring.next_seq()
    }

    /// The number of the chunk with the TSN, if it was ever sent, and the path it was last sent on
    /// unless cumulatively acknowledged.
    pub(crate) fn sent(&self, tsn: Tsn) -> Option<(u64, Option<PathIndex>)> {
        let seq = self.ring.sent_seq(tsn)?;
        Some((seq, self.ring.get(seq).map(|chunk| chunk.path)))
    }

    /// Whether the next chunk leaves although the peer's window is closed.
    pub(crate) fn is_probing(&self) -> bool {
        self.probe() == Some(WindowProbe::Allowed)
    }

    /// Whether nothing is waiting, in flight or to be retransmitted.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.ring.is_empty()
    }

    /// Whether nothing waits to be sent or retransmitted.
    pub(crate) fn is_starved(&self) -> bool {
        self.queue.unsent_bytes() == 0 && self.ring.first_marked_seq().is_none()
    }

    /// Whether a chunk was sent and is not cumulatively acknowledged.
    pub(crate) fn has_outstanding(&self) -> bool {
        !self.ring.is_empty()
    }

    /// Whether a chunk was sent that the peer has neither acknowledged nor may skip.
    fn awaits_delivery(&self) -> bool {
        self.ring.bytes_in_flight() > 0 || self.ring.first_marked_seq().is_some()
    }

    /// Whether only a zero window probe is in flight.
    pub(crate) fn has_probe_only(&self) -> bool {
        let Some(WindowProbe::Sent { seq, .. }) = self.probe() else {
            return false;
        };
        let probe = self.ring.get(seq).map_or(0, |chunk| u32::from(chunk.len));
        self.ring.bytes_in_flight() == probe
    }

    /// The path on which the next retransmission leaves.
    pub(crate) fn retransmission_path(&self) -> Option<PathIndex> {
        let marked = self.ring.first_marked()?;
        (!self.scouts_with_new()).then_some(marked.next_path)
    }

    /// Whether the peer's window allows new data now. With `nagle`, data filling less than a packet
    /// also waits for outstanding data.
    #[inline(always)] // Asked before each packet.
    pub(crate) fn has_new(&self, full: usize, nagle: bool) -> bool {
        let Some(next) = self.next_len(full) else {
            return false;
        };
        if self.is_full() {
            return false;
        }
        if nagle && self.awaits_delivery() && self.queue.unsent_bytes() < full {
            return false;
        }
        self.window_allows(next)
    }

    /// Whether the next new chunk leaves alone in its packet.
    pub(crate) fn next_is_alone(&self, fragment: usize) -> bool {
        self.ring.first_marked_seq().is_none()
            && self
                .next_rest()
                .is_some_and(|rest| self.spares(rest, fragment))
    }

    /// Whether new data waits while nothing is outstanding and the peer's window is closed, so that
    /// only a timer can send a probe.
    #[inline(always)] // Asked after each packet and message.
    pub(crate) fn is_window_blocked(&self, full: impl FnOnce() -> usize) -> bool {
        // A window that fits the longest possible chunk blocks nothing.
        self.told_rwnd < u32::from(u16::MAX) && self.is_narrow_window_shut(full())
    }

    fn is_narrow_window_shut(&self, full: usize) -> bool {
        self.ring.is_empty()
            && self.next_rest().is_some_and(|rest| {
                !self.window_allows(rest) && !self.window_allows(rest.min(full))
            })
    }

    /// The next chunk marked for retransmission on `slot.path`, lowest TSN first, if it fits.
    pub(crate) fn next_retransmission(
        &mut self,
        slot: Slot,
        paths: &mut [Path],
    ) -> Option<Resent<'_>> {
        let seq = self.first_marked_on(slot.path)?;
        let chunk = self.ring.get(seq)?;
        // A chunk cut for a larger path MTU is sent alone in a packet, whatever its length.
        let fits = chunk.wire_len_unpadded() <= slot.room || slot.overlong == Overlong::Taken;
        if !fits || self.is_overdue(seq, slot.now) {
            return None;
        }
        let fast = chunk.state == ChunkState::MarkedFast;
        if let Some(concurrent) = self.extensions.concurrent() {
            concurrent.on_moved(chunk.wire_len(), chunk.path, slot.path);
        }
        if let Some(copies) = self.extensions.copies() {
            copies.forget((seq, slot.path), paths);
        }
        self.ring.resend(seq, slot.now);
        self.on_scout_passed(seq, slot.path);
        let chunk = *self.ring.get(seq)?;
        self.detector.on_again(&chunk, seq);
        let len = chunk.len;
        if let Some(path) = paths.get_mut(usize::from(slot.path.0)) {
            path.on_resent(seq, chunk.wire_len(), slot.now);
            path.counters.chunks_sent += 1;
            path.counters.retransmissions += 1;
            path.counters.bytes_retransmitted += u64::from(len);
            path.counters.fast_retransmissions += u64::from(fast);
        }
        let mut earliest = false;
        for (index, path) in (0..).map(PathIndex).zip(paths.iter_mut()) {
            path.flow.forget_measurement_from(seq);
            earliest |= index == slot.path && path.flow.earliest() == Some(seq);
        }
        Some(Resent {
            piece: self.ring.data(seq, slot.flags)?,
            earliest,
        })
    }

    /// The next new chunk for `slot.path`, if the peer's window allows it and it fits the packet.
    #[inline]
    pub(crate) fn next_new(&mut self, slot: Slot, paths: &mut [Path]) -> Option<Piece<'_>> {
        // Tested first: the previous chunk often filled the packet.
        if slot.room <= Data::HEADER_LEN {
            return None;
        }
        let next = self.next_fragment()?;
        let len = self.fragment_len(slot, next)?;
        if self.is_full() || !self.window_allows(len) {
            return None;
        }
        if self.next_is_overdue(next, slot.now) {
            return None;
        }
        let (seq, short_len) = (self.ring.next_seq(), u16::try_from(len).ok()?);
        let (message, fragment, copied) = if let Some(message) = next.begun {
            let copied = self.has_copies() && self.ring.is_copied(message);
            (message, self.ring.fragment(message, short_len)?, copied)
        } else {
            let outgoing = self.queue.pop()?;
            let copied = outgoing.redundancy == Redundancy::EveryPath;
            let ssn_or_mid = self.take_ssn_or_mid(&outgoing.message);
            let ticket = outgoing.ticket;
            let (message, fragment) = self.ring.begin(outgoing, ssn_or_mid, short_len);
            if let Some(partial) = self.extensions.partial() {
                partial.on_begun(ticket, message, seq);
            }
            (message, fragment, copied)
        };
        self.queue.on_fragmented(len, message, next.rest - len);
        self.bytes_sent += len as u64;
        self.messages_sent += u64::from(len == next.rest);
        self.on_window_used(seq);
        self.on_new_passed();
        if let Some(path) = paths.get_mut(usize::from(slot.path.0)) {
            path.on_sent(seq, wire_len(len), slot.now);
            path.counters.chunks_sent += 1;
        }
        let mut slot = slot;
        if copied {
            slot.flags = slot.flags.union(self.copy_elsewhere(seq, slot.path, paths));
        }
        self.ring.launch(seq, (message, fragment), short_len, slot)
    }

    /// T3-rtx of `path` expired, or another path took over: everything in flight there will be
    /// retransmitted on `onto` (RFC 9260 §6.3.3), and Fast Recovery ends.
    pub(crate) fn on_timeout(
        &mut self,
        now: Time,
        path: PathIndex,
        onto: PathIndex,
        paths: &mut [Path],
    ) {
        self.on_timeout_in_recovery(now, path, onto, paths);
        self.fast_recovery = FastRecovery::Out;
        if let Some(concurrent) = self.extensions.concurrent() {
            concurrent.leave_recovery(path);
        }
    }

    /// Like `on_timeout`, but Fast Recovery continues.
    pub(crate) fn on_timeout_in_recovery(
        &mut self,
        now: Time,
        path: PathIndex,
        onto: PathIndex,
        paths: &mut [Path],
    ) {
        self.ring.mark_path(path, onto);
        if let Some(partial) = self.extensions.partial() {
            partial.suspect_all(self.ring.marked());
        }
        self.detector.on_timeout(path, self.ring.first_seq(), now);
        if let Some(path) = paths.get_mut(usize::from(path.0)) {
            path.flow.on_all_marked();
            path.on_unreported_timed_out();
        }
        self.forget_copies(path);
    }

    /// The path on which the oldest outstanding chunk will leave, if that chunk timed out.
    #[inline]
    pub(crate) fn path_of_oldest_timed_out(&self) -> Option<PathIndex> {
        let oldest = self.ring.first_marked_seq()?;
        let chunk = self.ring.get(oldest)?;
        let timed_out = oldest == self.ring.first_seq() && chunk.state == ChunkState::Marked;
        timed_out.then_some(chunk.next_path)
    }

    pub(crate) fn redirect_oldest(&mut self, onto: PathIndex) {
        self.ring.redirect(self.ring.first_seq(), onto);
    }

    /// Moves retransmissions waiting on `from` to `onto`, because `from` failed.
    pub(crate) fn redirect_marked(&mut self, from: PathIndex, onto: PathIndex) {
        self.ring.redirect_marked(from, onto);
    }

    /// Path `from` was removed: its chunks that the peer may still renege on now belong to `onto`.
    pub(crate) fn rehome(&mut self, from: PathIndex, onto: PathIndex) {
        let moved = self.ring.rehome(from, onto);
        if let Some(concurrent) = self.extensions.concurrent() {
            concurrent.on_moved(moved, from, onto);
        }
    }

    /// Forgets a removed path, whose chunks were [moved](Self::rehome).
    pub(crate) fn forget_path(&mut self, gone: PathIndex) {
        self.detector.forget_path(gone);
        self.forget_scout(gone);
        self.forget_copies(gone);
        if let Some(concurrent) = self.extensions.concurrent() {
            concurrent.forget_path(gone);
        }
    }

    /// Moves retransmissions of chunks that gap reports found lost on `from` to `onto`. Returns
    /// whether there are any.
    pub(crate) fn redirect_fast(&mut self, from: PathIndex, onto: PathIndex) -> bool {
        self.ring.redirect_fast(from, onto)
    }

    /// Frees memory needed only by a busy association, and takes unanswered copies from the flight of `paths`.
    pub(crate) fn trim(&mut self, paths: &mut [Path]) {
        if self.is_empty() {
            self.ring.trim();
            self.queue.trim();
            self.acked.release();
            self.detector.trim();
            self.shares = None;
            if let Some(partial) = self.extensions.partial() {
                partial.trim(self.ring.first_seq());
            }
            if let Some(buffers) = self
                .extensions
                .part(|extensions| &mut extensions.stream_buffers)
            {
                buffers.trim();
            }
            self.extensions
                .put(|extensions| &mut extensions.released, None);
            self.extensions
                .put(|extensions| &mut extensions.corrupted, None);
            // Freed keys are reported after the timers.
            let reported = |keys: &mut MessageKeys| keys.freed.is_empty();
            if self.extensions.message_keys().is_some_and(reported) {
                self.extensions
                    .take(|extensions| &mut extensions.message_keys);
            }
            if let Some(copies) = self.extensions.copies() {
                copies.forget_all(paths);
            }
            self.extensions.take(|extensions| &mut extensions.copies);
        }
    }

    /// Bytes on the heap, excluding user data.
    pub(crate) fn footprint(&self) -> usize {
        self.ring.footprint()
            + self.queue.footprint()
            + self.acked.footprint()
            + self.detector.footprint()
            + self.shares.as_ref().map_or(0, |shares| shares.footprint())
            + self.extensions.footprint()
            + self.extensions.parts_footprint()
            + self.ssns.footprint()
    }

    /// Unacknowledged messages, oldest first.
    pub(crate) fn into_undelivered(self) -> impl Iterator<Item = (Outgoing, SendFailure)> {
        let outstanding = self
            .ring
            .into_outstanding()
            .map(|(outgoing, _)| (outgoing, SendFailure::Unacknowledged));
        outstanding.chain(
            self.queue
                .into_iter()
                .map(|outgoing| (outgoing, SendFailure::Unsent)),
        )
    }

    const fn recovery(&self) -> Recovery {
        self.fast_recovery.recovery()
    }

    /// Like [`next_is_overdue`](Self::next_is_overdue), for a chunk already sent.
    fn is_overdue(&self, seq: u64, now: Time) -> bool {
        let Some(partial) = self.extensions.get(|extensions| &extensions.partial) else {
            return false;
        };
        let ticket = self.ring.ticket(seq);
        ticket.is_some_and(|ticket| partial.is_overdue(ticket, now))
    }

    /// Takes the SSN or MID for a message being begun.
    #[inline]
    fn take_ssn_or_mid(&mut self, message: &Message) -> u32 {
        if let Some(mids) = self.extensions.mids() {
            return mids.take(message);
        }
        if message.delivery == Delivery::Unordered {
            return 0;
        }
        let next = self.ssns.get(message.stream);
        self.ssns
            .replace(message.stream, next.wrapping_add(1))
            .into()
    }
}

#[cfg(test)]
pub(super) mod tests;
