//! The sending half of an association: from the user's message to its last acknowledgement.
//!
//! Messages wait in a [`SendQueue`]; the one at its head is cut into DATA chunks as packets have
//! room, each chunk a slice of the message; what was cut stands in a [`Ring`] until the
//! Cumulative TSN Ack Point passes it.

mod acked;
mod concurrent;
mod corrupted;
mod digest;
mod flow;
mod gap_reports;
mod go_back_n;
mod handover;
mod interleaved;
mod messages;
mod partial;
mod preferences;
mod probe;
mod queue;
mod rack;
mod rare;
mod released;
mod reset;
mod ring;
mod slot;

use alloc::vec::Vec;
use core::mem;
use core::num::NonZeroU64;

use sheave_wire::{Data, DataFlags, StreamId, Tsn};

use self::acked::AckedRanges;
use self::concurrent::Lanes;
pub(crate) use self::corrupted::Detour;
pub(crate) use self::digest::Digest;
pub(crate) use self::flow::Flow;
use self::gap_reports::GapReports;
use self::go_back_n::GoBackN;
pub(crate) use self::partial::{Abandoned, Skip, Terms};
use self::probe::{Answer, Probe};
use self::queue::Turn;
pub(crate) use self::queue::{Outgoing, SendQueue};
use self::rack::Rack;
pub(crate) use self::rack::{NewData, Patience};
use self::rare::Rare;
use self::ring::Ring;
pub(crate) use self::ring::{ChunkState, Sent};
pub(crate) use self::slot::{Overlong, Piece, Resent, Slot};
use crate::congestion::Recovery;
use crate::error::Objection;
use crate::group::Group;
use crate::on_demand::OnDemand;
use crate::path::{Path, PathIndex};
use crate::per_stream::PerStream;
use crate::{
    Acknowledgement, Bundling, Delivery, Message, Options, SendFailure, SendOptions, Time,
};

/// Chunks outstanding at most: gap reports reach no further than this, and no stream can then
/// have more than 2^16 - 1 ordered messages outstanding (RFC 9260 §6.1).
const MAX_OUTSTANDING: usize = 65_535;

/// A fragment is cut to fill up a packet that holds other chunks only if it would be at least
/// this share (a quarter) of a full one.
const LEAST_FILL: usize = 4;

/// Everything about sending user data in one association.
#[derive(Debug)]
pub(crate) struct Outbound {
    queue: SendQueue,
    ring: Ring,
    acked: OnDemand<AckedRanges>,
    gap_reports: OnDemand<GapReports>,
    /// Miss indications that make a chunk lost, 1 to 4.
    missing_reports: u8,
    /// In place of gap reports, where both sides want it.
    go_back_n: Option<GoBackN>,
    rare: Group<Rare>,
    pub(crate) corruption_retransmissions: u32,
    fast_recovery: FastRecovery,
    probe: Probe,
    bundling: Bundling,
    /// Next stream sequence number.
    ssns: PerStream<u16>,
    streams: u16,
    peer_rwnd: u32,
    /// The widest window that the peer has ever told, bytes.
    widest_rwnd: u32,
    /// What the user has handed in and the peer has not cumulatively acknowledged, bytes, with
    /// overhead.
    buffered: usize,
    pub(crate) messages_sent: u64,
    pub(crate) bytes_sent: u64,
}

/// Whether gap reports have shown a loss that is still being repaired (RFC 9260 §7.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FastRecovery {
    Out,
    /// Until everything before `until` is cumulatively acknowledged.
    In {
        until: NonZeroU64,
    },
}

impl Outbound {
    pub(crate) fn new(initial_tsn: Tsn, streams: u16, options: &Options) -> Self {
        let mut rare: Group<Rare> = Group::NONE;
        rare.put(|rare| &mut rare.rack, Rack::chosen(options.loss_detection));
        rare.put(|rare| &mut rare.lanes, Lanes::chosen(options.multipath));
        Self {
            queue: SendQueue::new(options.scheduler),
            ring: Ring::new(initial_tsn),
            acked: OnDemand::NONE,
            gap_reports: OnDemand::NONE,
            missing_reports: options.missing_reports,
            go_back_n: None,
            rare,
            corruption_retransmissions: 0,
            fast_recovery: FastRecovery::Out,
            probe: Probe::Idle,
            bundling: options.bundling,
            ssns: PerStream::default(),
            streams,
            peer_rwnd: 0,
            widest_rwnd: 0,
            buffered: 0,
            messages_sent: 0,
            bytes_sent: 0,
        }
    }

    /// What the peer granted: streams and receive window.
    pub(crate) fn on_negotiated(&mut self, streams: u16, peer_rwnd: u32) -> Vec<Outgoing> {
        self.streams = streams;
        self.peer_rwnd = peer_rwnd;
        self.widest_rwnd = peer_rwnd;
        let refused = self.queue.remove_streams_from(StreamId(streams));
        self.buffered -= refused.iter().map(Outgoing::charge).sum::<usize>();
        if let Some(partial) = self.rare.partial() {
            partial.forget(&refused);
        }
        refused
    }

    /// Whether a message is taken where no more than `limit` bytes may be held; makes room for it
    /// if others may be given up.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        message: &Message,
        terms: Option<Terms>,
        limit: usize,
    ) -> Result<(), Objection> {
        if message.payload.is_empty() {
            return Err(Objection::Empty);
        }
        if message.stream.0 >= self.streams {
            return Err(Objection::InvalidStream);
        }
        let charge = Outgoing::charge_for(message);
        if self.buffered > 0
            && self.buffered.saturating_add(charge) > limit
            && !self.push_out(charge, limit, terms)
        {
            return Err(Objection::BufferFull);
        }
        Ok(())
    }

    /// Takes a message that was [admitted](Self::admit).
    #[inline]
    pub(crate) fn enqueue(&mut self, message: Message, options: SendOptions, terms: Option<Terms>) {
        let ticket = self.enter(message.stream, terms);
        self.buffered += Outgoing::charge_for(&message);
        self.queue.push(Outgoing::new(message, options, ticket));
    }

    /// Both sides want go-back-N acknowledgement; `needed` repeats of a SACK show a loss.
    pub(crate) fn go_back_after(&mut self, needed: u8) {
        self.go_back_n = Some(GoBackN::new(needed));
        self.rare.put(|rare| &mut rare.rack, None);
    }

    pub(crate) const fn streams(&self) -> u16 {
        self.streams
    }

    pub(crate) const fn buffered(&self) -> usize {
        self.buffered
    }

    pub(crate) const fn peer_rwnd(&self) -> u32 {
        self.peer_rwnd
    }

    /// User bytes of a chunk that the peer can take when it has read everything.
    pub(crate) const fn largest_chunk(&self) -> usize {
        self.widest_rwnd as usize
    }

    pub(crate) const fn initial_tsn(&self) -> Tsn {
        self.ring.initial_tsn()
    }

    /// The number of the chunk that will be cut next.
    pub(crate) fn next_seq(&self) -> u64 {
        self.ring.next_seq()
    }

    /// The number of the chunk of that TSN, if it was ever sent, and the path that it was sent on
    /// last, unless it is cumulatively acknowledged.
    pub(crate) fn sent(&self, tsn: Tsn) -> Option<(u64, Option<PathIndex>)> {
        let seq = self.ring.sent_seq(tsn)?;
        Some((seq, self.ring.get(seq).map(|chunk| chunk.path)))
    }

    /// The next chunk goes out although the peer's window is closed.
    pub(crate) fn is_probing(&self) -> bool {
        self.probe == Probe::Allowed
    }

    /// Nothing is waiting, in flight or to be retransmitted.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.ring.is_empty()
    }

    /// Nothing waits to leave, for the first time or again.
    pub(crate) fn is_starved(&self) -> bool {
        self.queue.unsent_bytes() == 0 && self.ring.first_marked_seq().is_none()
    }

    /// Some chunk was sent and is not cumulatively acknowledged.
    pub(crate) fn has_outstanding(&self) -> bool {
        !self.ring.is_empty()
    }

    /// A single chunk was sent and is not cumulatively acknowledged.
    pub(crate) fn has_one_outstanding(&self) -> bool {
        self.ring.len() == 1
    }

    /// The path that the next chunk to be retransmitted goes to.
    pub(crate) fn retransmission_path(&self) -> Option<PathIndex> {
        self.ring.first_marked().map(|chunk| chunk.next_path)
    }

    /// Whether new data may be sent now as far as the peer's window goes, and is worth a packet
    /// of its own: with `nagle`, less than a full packet waits for outstanding data.
    pub(crate) fn has_new(&self, full: usize, nagle: bool) -> bool {
        let Some(next) = self.next_len(full) else {
            return false;
        };
        if self.ring.len() >= MAX_OUTSTANDING {
            return false;
        }
        if nagle && self.has_outstanding() && self.queue.unsent_bytes() < full {
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

    /// New data waits, nothing is outstanding and the peer's window is closed: only a timer can
    /// bring a probe out.
    #[inline]
    pub(crate) fn is_window_blocked(&self, full: impl FnOnce() -> usize) -> bool {
        // A window that takes the longest chunk there can be blocks none.
        !self.window_allows(usize::from(u16::MAX))
            && self.ring.is_empty()
            && self.next_rest().is_some_and(|rest| {
                !self.window_allows(rest) && !self.window_allows(rest.min(full()))
            })
    }

    /// The peer's window stayed closed for an RTO: the next chunk may go out regardless.
    pub(crate) fn allow_probe(&mut self) {
        self.probe = Probe::Allowed;
    }

    /// Whether what is outstanding is a window probe and the peer has answered since the last
    /// expiry of T3-rtx: then the expiry is no sign of failure (RFC 9260 §6.1 A).
    pub(crate) fn take_probe_answer(&mut self) -> bool {
        match &mut self.probe {
            Probe::Sent { answer, .. } => mem::replace(answer, Answer::Silence) == Answer::Heard,
            Probe::Idle | Probe::Allowed => false,
        }
    }

    /// The next chunk marked for retransmission on `slot.path`, lowest TSN first, if it fits.
    pub(crate) fn next_retransmission(
        &mut self,
        slot: Slot,
        paths: &mut [Path],
    ) -> Option<Resent<'_>> {
        let seq = self.first_marked_on(slot.path)?;
        let chunk = self.ring.get(seq)?;
        // A chunk cut for a larger path MTU has a packet to itself, however long.
        let fits = chunk.wire_len_unpadded() <= slot.room || slot.overlong == Overlong::Taken;
        if !fits || self.is_overdue(seq, slot.now) {
            return None;
        }
        let fast = chunk.state == ChunkState::MarkedFast;
        if let Some(lanes) = self.rare.lanes() {
            lanes.on_moved(chunk.wire_len(), chunk.path, slot.path);
        }
        self.ring.resend(seq, slot.now);
        let chunk = *self.ring.get(seq)?;
        if let Some(rack) = self.rare.rack() {
            rack.on_again(&chunk, seq);
        }
        let len = chunk.len;
        self.peer_rwnd = self.peer_rwnd.saturating_sub(u32::from(len));
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

    /// The next chunk of new data for `slot.path`, if there is one, the peer's window allows it
    /// and it fits the packet.
    #[inline]
    pub(crate) fn next_new(&mut self, slot: Slot, paths: &mut [Path]) -> Option<Piece<'_>> {
        // What is asked first after a chunk that filled the packet.
        if slot.room <= Data::HEADER_LEN {
            return None;
        }
        let turn = self.turn()?;
        let len = self.cut_len(slot, turn)?;
        if self.ring.len() >= MAX_OUTSTANDING || !self.window_allows(len) {
            return None;
        }
        if self.next_is_overdue(turn, slot.now) {
            return None;
        }
        let (seq, short_len) = (self.ring.next_seq(), u16::try_from(len).ok()?);
        let (message, cut) = if let Some(message) = turn.begun {
            (message, self.ring.cut(message, short_len)?)
        } else {
            let outgoing = self.queue.pop()?;
            let ordinal = self.take_ordinal(&outgoing.message);
            let ticket = outgoing.ticket;
            let (message, cut) = self.ring.begin(outgoing, ordinal, short_len);
            if let Some(partial) = self.rare.partial() {
                partial.on_begun(ticket, message, seq);
            }
            (message, cut)
        };
        self.queue.on_cut(len, message, turn.rest - len);
        self.bytes_sent += len as u64;
        self.messages_sent += u64::from(len == turn.rest);
        self.on_window_used(seq, len);
        if let Some(path) = paths.get_mut(usize::from(slot.path.0)) {
            path.on_sent(seq, ring::wire_len(len), slot.now);
            path.counters.chunks_sent += 1;
        }
        self.ring.launch(message, cut, short_len, slot)
    }

    /// T3-rtx expired for `path`: everything in flight there is to be sent again, on `onto`
    /// (RFC 9260 §6.3.3).
    pub(crate) fn on_timeout(
        &mut self,
        now: Time,
        path: PathIndex,
        onto: PathIndex,
        paths: &mut [Path],
    ) {
        let freed = self.ring.mark_path(path, onto);
        self.peer_rwnd = self.peer_rwnd.saturating_add(freed);
        if let Some(partial) = self.rare.partial() {
            partial.suspect_all(self.ring.marked());
        }
        if self.gap_reports.exists() {
            self.gap_reports.restart(self.ring.first_seq());
        }
        if let Some(rule) = &mut self.go_back_n {
            rule.on_timeout();
        }
        if let Some(rack) = self.rare.rack() {
            rack.on_timeout(path, now);
        }
        if let Some(lanes) = self.rare.lanes() {
            lanes.on_timeout(path, self.ring.first_seq());
        }
        self.fast_recovery = FastRecovery::Out;
        if let Some(path) = paths.get_mut(usize::from(path.0)) {
            path.flow.on_all_marked();
        }
    }

    /// Sends what waits for retransmission on `from` to `onto` instead, since `from` went down.
    pub(crate) fn redirect_marked(&mut self, from: PathIndex, onto: PathIndex) {
        self.ring.redirect_marked(from, onto);
    }

    /// Sends again on `onto` what gap reports have shown to be lost on `from`. Whether there is
    /// such a chunk.
    pub(crate) fn redirect_fast(&mut self, from: PathIndex, onto: PathIndex) -> bool {
        self.ring.redirect_fast(from, onto)
    }

    /// Gives back what only a busy association needs.
    pub(crate) fn trim(&mut self) {
        if self.is_empty() {
            self.ring.trim();
            self.queue.trim();
            self.acked.release();
            self.gap_reports.release();
            self.rare.put(|rare| &mut rare.released, None);
            if let Some(rack) = self.rare.rack() {
                rack.trim();
            }
            self.rare.put(|rare| &mut rare.corrupted, None);
        }
    }

    /// Bytes on the heap, user data not counted.
    pub(crate) fn footprint(&self) -> usize {
        self.ring.footprint()
            + self.queue.footprint()
            + self.acked.footprint()
            + self.gap_reports.footprint()
            + self.rare.footprint()
            + self.rare.rack.as_ref().map_or(0, |rack| rack.footprint())
            + self
                .rare
                .lanes
                .as_ref()
                .map_or(0, |lanes| lanes.footprint())
            + self
                .rare
                .released
                .as_ref()
                .map_or(0, |_| size_of::<AckedRanges>())
            + self.ssns.footprint()
            + self
                .rare
                .partial
                .as_ref()
                .map_or(0, |partial| partial.footprint())
            + self.rare.mids.as_ref().map_or(0, |mids| mids.footprint())
            + self
                .rare
                .preferences
                .as_ref()
                .map_or(0, |preferences| preferences.footprint())
    }

    /// Everything that was not acknowledged, oldest first.
    pub(crate) fn into_undelivered(self) -> impl Iterator<Item = (Outgoing, SendFailure)> {
        let flying = self
            .ring
            .into_flying()
            .map(|outgoing| (outgoing, SendFailure::Unacknowledged));
        flying.chain(
            self.queue
                .into_iter()
                .map(|outgoing| (outgoing, SendFailure::Unsent)),
        )
    }

    /// Where a Fast Recovery that begins now ends: after all that is outstanding.
    fn recovery_point(&self) -> NonZeroU64 {
        NonZeroU64::new(self.ring.next_seq()).unwrap_or(NonZeroU64::MIN)
    }

    const fn recovery(&self) -> Recovery {
        match self.fast_recovery {
            FastRecovery::Out => Recovery::Open,
            FastRecovery::In { .. } => Recovery::Fast,
        }
    }

    /// Whether the chunk that would be cut next is of a message whose time has run out: the timer
    /// that gives it up is due.
    #[inline]
    fn next_is_overdue(&self, turn: Turn, now: Time) -> bool {
        let Some(partial) = self.rare.get(|rare| &rare.partial) else {
            return false;
        };
        let ticket = match turn.begun {
            Some(message) => self.ring.ticket_of(message),
            None => self.queue.front_ticket(),
        };
        ticket.is_some_and(|ticket| partial.is_overdue(ticket, now))
    }

    /// As [`next_is_overdue`](Self::next_is_overdue), for a chunk that was sent.
    fn is_overdue(&self, seq: u64, now: Time) -> bool {
        let Some(partial) = self.rare.get(|rare| &rare.partial) else {
            return false;
        };
        let ticket = self.ring.ticket(seq);
        ticket.is_some_and(|ticket| partial.is_overdue(ticket, now))
    }

    /// The SSN or MID of a message that is begun.
    fn take_ordinal(&mut self, message: &Message) -> u32 {
        if let Some(mids) = self.rare.mids() {
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

    /// What is cut next: the message that was begun, or a new one.
    #[inline(always)] // A few instructions, asked for by every chunk.
    fn turn(&self) -> Option<Turn> {
        // An association that only receives is asked after each packet.
        if self.queue.unsent_bytes() == 0 {
            return None;
        }
        if let Some(turn) = self.queue.interleaved() {
            return turn;
        }
        if let Some((message, rest)) = self.ring.partial() {
            return Some(Turn {
                rest,
                begun: Some(message),
            });
        }
        let rest = self.queue.front_len()?;
        Some(Turn { rest, begun: None })
    }

    /// Bytes still to be cut of the message whose turn it is.
    fn next_rest(&self) -> Option<usize> {
        self.turn().map(|turn| turn.rest)
    }

    /// User bytes of the next chunk in a packet of its own.
    fn next_len(&self, full: usize) -> Option<usize> {
        self.next_rest().map(|rest| rest.min(full))
    }

    /// User bytes of the next chunk in this slot: the rest of the message if it fits; else, for a
    /// message that no packet could hold whole, what fits, in multiples of four so that packets
    /// of a train are equally long.
    #[inline]
    fn cut_len(&self, slot: Slot, turn: Turn) -> Option<usize> {
        let rest = turn.rest;
        let room = slot.room.checked_sub(Data::HEADER_LEN)?.min(slot.fragment);
        if self.spares(rest, slot.fragment) && room < slot.fragment {
            return None;
        }
        if rest <= room {
            return Some(rest);
        }
        if rest <= slot.fragment && turn.begun.is_none() {
            return None;
        }
        let cut = room & !3;
        (cut > 0 && cut >= slot.fragment / LEAST_FILL).then_some(cut)
    }

    /// Whether the next chunk of a message of which `rest` bytes are left fills a packet that it
    /// is not to share.
    fn spares(&self, rest: usize, fragment: usize) -> bool {
        self.bundling == Bundling::SpareFullChunks && rest >= fragment
    }

    // RFC 9260 §6.1 A
    fn window_allows(&self, len: usize) -> bool {
        self.probe == Probe::Allowed || len <= self.peer_rwnd as usize
    }

    fn on_window_used(&mut self, seq: u64, len: usize) {
        if self.probe == Probe::Allowed {
            self.probe = Probe::Sent {
                seq,
                answer: Answer::Silence,
            };
        }
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        self.peer_rwnd = self.peer_rwnd.saturating_sub(len);
    }
}

/// The I bit for a message's last chunk, if its sender asked for it (RFC 9260 §3.3.1).
const fn immediate_flag(acknowledgement: Acknowledgement) -> DataFlags {
    match acknowledgement {
        Acknowledgement::Delayed => DataFlags::EMPTY,
        Acknowledgement::Immediate => DataFlags::IMMEDIATE,
    }
}

#[cfg(test)]
mod tests;
