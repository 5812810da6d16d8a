use alloc::boxed::Box;
use core::net::IpAddr;
use core::ops::ControlFlow;
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{
    Asconf, Cause, Chunk, ChunkType, Data, DataFlags, ErrorChunk, Packet, Sack, Tsn,
};

use super::control::Control;
use super::extensions::protection::Opened;
use super::shutdown::{Ending, own_bytes};
use super::tcb::{Context, Tcb};
use crate::congestion::Loss;
use crate::flight::share::Reports;
use crate::inbound::{Arrival, PacketSeen};
use crate::path::{Path, Urgency};
use crate::paths::Repeated;
use crate::value::ids::PathIndex;
use crate::{Ecn, Event, FastRetransmissions, PeerAddress, Phase, ProtectionChange, Time};

/// A packet for this association, with valid tag and checksum.
pub(crate) struct Incoming<'a> {
    pub(crate) packet: &'a Packet<'a>,
    pub(crate) local: IpAddr,
    pub(crate) remote: PeerAddress,
    /// The path it came on, if already looked up and found.
    pub(crate) path: Option<PathIndex>,
    pub(crate) ecn: Ecn,
    /// Leading chunks already handled by the endpoint.
    pub(crate) handled: usize,
    /// Whether these included an AUTH chunk.
    pub(crate) proof: Proof,
    /// The keys that opened the DTLS chunk around the packet.
    pub(crate) opened: Option<Opened>,
}

impl Incoming<'_> {
    /// Our address and the peer's.
    pub(crate) const fn ends(&self) -> (IpAddr, PeerAddress) {
        (self.local, self.remote)
    }
}

/// Whether the chunks being handled are authenticated (RFC 4895 §6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Proof {
    #[default]
    None,
    /// The chunks follow a valid AUTH chunk.
    Given,
}

/// The state of reading one packet, shared by the chunk handlers.
pub(super) struct Reading {
    from: PathIndex,
    /// The local address the packet came to, if it differs from its path's own.
    source: Option<IpAddr>,
    seen: PacketSeen,
    /// Whether the packet contains a duplicate DATA or FORWARD TSN.
    repeated: Repeated,
    place: ChunkPosition,
    pub(super) proof: Proof,
    /// The lowest TSN of the packet's new DATA.
    lowest_tsn: Option<Tsn>,
    /// Bytes sent in reply to the packet.
    replied: usize,
}

/// The position of a chunk in its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkPosition {
    First,
    Later,
}

impl Tcb {
    /// Handles the chunks of a packet in order (RFC 9260 §6.10). Returns whether the whole packet
    /// was well formed.
    pub(crate) fn handle_packet(
        &mut self,
        cx: &mut Context<'_>,
        incoming: &Incoming<'_>,
    ) -> Result<WellFormed, Box<Ending>> {
        if self.phase == Phase::CookieWait {
            self.learn_address(cx, incoming.remote);
        }
        let from = match incoming
            .path
            .or_else(|| self.paths.find(incoming.remote.ip))
        {
            Some(from) => {
                if !self.lacks_proof(incoming) {
                    self.note_arrival(cx.now, incoming, from);
                }
                from
            }
            // In a packet authenticated by its keys, the address in ASCONF is not used for lookup.
            None if incoming.opened.is_some() => self.paths.current(),
            None => match self.path_named_by(leading_asconf(incoming.packet)) {
                Some(from) => from,
                None => return Ok(WellFormed::Yes),
            },
        };
        let own = self.paths.get(from).map(|path| path.local);
        let mut reading = Reading {
            from,
            source: own
                .filter(|own| *own != incoming.local)
                .map(|_| incoming.local),
            seen: PacketSeen::default(),
            repeated: Repeated::No,
            place: ChunkPosition::First,
            proof: incoming.proof,
            lowest_tsn: None,
            replied: 0,
        };
        let was_readable = self.is_readable();
        let unread = self.inbound.unread();
        let cumulative = self.inbound.cumulative_tsn();
        self.inbound.on_packet(from);
        let mut well_formed = WellFormed::Yes;
        let mut chunks = incoming.packet.chunks();
        for _ in 0..incoming.handled {
            chunks.next_raw();
        }
        while !chunks.is_over() {
            if let Some(data) = chunks.next_data() {
                if self.admits(ChunkType::DATA, &reading) {
                    self.on_data(cx, &data, &mut reading)?;
                }
            } else if let ControlFlow::Break(verdict) =
                self.handle_other(cx, incoming, &mut chunks, &mut reading)?
            {
                well_formed = verdict;
                break;
            }
            reading.place = ChunkPosition::Later;
        }
        if reading.seen.has_data() {
            if from != self.paths.sack_path() {
                self.acknowledger.on_other_path();
                self.on_asked_elsewhere(cx.now, from);
            }
            self.paths
                .choose_sack_path(from, reading.source, reading.repeated);
            self.acknowledger.on_packet(cx.now, reading.seen);
        }
        if incoming.ecn == Ecn::Ce
            && let Some(tsn) = reading.lowest_tsn
        {
            self.on_marked_packet(tsn);
        }
        self.on_packet_while_shutting_down(cx, &reading, cumulative);
        self.report_broken_off(cx);
        if let Some(shield) = self.extensions.shield()
            && shield.collect_messages(&mut self.inbound, unread)
        {
            let arrived = Event::Protection(ProtectionChange::Message);
            cx.events.push(self.id, arrived);
        }
        if !was_readable && self.is_readable() {
            cx.events.push(self.id, Event::Readable);
        }
        Ok(well_formed)
    }

    /// Whether a packet begins with an unauthenticated chunk that requires authentication. Such a
    /// packet may be forged, or come from a peer that has lost its state and our keys.
    pub(super) fn lacks_proof(&self, incoming: &Incoming<'_>) -> bool {
        let first = incoming.packet.first_chunk_type();
        incoming.proof == Proof::None
            && first.is_some_and(|first| self.extensions.asks_proof_of(first))
    }

    /// Notes what a valid packet shows about its path: it works in this direction, and the peer's
    /// UDP port may have changed (RFC 6951 §5.4). If the peer is silent, it may be reachable from
    /// the local address that it sends to. A packet to another local address shows the NAT's port
    /// for that address, which may differ from the path's.
    // DEVIATION RFC 9260 §7.2.5.2: answering from another of our addresses leaves the congestion
    // window alone: under a peer that writes to several in turn it would never grow.
    fn note_arrival(&mut self, now: Time, incoming: &Incoming<'_>, from: PathIndex) {
        let may_leave = self.may_leave_from(incoming.local);
        let Some(path) = self.paths.get_mut(from) else {
            return;
        };
        path.counters.packets_received += 1;
        let is_own = path.local == incoming.local;
        let is_heard = path.errors == 0 && path.counters.packets_received > 1;
        let port = incoming.remote.encapsulation;
        let moved = (is_own || !is_heard) && path.remote.encapsulation != port;
        if moved {
            path.remote.encapsulation = port;
        }
        if path.errors > 0 && !is_own && may_leave {
            path.leave_from(incoming.local);
        }
        if moved {
            self.on_port_moved(now, from);
        }
    }

    pub(super) fn on_data(
        &mut self,
        cx: &mut Context<'_>,
        data: &Data<'_>,
        reading: &mut Reading,
    ) -> Result<(), Ending> {
        if !self.phase.receives_data() {
            return Ok(());
        }
        if data.payload.is_empty() {
            return Err(Ending::no_user_data(data.tsn));
        }
        let before = self.inbound.memory();
        let room = self.arrival_room(cx.memory_left);
        let arrival = self.inbound.accept(data, room, cx.pool)?;
        self.note_data(cx, (data.tsn, data.flags), (before, arrival), reading);
        Ok(())
    }

    /// Notes the result of a chunk of user data; `before` is the number of bytes held before it.
    #[inline(always)] // After each chunk.
    pub(super) fn note_data(
        &mut self,
        cx: &mut Context<'_>,
        (tsn, flags): (Tsn, DataFlags),
        (before, arrival): (usize, Arrival),
        reading: &mut Reading,
    ) {
        let taken = self.inbound.memory().saturating_sub(before);
        cx.memory_left = cx.memory_left.saturating_sub(taken);
        reading.note_arrival(arrival);
        if matches!(
            arrival,
            Arrival::New | Arrival::OutOfOrder | Arrival::FilledGap
        ) {
            reading.on_new(tsn);
            self.count_new_data(flags);
            // Not early if the chunk filled a gap and the missing data is beyond it.
            if arrival == Arrival::OutOfOrder && tsn.is_after(self.inbound.cumulative_tsn()) {
                self.rare_counts().early_received += 1;
            }
        }
        if arrival == Arrival::Duplicate {
            self.rare_counts().duplicates_received += 1;
        }
        if flags.contains(DataFlags::IMMEDIATE) {
            reading.seen.add_immediate_bit();
        }
        if let Arrival::InvalidStream(stream) = arrival
            && self.may_reply(reading, 8)
        {
            let path = self.paths.reply_path(reading.from);
            self.answer_error(reading, path, &Cause::InvalidStreamIdentifier(stream));
        }
    }

    /// Processes a SACK. Returns whether its gap reports were applied; `None` if the SACK was not
    /// accepted.
    pub(super) fn on_sack(
        &mut self,
        cx: &mut Context<'_>,
        sack: &Sack<'_>,
        from: PathIndex,
    ) -> Result<Option<Reports>, Ending> {
        if !self.phase.takes_sack() {
            return Ok(None);
        }
        self.sacks_received = self.sacks_received.wrapping_add(1);
        let Some(outcome) = self
            .outbound
            .on_sack(cx.now, sack, from, self.paths.as_mut_slice())?
        else {
            return Ok(None);
        };
        let reports = outcome.digest.reports;
        self.apply(cx, outcome, Some(from));
        self.redirect_fast();
        self.advance_reconfiguration(cx);
        self.advance_shutdown(cx);
        Ok(Some(reports))
    }

    /// RFC 2960 §6.4, if enabled: fast retransmissions also use another path, together with the
    /// packet that may ignore the window (RFC 9260 §7.2.4, rule 3). With several paths in use,
    /// their policy decides, and the chosen path has room or delays the packet; each of the other
    /// paths may find losses at the same time.
    #[inline]
    pub(super) fn redirect_fast(&mut self) {
        let elsewhere = self.outbound.is_concurrent()
            || self.options.fast_retransmissions == FastRetransmissions::OtherPath;
        if elsewhere {
            self.redirect_fast_elsewhere();
        }
    }

    #[inline(never)] // Seldom asked for.
    fn redirect_fast_elsewhere(&mut self) {
        for from in self.paths.indices() {
            let onto = self.repeat_path(from, Loss::GapReports);
            if onto == from || !self.outbound.redirect_fast(from, onto) {
                continue;
            }
            let one_packet = |path: &&mut Path| path.urgency == Urgency::OnePacket;
            let Some(path) = self.paths.get_mut(from).filter(one_packet) else {
                continue;
            };
            path.urgency = Urgency::Windowed;
            if !self.outbound.is_concurrent()
                && let Some(path) = self.paths.get_mut(onto)
            {
                path.urgency = Urgency::OnePacket;
            }
        }
    }

    // RFC 9260 §8.3
    // DEVIATION RFC 9260 §8.3: nothing but the Heartbeat Info is sent back; no other parameter is
    // defined.
    pub(super) fn on_heartbeat(&mut self, info: &[u8], reading: &mut Reading) {
        let answers = matches!(
            self.phase,
            Phase::CookieEchoed
                | Phase::Established
                | Phase::ShutdownPending
                | Phase::ShutdownSent
                | Phase::ShutdownReceived
        );
        if answers && self.may_reply(reading, info.len() + 8) {
            let answer = Control::HeartbeatAck(Bytes::copy_from_slice(info));
            self.answer(reading, reading.from, answer);
        }
    }

    /// An ERROR chunk never ends an association (RFC 9260 §3.3.10, A28).
    pub(super) fn on_error(
        &mut self,
        cx: &mut Context<'_>,
        error: &ErrorChunk<'_>,
        reading: &Reading,
    ) -> Result<(), Ending> {
        for cause in error.causes.iter().map_while(Result::ok) {
            if let Cause::StaleCookie { staleness } = cause {
                let staleness = Duration::from_micros(u64::from(staleness));
                self.on_stale_cookie(cx, staleness, reading.from)?;
            } else {
                let event = Event::PeerError {
                    cause: cause.code(),
                    detail: own_bytes(&cause),
                };
                cx.events.push_if_room(self.id, event);
            }
            if let Cause::UnrecognizedChunkType(quoted) = cause {
                self.on_asconf_unrecognized(cx, quoted);
            }
        }
        Ok(())
    }
}

/// The ASCONF chunk at the start of a packet, ignoring a leading AUTH.
pub(crate) fn leading_asconf<'a>(packet: &Packet<'a>) -> Option<Asconf<'a>> {
    let mut chunks = packet.chunks().raw().map_while(Result::ok);
    let leading = chunks.find(|chunk| chunk.chunk_type != ChunkType::AUTH)?;
    match Chunk::from_raw(&leading) {
        Ok(Chunk::Asconf(asconf)) => Some(asconf),
        _ => None,
    }
}

/// Whether a packet could be parsed to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WellFormed {
    Yes,
    No,
}

impl Reading {
    /// The path that the packet came on.
    pub(super) const fn from(&self) -> PathIndex {
        self.from
    }

    /// The DATA chunks of the packet so far.
    pub(super) const fn seen(&self) -> PacketSeen {
        self.seen
    }

    /// The local address for an answer on a path, if it differs from the path's own.
    pub(super) fn source_for(&self, path: PathIndex) -> Option<IpAddr> {
        self.source.filter(|_| path == self.from)
    }

    /// The position of the current chunk.
    pub(super) const fn place(&self) -> ChunkPosition {
        self.place
    }

    /// Counts DATA, or another chunk that advances the cumulative TSN.
    pub(super) fn note_arrival(&mut self, arrival: Arrival) {
        self.seen.add(arrival);
        if arrival == Arrival::Duplicate {
            self.repeated = Repeated::Yes;
        }
    }

    fn on_new(&mut self, tsn: Tsn) {
        if self.lowest_tsn.is_none_or(|lowest| tsn.is_before(lowest)) {
            self.lowest_tsn = Some(tsn);
        }
    }

    /// Accounts for a reply of `bytes`, if all replies to the packet fit `room`. Returns whether it
    /// fits.
    pub(super) fn reply(&mut self, bytes: usize, room: usize) -> bool {
        let replied = self.replied.saturating_add(bytes);
        if replied > room {
            return false;
        }
        self.replied = replied;
        true
    }
}
