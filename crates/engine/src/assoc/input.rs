use core::mem;
use core::net::IpAddr;
use core::ops::ControlFlow;
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{
    Asconf, Cause, Chunk, ChunkType, Chunks, Data, DataFlags, ErrorChunk, Packet, RawChunk, Sack,
    TagReflection, Tsn, UnknownAction, Vtag,
};

use super::authentication::Admission;
use super::closing::{Ending, detail};
use super::control::Control;
use super::tcb::{Context, Tcb};
use crate::inbound::{Arrival, PacketSeen};
use crate::outbound::Digest;
use crate::path::{Path, PathIndex, Urgency};
use crate::tag_rules;
use crate::{Ecn, Event, FastRetransmissions, PeerAddress, Phase};

/// Bytes of an unknown chunk that are echoed to the peer at most.
const MAX_ECHO: usize = 512;

/// A packet for this association: its tag and checksum hold.
pub(crate) struct Incoming<'a> {
    pub(crate) packet: Packet<'a>,
    pub(crate) local: IpAddr,
    pub(crate) remote: PeerAddress,
    /// The path from there, if it was looked for and found.
    pub(crate) path: Option<PathIndex>,
    pub(crate) ecn: Ecn,
    /// Chunks at its front that the endpoint has already handled.
    pub(crate) handled: usize,
    /// Whether an AUTH chunk was among these.
    pub(crate) proof: Proof,
}

/// Whether it is proved who sent the chunks that are looked at (RFC 4895 §6.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Proof {
    #[default]
    None,
    /// They stand behind a right AUTH chunk.
    Given,
}

/// One packet's way through the chunk handlers.
pub(super) struct Reading {
    from: PathIndex,
    seen: PacketSeen,
    place: Place,
    pub(super) proof: Proof,
    /// The lowest TSN of its new DATA.
    lowest_tsn: Option<Tsn>,
    /// Bytes that may be sent in reply to what the packet asks, so that no packet makes us send
    /// more than one (A7, A8).
    replies: usize,
}

/// Where in its packet a chunk stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    First,
    Later,
}

impl Tcb {
    /// Handles the chunks of a packet in order (RFC 9260 §6.10). Returns whether all of it was
    /// well formed.
    pub(crate) fn handle_packet(
        &mut self,
        cx: &mut Context<'_>,
        incoming: &Incoming<'_>,
    ) -> Result<WellFormed, Ending> {
        if self.phase == Phase::CookieWait {
            self.learn_address(cx.now, incoming.remote);
        }
        let from = match incoming.path.or_else(|| self.path_to(incoming.remote.ip)) {
            Some(from) => {
                self.note_arrival(incoming, from);
                from
            }
            None => match self.path_named_by(leading_asconf(&incoming.packet)) {
                Some(from) => from,
                None => return Ok(WellFormed::Yes),
            },
        };
        let mut reading = Reading {
            from,
            seen: PacketSeen::default(),
            place: Place::First,
            proof: incoming.proof,
            lowest_tsn: None,
            replies: self.path(from).map_or(0, Path::chunk_room),
        };
        let was_readable = self.is_readable();
        let mut well_formed = WellFormed::Yes;
        let mut chunks = incoming.packet.chunks();
        for _ in 0..incoming.handled {
            chunks.next();
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
            reading.place = Place::Later;
        }
        if reading.seen.has_data() {
            if from != self.sack_path {
                self.acknowledger.on_other_path();
            }
            if self.path(from).is_some_and(Path::is_confirmed) {
                self.sack_path = from;
            }
            self.acknowledger.on_packet(cx.now, reading.seen);
        }
        if incoming.ecn == Ecn::Ce
            && let Some(tsn) = reading.lowest_tsn
        {
            self.on_marked_packet(tsn);
        }
        self.on_packet_while_shutting_down(cx, from, reading.seen);
        self.report_broken_off(cx);
        if !was_readable && self.is_readable() {
            cx.events.push(self.id, Event::Readable);
        }
        Ok(well_formed)
    }

    /// Handles the next chunk, which is no DATA in order. A break ends the packet, with what is to
    /// be said of it.
    #[inline(never)] // What it needs is not to be laid ready for every packet of DATA.
    fn handle_other(
        &mut self,
        cx: &mut Context<'_>,
        incoming: &Incoming<'_>,
        chunks: &mut Chunks<'_>,
        reading: &mut Reading,
    ) -> Result<ControlFlow<WellFormed>, Ending> {
        let offset = chunks.offset();
        let chunk = match chunks.next() {
            None => return Ok(ControlFlow::Break(WellFormed::Yes)),
            Some(Err(_)) => return Ok(ControlFlow::Break(WellFormed::No)),
            Some(Ok(chunk)) => chunk,
        };
        match self.authenticate(cx, &incoming.packet, offset, &chunk, reading) {
            Admission::Granted => {}
            Admission::Refused => return Ok(ControlFlow::Continue(())),
            Admission::Over => return Ok(ControlFlow::Break(WellFormed::Yes)),
        }
        let flow = self.handle_chunk(cx, incoming, &chunk, reading)?;
        Ok(match flow {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(()) => ControlFlow::Break(WellFormed::Yes),
        })
    }

    /// What a valid packet tells of its path: it arrived; the peer's UDP port may have changed
    /// (RFC 6951 §5.4); the address that it was sent to is one to answer from.
    // DEVIATION RFC 9260 §7.2.5.2: answering from another of our addresses leaves the congestion
    // window alone: under a peer that writes to several in turn it would never grow.
    fn note_arrival(&mut self, incoming: &Incoming<'_>, from: PathIndex) {
        let Some(path) = self.path_mut(from) else {
            return;
        };
        path.counters.packets_received += 1;
        path.remote.encapsulation = incoming.remote.encapsulation;
        if path.local == incoming.local {
            return;
        }
        let known = self.local.contains(&incoming.local) && !self.is_leaving(incoming.local);
        if let Some(path) = self.path_mut(from)
            && known
        {
            path.local = incoming.local;
        }
    }

    fn handle_chunk(
        &mut self,
        cx: &mut Context<'_>,
        incoming: &Incoming<'_>,
        chunk: &Chunk<'_>,
        reading: &mut Reading,
    ) -> Result<ControlFlow<()>, Ending> {
        match chunk {
            Chunk::Data(data) => self.on_data(cx, data, reading)?,
            Chunk::Sack(sack) => {
                self.on_sack(cx, sack)?;
            }
            Chunk::Heartbeat(heartbeat) => self.on_heartbeat(heartbeat.info, reading),
            Chunk::HeartbeatAck(ack) => self.on_heartbeat_ack(cx, ack),
            // Packets that begin with DATA or SACK come here without a look at the rest: INIT ACK and
            // SHUTDOWN COMPLETE stand alone (RFC 9260 §3), and the T bit has its tag (§8.5.1 B, C).
            Chunk::InitAck(_) | Chunk::ShutdownComplete(_) if reading.place != Place::First => {}
            Chunk::Abort(abort) if !self.is_from_peer(incoming, abort.reflected) => {}
            Chunk::InitAck(init_ack) => {
                self.on_init_ack(cx, incoming.packet.header, init_ack, reading.from)?;
            }
            Chunk::CookieAck => self.on_cookie_ack(cx, reading.from),
            Chunk::Shutdown(shutdown) => self.on_shutdown(cx, *shutdown, reading.from)?,
            Chunk::ShutdownAck => self.on_shutdown_ack()?,
            Chunk::ShutdownComplete(_) => self.on_shutdown_complete()?,
            Chunk::Abort(abort) => return Err(Ending::aborted_by_peer(abort)),
            Chunk::Error(error) => self.on_error(cx, error, reading)?,
            Chunk::Unknown(raw) => {
                if !self.on_interleaved(cx, raw, reading)?
                    && !self.on_chunk_checksum(cx, raw, reading)?
                    && !self.on_ecn(cx, raw, reading)
                    && !self.on_nr_sack(cx, raw)?
                    && !self.on_re_config(cx, raw, reading)
                    && !self.on_address_change(cx, raw, incoming.remote, reading)?
                    && !self.on_packet_drop(cx, raw)
                    && !self.on_partial_reliability(cx, raw, reading)?
                {
                    return Ok(self.on_unknown(raw, reading));
                }
            }
            // Handled by the endpoint when they come first, discarded otherwise
            // (RFC 9260 §5.1, §5.2).
            Chunk::Init(_) | Chunk::CookieEcho(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether an ABORT with this T bit has the tag that belongs to it.
    fn is_from_peer(&self, incoming: &Incoming<'_>, reflected: TagReflection) -> bool {
        let peers = (self.peer_tag != Vtag(0)).then_some(self.peer_tag);
        let vtag = incoming.packet.header.vtag;
        tag_rules::reflection_holds(reflected, vtag, self.local_tag, peers)
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
        let before = self.inbound.buffered();
        let arrival = self.inbound.accept(data, cx.memory_left, cx.pool)?;
        self.note_data(cx, (data.tsn, data.flags), (before, arrival), reading);
        Ok(())
    }

    /// What became of a chunk with user data: it was added to `before` bytes that were held.
    #[inline]
    pub(super) fn note_data(
        &mut self,
        cx: &mut Context<'_>,
        (tsn, flags): (Tsn, DataFlags),
        (before, arrival): (usize, Arrival),
        reading: &mut Reading,
    ) {
        let taken = self.inbound.buffered().saturating_sub(before);
        cx.memory_left = cx.memory_left.saturating_sub(taken);
        reading.note_arrival(arrival);
        if matches!(
            arrival,
            Arrival::New | Arrival::OutOfOrder | Arrival::FilledGap
        ) {
            reading.on_new(tsn);
        }
        if flags.contains(DataFlags::IMMEDIATE) {
            reading.seen.add_immediate_bit();
        }
        if let Arrival::InvalidStream(stream) = arrival
            && reading.may_reply(8)
        {
            let path = self.reply_path(reading.from);
            self.queue_error(path, &Cause::InvalidStreamIdentifier(stream));
        }
    }

    /// What the SACK did; `None` if it was not taken.
    pub(super) fn on_sack(
        &mut self,
        cx: &mut Context<'_>,
        sack: &Sack<'_>,
    ) -> Result<Option<Digest>, Ending> {
        if !self.phase.takes_sack() {
            return Ok(None);
        }
        self.sacks_received += 1;
        let digest = self.outbound.on_sack(cx.now, sack, &mut self.paths)?;
        if let Some(digest) = digest {
            self.apply(cx, &digest);
            self.redirect_fast();
            self.advance_reconfiguration(cx);
            self.advance_shutdown(cx);
        }
        Ok(digest)
    }

    /// RFC 2960 §6.4, where it is asked for: fast retransmissions, too, try another path; and where
    /// several are in use, the policy for them decides. With the
    /// packet that may leave regardless of the window (RFC 9260 §7.2.4, rule 3).
    pub(super) fn redirect_fast(&mut self) {
        let elsewhere = self.outbound.is_concurrent()
            || self.options.fast_retransmissions == FastRetransmissions::OtherPath;
        if !elsewhere {
            return;
        }
        for from in self.indices() {
            let onto = self.repeat_path(from);
            if onto == from || !self.outbound.redirect_fast(from, onto) {
                continue;
            }
            let urgency = self.path_mut(from).map(|path| mem::take(&mut path.urgency));
            if urgency == Some(Urgency::OnePacket)
                && let Some(path) = self.path_mut(onto)
            {
                path.urgency = Urgency::OnePacket;
            }
        }
    }

    // RFC 9260 §8.3
    // DEVIATION RFC 9260 §8.3: nothing but the Heartbeat Info is sent back; no other parameter is
    // defined.
    fn on_heartbeat(&mut self, info: &[u8], reading: &mut Reading) {
        let answers = matches!(
            self.phase,
            Phase::CookieEchoed
                | Phase::Established
                | Phase::ShutdownPending
                | Phase::ShutdownSent
                | Phase::ShutdownReceived
        );
        if answers && reading.may_reply(info.len() + 8) {
            self.queue(
                reading.from,
                Control::HeartbeatAck(Bytes::copy_from_slice(info)),
            );
        }
    }

    /// An ERROR chunk never ends an association, whatever it says (RFC 9260 §3.3.10, A28).
    fn on_error(
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
                    detail: detail(&cause),
                };
                cx.events.push_if_room(self.id, event);
            }
        }
        Ok(())
    }

    // RFC 9260 §3.2
    fn on_unknown(&mut self, raw: &RawChunk<'_>, reading: &mut Reading) -> ControlFlow<()> {
        let action = raw.chunk_type.unknown_action();
        let reported = matches!(
            action,
            UnknownAction::StopAndReport | UnknownAction::SkipAndReport
        );
        let bytes = raw.bytes();
        let echo = bytes.get(..bytes.len().min(MAX_ECHO)).unwrap_or_default();
        if reported && self.phase >= Phase::CookieEchoed && reading.may_reply(echo.len() + 8) {
            let path = self.reply_path(reading.from);
            self.queue_error(path, &Cause::UnrecognizedChunkType(echo));
        }
        match action {
            UnknownAction::StopSilently | UnknownAction::StopAndReport => ControlFlow::Break(()),
            UnknownAction::SkipSilently | UnknownAction::SkipAndReport => ControlFlow::Continue(()),
        }
    }
}

/// The ASCONF chunk in front of a packet, behind AUTH or not.
pub(crate) fn leading_asconf<'a>(packet: &Packet<'a>) -> Option<Asconf<'a>> {
    let mut chunks = packet.chunks().map_while(Result::ok);
    let leading = chunks.find(|chunk| chunk.chunk_type() != ChunkType::AUTH)?;
    match leading {
        Chunk::Unknown(raw) => Asconf::from_raw(&raw),
        _ => None,
    }
}

/// Whether a packet could be read to its end.
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

    /// Counts something that moved the cumulative TSN, as DATA does.
    pub(super) fn note_arrival(&mut self, arrival: Arrival) {
        self.seen.add(arrival);
    }

    fn on_new(&mut self, tsn: Tsn) {
        if self.lowest_tsn.is_none_or(|lowest| tsn.is_before(lowest)) {
            self.lowest_tsn = Some(tsn);
        }
    }

    /// Takes `bytes` from what may be replied to this packet, if that much is left.
    pub(super) fn may_reply(&mut self, bytes: usize) -> bool {
        match self.replies.checked_sub(bytes) {
            Some(left) => {
                self.replies = left;
                true
            }
            None => false,
        }
    }
}
