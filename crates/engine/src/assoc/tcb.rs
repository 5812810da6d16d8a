use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::num::NonZeroU16;

use sheave_wire::{CommonHeader, StreamId, Tsn, Vtag};

use super::accounting::Accounting;
use super::chunk_counts::ChunkCounts;
use super::control::ControlQueue;
use super::extensions::{AssocExtensions, protection};
use super::handshake::Handshake;
use super::refusals::Refusals;
use crate::cookie::TieTags;
use crate::group::Group;
use crate::inbound::{Acknowledger, Inbound};
use crate::memory::Booking;
use crate::outbound::{BufferRoom, Outbound, Outgoing, Refusal, Terms};
use crate::path::Path;
use crate::paths::Paths;
use crate::phase::{Transition, Trigger};
use crate::pool::Pool;
use crate::replies::{Envelope, Replies};
use crate::rng::Rng;
use crate::timers::Timers;
use crate::value::error::Objection;
use crate::value::event::Events;
use crate::value::extension::ExtensionSet;
use crate::{
    AssocId, AssocStats, Coalescing, DeliverySacks, Event, Message, Options, Origin, Phase, Policy,
    ProtectionStats, Received, Redundancy, Routes, SendFailure, SendOptions, StreamError,
    StreamScheduler, Time,
};

/// The environment of an association while it handles an event.
pub(crate) struct Context<'a> {
    pub(crate) now: Time,
    pub(crate) rng: &'a mut Rng,
    pub(crate) events: &'a mut Events,
    /// Queue of packets sent outside associations.
    pub(crate) replies: &'a mut Replies,
    /// Memory pool for received messages.
    pub(crate) pool: &'a mut Pool,
    /// The host's routes, if the driver provides them.
    pub(crate) routes: Option<&'a dyn Routes>,
    /// Bytes of user data that the endpoint may hold in addition.
    pub(crate) memory_left: usize,
}

/// Whether to close the association as soon as its phase allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Open,
    Closed,
}

/// Whether the heap may hold more memory than an idle association needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spare {
    None,
    Some,
}

/// The state of one association (transmission control block, RFC 9260 §14).
///
/// DEVIATION from the shared design: it exists from COOKIE-WAIT on at the side that connects,
/// since messages, paths and timers are the same before and after the handshake; what the peer
/// says of itself is filled in when its INIT ACK comes, before any data is dispatched.
#[derive(Clone, Debug)]
pub(crate) struct Tcb {
    pub(crate) id: AssocId,
    pub(crate) phase: Phase,
    pub(super) wish: Wish,
    refusals: Refusals,
    pub(super) spare: Spare,
    pub(crate) options: Arc<Options>,
    pub(crate) local_port: u16,
    pub(crate) remote_port: u16,
    pub(crate) local_tag: Vtag,
    /// The verification tag of packets to the peer, once known.
    pub(crate) peer_tag: Option<Vtag>,
    pub(crate) tie_tags: TieTags,
    /// Our addresses known to the peer.
    pub(crate) local: Arc<[IpAddr]>,
    pub(crate) paths: Paths,
    pub(super) timers: Timers,
    pub(super) outbound: Outbound,
    pub(super) inbound: Inbound,
    pub(super) acknowledger: Acknowledger,
    pub(super) inbound_streams: u16,
    /// Extensions that both ends support.
    pub(super) agreed: ExtensionSet,
    /// Extensions announced to the peer.
    pub(crate) announced: ExtensionSet,
    pub(crate) extensions: Group<AssocExtensions>,
    pub(super) control: ControlQueue,
    pub(super) sacks_sent: u32,
    pub(super) sacks_received: u32,
    pub(super) chunks: ChunkCounts,
    /// The endpoint's records: whether the association is in its queue of possible senders, and its
    /// entry in the table of deadlines.
    pub(crate) accounting: Accounting,
    /// The endpoint's memory accounting for this association.
    pub(crate) memory: Booking,
}

/// Components of a new association.
pub(crate) struct TcbParts {
    pub(crate) id: AssocId,
    pub(crate) phase: Phase,
    pub(crate) options: Arc<Options>,
    pub(crate) ports: (u16, u16),
    /// Our tag and, if known, the peer's.
    pub(crate) tags: (Vtag, Option<Vtag>),
    pub(crate) tie_tags: TieTags,
    pub(crate) local: Arc<[IpAddr]>,
    pub(crate) paths: Paths,
    pub(crate) outbound: Outbound,
    pub(crate) inbound: Inbound,
    pub(crate) inbound_streams: u16,
    pub(crate) handshake: Option<Box<Handshake>>,
}

impl Tcb {
    pub(super) fn assemble(parts: TcbParts) -> Self {
        let acknowledger = Acknowledger::of(&parts.options);
        let mut extensions: Group<AssocExtensions> = Group::NONE;
        extensions.put(|extensions| &mut extensions.handshake, parts.handshake);
        Self {
            id: parts.id,
            phase: parts.phase,
            wish: Wish::Open,
            refusals: Refusals::NONE,
            spare: Spare::None,
            options: parts.options,
            local_port: parts.ports.0,
            remote_port: parts.ports.1,
            local_tag: parts.tags.0,
            peer_tag: parts.tags.1,
            tie_tags: parts.tie_tags,
            local: parts.local,
            paths: parts.paths,
            timers: Timers::default(),
            outbound: parts.outbound,
            inbound: parts.inbound,
            acknowledger,
            inbound_streams: parts.inbound_streams,
            agreed: ExtensionSet::NONE,
            announced: ExtensionSet::NONE,
            extensions,
            control: ControlQueue::EMPTY,
            sacks_sent: 0,
            sacks_received: 0,
            chunks: ChunkCounts::default(),
            accounting: Accounting::default(),
            memory: Booking::default(),
        }
    }

    /// Whether a message is accepted, and its terms. Makes room by abandoning other messages if
    /// possible.
    #[inline]
    pub(crate) fn admit(
        &mut self,
        now: Time,
        memory_left: usize,
        (message, options): (&Message, &SendOptions),
    ) -> Result<Option<Terms>, Objection> {
        if !self.phase.takes_messages() || self.wish == Wish::Closed {
            return Err(Objection::ShuttingDown);
        }
        if message.payload.len() > self.options.max_message_size {
            return Err(Objection::TooLarge);
        }
        if self.extensions.hidden()(message) {
            return Err(Objection::InvalidStream);
        }
        if self.extensions.awaits_protection(self.phase) {
            return Err(Objection::BufferFull);
        }
        if let Some(key) = options.key {
            self.message_key(key).map_err(Objection::Key)?;
        }
        let room = self.room_for(Outgoing::charge_for(message), memory_left);
        let terms = self.terms(now, options);
        match self.outbound.admit(message, terms, room) {
            Ok(()) => Ok(terms),
            Err((objection, refusal)) => {
                if let Some(refusal) = refusal {
                    self.refusals.add(refusal);
                }
                Err(objection)
            }
        }
    }

    /// Queues a message that was [admitted](Self::admit).
    #[inline]
    pub(crate) fn enqueue(
        &mut self,
        message: Message,
        mut options: SendOptions,
        terms: Option<Terms>,
    ) {
        let direction = options.destination.and_then(|ip| self.paths.find(ip));
        let most = self.options.redundancy;
        options.redundancy = options.redundancy.decide(message.payload.len(), most);
        if let Some(key) = options.key {
            options.key = self.message_key(key).unwrap_or(None);
            options.redundancy = Redundancy::OnePath;
        }
        self.outbound.enqueue(message, options, terms, direction);
    }

    pub(crate) fn outstanding(&self) -> usize {
        self.outbound.outstanding()
    }

    pub(crate) fn waiting(&self) -> usize {
        self.outbound.waiting()
    }

    /// Whether any message sent may be abandoned.
    pub(crate) fn gives_up(&self) -> bool {
        self.outbound.is_partial()
    }

    pub(crate) fn set_stream_scheduler(&mut self, scheduler: StreamScheduler) {
        self.outbound.set_scheduler(scheduler);
    }

    pub(crate) fn set_stream_priority(
        &mut self,
        stream: StreamId,
        priority: u16,
    ) -> Result<(), StreamError> {
        if stream.0 >= self.outbound.streams() {
            return Err(StreamError::Unknown);
        }
        self.outbound.set_priority(stream, priority);
        Ok(())
    }

    pub(crate) fn set_stream_weight(
        &mut self,
        stream: StreamId,
        weight: NonZeroU16,
    ) -> Result<(), StreamError> {
        if stream.0 >= self.outbound.streams() {
            return Err(StreamError::Unknown);
        }
        self.outbound.set_weight(stream, weight);
        Ok(())
    }

    pub(crate) fn stream_priority(&self, stream: StreamId) -> u16 {
        self.outbound.priority(stream)
    }

    pub(crate) fn stream_weight(&self, stream: StreamId) -> u16 {
        self.outbound.weight(stream)
    }

    pub(crate) fn set_max_fragment(&mut self, most: Option<NonZeroU16>) {
        self.outbound.set_max_fragment(most);
    }

    /// The peer address that a message came from.
    pub(crate) fn source(&self, origin: Origin) -> Option<IpAddr> {
        Some(self.paths.get(origin.path)?.remote.ip)
    }

    /// The Cumulative TSN received from the peer.
    pub(crate) fn cumulative_tsn(&self) -> Tsn {
        self.inbound.cumulative_tsn()
    }

    pub(crate) fn set_low_water(
        &mut self,
        stream: StreamId,
        bytes: Option<usize>,
    ) -> Result<(), StreamError> {
        if stream.0 >= self.outbound.streams() {
            return Err(StreamError::Unknown);
        }
        self.outbound.set_low_water(stream, bytes);
        Ok(())
    }

    pub(crate) fn stream_buffered(&self, stream: StreamId) -> usize {
        self.outbound.stream_buffered(stream)
    }

    /// Notifies the user of streams whose buffers fell to their low-water marks.
    #[inline]
    pub(crate) fn report_low_streams(&mut self, events: &mut Events) {
        if self.outbound.counts_streams() {
            self.report_fallen_streams(events);
        }
    }

    #[cold]
    #[inline(never)]
    fn report_fallen_streams(&mut self, events: &mut Events) {
        for stream in self.outbound.take_low_streams() {
            events.push(self.id, Event::StreamBufferLow { stream });
        }
    }

    pub(crate) fn stream_scheduler(&self) -> StreamScheduler {
        let chosen = self.outbound.chosen_scheduler();
        chosen.unwrap_or(self.options.scheduler)
    }

    /// The buffer room for a message charged `charge` bytes. Skips the exact computation if the
    /// minimum buffer already fits it.
    #[inline]
    fn room_for(&self, charge: usize, memory_left: usize) -> BufferRoom {
        let held = self.outbound.buffered();
        let ceiling = held.saturating_add(memory_left);
        let limit = self.options.send_buffer.min(ceiling);
        if held.saturating_add(charge) <= limit {
            let admission = self.options.admission;
            return BufferRoom {
                limit,
                ceiling,
                admission,
            };
        }
        self.buffer_room(charge, memory_left)
    }

    /// The buffer room for messages charged `charge` bytes each.
    fn buffer_room(&self, charge: usize, memory_left: usize) -> BufferRoom {
        let ceiling = self.outbound.buffered().saturating_add(memory_left);
        BufferRoom {
            limit: self.send_buffer_for(charge).min(ceiling),
            ceiling,
            admission: self.options.admission,
        }
    }

    /// Whether the association uses one of these local addresses.
    pub(crate) fn is_at_any(&self, ours: &[IpAddr]) -> bool {
        ours.iter().any(|ip| self.local.contains(ip))
    }

    /// Whether [`Admission::WhileNotFull`](crate::Admission::WhileNotFull) would accept a message
    /// now, if messages usually have `length` bytes. If not, the user is notified once it would.
    pub(crate) fn is_open(&mut self, length: usize, memory_left: usize) -> bool {
        let charge = Outgoing::overhead().saturating_add(length);
        let room = self.buffer_room(charge, memory_left);
        let has_room = self.outbound.takes_any(0, room);
        if !has_room {
            self.refusals.add(Refusal::Buffer { charge });
        }
        has_room
    }

    #[inline(always)] // So that the message is moved once.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        memory_left: impl FnOnce() -> usize,
    ) -> Option<Received> {
        let mut received = self.inbound.receive();
        while let Some(part) = &received
            && self.extensions.shield.is_some()
            && protection::is_for_key_managers(&part.message)
        {
            received = self.inbound.receive();
        }
        if let Some(Received { message, .. }) = &received {
            self.note_read(now, message.payload.len(), memory_left);
            let due = match self.options.delivery_sacks {
                DeliverySacks::WhenWindowOpens => self.inbound.window_update_due(),
                DeliverySacks::Always => true,
            };
            if due && self.phase.receives_data() {
                self.acknowledger.request_now();
            }
        }
        received
    }

    pub(crate) fn unread(&self) -> usize {
        self.inbound.unread()
    }

    /// Whether a SACK must leave now.
    pub(crate) fn owes_sack(&self, now: Time) -> bool {
        self.acknowledger.is_due(now)
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.inbound.is_readable()
    }

    /// Takes the association apart: the sender with undelivered messages, and the received messages
    /// not read by the user.
    pub(super) fn into_remains(self) -> (Outbound, Vec<Received>) {
        (self.outbound, self.inbound.into_unread())
    }

    /// Our first TSN.
    pub(crate) fn initial_tsn(&self) -> Tsn {
        self.outbound.initial_tsn()
    }

    /// The addressing of this association's last packet.
    pub(crate) fn farewell_envelope(&self) -> Option<Envelope> {
        self.paths.current_path().map(|path| Envelope {
            local: path.local,
            remote: path.remote,
            marking: path.marking(&self.options),
        })
    }

    /// Applies a trigger by the table in `phase`.
    pub(super) fn step(&mut self, trigger: Trigger) -> Transition {
        let transition = self.phase.next(trigger);
        if let Transition::To(phase) = transition {
            self.phase = phase;
        }
        transition
    }

    /// Notifies the user when a refused message would be accepted. The writer of a large message is
    /// not woken for every few free bytes.
    #[inline]
    pub(crate) fn announce_room(
        &mut self,
        events: &mut Events,
        memory_left: impl FnOnce() -> usize,
    ) {
        if self.refusals.is_empty() {
            return;
        }
        let memory_left = memory_left();
        let opens = |refusal: Refusal| {
            let room = self.buffer_room(refusal.room(), memory_left);
            self.outbound.is_open_to(refusal, room)
        };
        if self.refusals.any(opens) {
            self.refusals = Refusals::NONE;
            events.push(self.id, Event::Writable);
        }
    }

    pub(crate) fn header(&self) -> CommonHeader {
        CommonHeader {
            source_port: self.local_port,
            destination_port: self.remote_port,
            // RFC 9260 §8.5.1 A: tag 0 is for INIT, the only chunk sent before the tag is known.
            vtag: self.peer_tag.unwrap_or(Vtag(0)),
        }
    }

    pub(super) fn is_nagle(&self) -> bool {
        self.options.coalescing == Coalescing::Nagle
    }

    /// Whether all addresses of the association are routed to it.
    #[inline]
    pub(crate) fn is_routed(&self) -> bool {
        usize::from(self.accounting.routed) == self.paths.len()
    }

    /// Bytes of user data held, with overhead.
    pub(crate) fn memory(&self) -> usize {
        self.outbound.buffered() + self.inbound.memory()
    }

    /// The time at which [`handle_timeout`](Self::handle_timeout) must be called.
    pub(crate) fn deadline(&self) -> Option<Time> {
        match (self.timers.next(), self.acknowledger.deadline()) {
            (Some(timer), Some(sack)) => Some(timer.min(sack)),
            (timer, sack) => timer.or(sack),
        }
    }

    pub(crate) fn stats(&self) -> AssocStats {
        let sum = |of: fn(&Path) -> u64| self.paths.iter().map(of).sum();
        let received = self.inbound.stats();
        let (tail_probes, spurious_retransmissions) = self.outbound.rack_counts();
        let rare = self.extensions.rare_counts.as_deref();
        let rare = rare.copied().unwrap_or_default();
        AssocStats {
            phase: self.phase,
            local_port: self.local_port,
            remote_port: self.remote_port,
            outbound_streams: self.outbound.streams(),
            inbound_streams: self.inbound_streams,
            send_buffered: self.outbound.buffered(),
            receive_buffered: self.inbound.buffered(),
            peer_rwnd: self.outbound.peer_rwnd(),
            rwnd: self.inbound.rwnd(),
            messages_sent: self.outbound.messages_sent,
            messages_received: received.messages,
            bytes_sent: self.outbound.bytes_sent,
            bytes_retransmitted: sum(|path| path.counters.bytes_retransmitted),
            bytes_received: received.bytes,
            packets_sent: sum(|path| path.counters.packets_sent),
            packets_received: sum(|path| path.counters.packets_received),
            duplicates_received: rare.duplicates_received,
            dropped_for_memory: received.dropped_for_memory.into(),
            damaged_received: self
                .extensions
                .damage
                .as_ref()
                .map_or(0, |damage| damage.found()),
            damage_retransmissions: self.outbound.corruption_retransmissions.into(),
            drop_reports_sent: self
                .extensions
                .drop_reports
                .as_ref()
                .map_or(0, |all| all.sent().into()),
            marks_received: self
                .extensions
                .marks
                .as_ref()
                .map_or(0, |marks| marks.received()),
            mark_cuts: self
                .extensions
                .marks
                .as_ref()
                .map_or(0, |marks| marks.cuts()),
            unauthenticated: (self.extensions.authenticator.as_ref())
                .map_or(0, |found| found.unproved),
            failed_authentications: (self.extensions.authenticator.as_ref())
                .map_or(0, |found| found.failed),
            protection: (self.extensions.shield.as_ref())
                .map_or_else(ProtectionStats::default, |shield| shield.stats),
            messages_abandoned: Policy::ALL
                .map(|policy| self.abandonments(policy, None).total())
                .iter()
                .sum(),
            skips_sent: self.outbound.skips_sent(),
            skips_received: self.inbound.skips(),
            sacks_sent: self.sacks_sent.into(),
            sacks_received: self.sacks_received.into(),
            chunks_sent: sum(|path| path.counters.chunks_sent - path.counters.retransmissions),
            unordered_chunks_sent: rare.unordered_sent,
            chunks_received: received.chunks.into(),
            unordered_chunks_received: rare.unordered_received,
            early_chunks_received: rare.early_received,
            control_chunks_sent: u64::from(self.chunks.control_sent)
                + u64::from(self.sacks_sent)
                + self.outbound.skips_sent(),
            control_chunks_received: self.chunks.control_received.into(),
            gaps_received: rare.gaps_received,
            retransmissions: sum(|path| path.counters.retransmissions),
            fast_retransmissions: sum(|path| path.counters.fast_retransmissions),
            timeouts: sum(|path| path.counters.timeouts.into()),
            work: self.inbound.work() + self.outbound.work,
            tail_probes,
            spurious_retransmissions,
        }
    }

    /// Bytes of this structure and its heap memory, excluding queued user data.
    pub(crate) fn footprint(&self) -> usize {
        size_of::<Self>()
            + self.paths.footprint()
            + self.timers.footprint()
            + self.extensions.footprint()
            + self.extensions.parts_footprint()
            + self.control.footprint()
            + self.outbound.footprint()
            + self.inbound.footprint()
    }
}

/// Reports messages that will not be delivered, but for those that are `hidden` from users.
pub(super) fn report_failed(
    id: AssocId,
    events: &mut Events,
    failed: impl IntoIterator<Item = (Outgoing, SendFailure)>,
    hidden: fn(&Message) -> bool,
) {
    let of_users = |(outgoing, _): &(Outgoing, _)| !hidden(&outgoing.message);
    for (outgoing, failure) in failed.into_iter().filter(of_users) {
        events.push(
            id,
            Event::SendFailed {
                message: outgoing.message,
                context: outgoing.context,
                failure,
            },
        );
    }
}

#[cfg(test)]
mod tests;
