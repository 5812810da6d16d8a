use alloc::vec::Vec;

use sheave_wire::{
    Causes, Chunk, CookieEcho, Data, DataFlags, ErrorChunk, Heartbeat, List, PacketWriter,
    RawChunk, Sack, Shutdown,
};

use super::control::Control;
use super::tcb::Tcb;
use crate::authentication::Sealing;
use crate::outbound::{Overlong, Slot};
use crate::path::{Path, PathIndex, Urgency};
use crate::rng::Rng;
use crate::timers::Timer;
use crate::{Checksum, Ecn, Fragmentation, Phase, Time, Transmit, Unsealed};

/// Bytes of the common header.
const COMMON_HEADER: usize = 12;

/// Bytes of a train at most: the kernel's segmentation takes no more than fits one IP packet.
const MAX_TRAIN: usize = 65_000;

/// What packets are made with.
pub(crate) struct Outlet<'a> {
    pub(crate) buf: &'a mut Vec<u8>,
    pub(crate) rng: &'a mut Rng,
    pub(crate) checksum: Checksum,
}

/// A packet under construction.
struct Assembly<'p, 'b> {
    plan: Plan,
    rng: &'p mut Rng,
    packet: PacketWriter<'b>,
    load: Load,
}

/// What a packet carries, as far as routers may mark it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Load {
    /// No DATA.
    Control,
    /// DATA that was never sent before.
    New,
    /// DATA that was, or that probes the peer's window: a mark on it might be lost with it (RFC
    /// 3168 §6.1.5, §6.1.6).
    Repeated,
}

/// A packet that was written.
struct Packed {
    len: usize,
    load: Load,
}

/// What a packet is to be.
#[derive(Clone, Copy, Debug)]
struct Plan {
    now: Time,
    path: PathIndex,
    /// Its bytes at most.
    limit: usize,
    /// User bytes of a DATA chunk at most.
    fragment: usize,
    /// The path on which DATA may leave, as things stand before the packet.
    data: Option<PathIndex>,
    /// Whether an empty packet may get longer than `limit`.
    overlong: Overlong,
}

/// What a supplier says when it is done with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Supplied {
    /// Others may add to it.
    Open,
    /// It must leave as it is.
    Closed,
}

/// How T3-rtx of a path is started when DATA leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    IfStopped,
    Anew,
}

type Supplier = fn(&mut Tcb, &mut Assembly<'_, '_>) -> Supplied;

/// Who puts chunks into a packet, in this order: control before data (RFC 9260 §6.10).
const SUPPLIERS: [Supplier; 5] = [
    Tcb::supply_control,
    Tcb::supply_sack,
    Tcb::supply_skip,
    Tcb::supply_retransmissions,
    Tcb::supply_new_data,
];

impl Tcb {
    /// Writes the next packet, or a train of equally long ones for the same path, but for their
    /// checksums.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Time,
        outlet: &mut Outlet<'_>,
        max_segments: usize,
    ) -> Option<Unsealed> {
        for path in &mut self.paths {
            path.on_poll(now);
        }
        self.note_starvation();
        let mut fragment = self.fragment();
        let data = self.data_destination(fragment);
        if self.search_before_data(now, data) {
            fragment = self.fragment();
        }
        let index = self.destination(now, data)?;
        let probe = self.mtu_probe_len();
        let mut plan = Plan {
            now,
            path: index,
            limit: match probe {
                Some(len) => len,
                None => self.path(index)?.packet_len(),
            },
            fragment,
            data,
            overlong: Overlong::Taken,
        };
        let checksum = self.sealing(outlet.checksum);
        let source = self.source_override();
        let start = outlet.buf.len();
        let Packed { len: first, load } = self.assemble_packet(outlet, &plan)?;
        let ecn = self.codepoint(load);
        let fragmentation = match probe {
            Some(_) => Fragmentation::Forbidden,
            None => self.fragmentation(index, first),
        };
        plan.limit = first;
        plan.overlong = Overlong::Refused;
        let mut segments = 1;
        // Only a train of data packets is worth one system call, and only the last may be shorter.
        // What follows a probe is not as long.
        let max_segments = probe.map_or(max_segments, |_| 1);
        while segments < max_segments && outlet.buf.len() + first <= start + MAX_TRAIN {
            plan.data = self.data_destination(fragment);
            // The first packet with data may have begun a search: its probe has another length.
            let stays = plan.data == Some(index) && self.mtu_probe_len().is_none();
            if !stays || self.next_codepoint() != ecn {
                break;
            }
            let Some(Packed { len, .. }) = self.assemble_packet(outlet, &plan) else {
                break;
            };
            segments += 1;
            if len < first {
                break;
            }
        }
        if let Some(at) = self.path(index).and_then(Path::opens_at) {
            self.timers.set(Timer::Pacing(index), at);
        }
        let path = self.path_mut(index)?;
        path.counters.packets_sent += segments as u64;
        let transmit = Transmit {
            local: source.unwrap_or(path.local),
            remote: path.remote,
            ecn,
            segment_size: (segments > 1).then_some(first),
            fragmentation,
        };
        Some(Unsealed { transmit, checksum })
    }

    /// User bytes of a DATA chunk at most: it fits a packet on whichever path sends it again
    /// (AMDCS, RFC 9260 §7.3), and the peer's window when it is open.
    pub(super) fn fragment(&self) -> usize {
        let packets = self.paths.iter().map(Path::packet_len);
        let least = packets.min().unwrap_or_default();
        let proof = self.sealing_of_packet(false).map_or(0, Sealing::len);
        let header = Data::HEADER_LEN + self.data_format().extra() + proof;
        let least = least.saturating_sub(COMMON_HEADER + header);
        least.min(self.outbound.largest_chunk())
    }

    /// The path of the next packet.
    fn destination(&self, now: Time, data: Option<PathIndex>) -> Option<PathIndex> {
        if let Some((path, _)) = self.control.front() {
            return Some(*path);
        }
        if self.acknowledger.is_due(now) && self.phase.receives_data() {
            return Some(self.sack_path);
        }
        if self.owes_skip() {
            return Some(self.current);
        }
        data
    }

    /// The path of the next packet with DATA, if the windows allow one.
    fn data_destination(&self, fragment: usize) -> Option<PathIndex> {
        if !self.phase.sends_data() {
            return None;
        }
        if self.outbound.is_concurrent() {
            return self.concurrent_destination(fragment);
        }
        if let Some(index) = self.outbound.retransmission_path() {
            // What is marked goes first; new data never overtakes it (RFC 9260 §6.1 C).
            return self.path(index)?.may_retransmit().then_some(index);
        }
        let path = self.path(self.current)?;
        let ready = self.outbound.has_new(fragment, self.is_nagle()) && path.may_send();
        ready.then_some(self.current)
    }

    /// Writes one packet, without its checksum. Returns its length, or `None` if nothing fits.
    fn assemble_packet(&mut self, outlet: &mut Outlet<'_>, plan: &Plan) -> Option<Packed> {
        let header = if self.init_is_next() {
            sheave_wire::CommonHeader {
                vtag: sheave_wire::Vtag(0),
                ..self.header()
            }
        } else {
            self.header()
        };
        let control = self.control.front();
        let control = control.is_some_and(|(path, _)| *path == plan.path);
        let sealing = self.sealing_of_packet(control);
        let reserve = sealing.map_or(0, Sealing::len);
        let start = outlet.buf.len();
        let limit = plan.limit.saturating_sub(reserve);
        let packet = PacketWriter::new(outlet.buf, header, limit);
        let mut assembly = Assembly {
            plan: *plan,
            rng: outlet.rng,
            packet,
            load: Load::Control,
        };
        for supplier in &SUPPLIERS {
            if supplier(self, &mut assembly) == Supplied::Closed {
                break;
            }
        }
        let Assembly { packet, load, .. } = assembly;
        if packet.is_empty() {
            packet.cancel();
            return None;
        }
        let mut len = packet.len();
        packet.finish_without_checksum();
        if let (Some(authenticator), Some(sealing)) = (&self.rare.authenticator, sealing) {
            len += authenticator.seal(outlet.buf, start..start + len, sealing);
        }
        Some(Packed { len, load })
    }

    /// What the next packet with DATA carries.
    fn next_load(&self) -> Load {
        if self.outbound.retransmission_path().is_some() || self.outbound.is_probing() {
            Load::Repeated
        } else {
            Load::New
        }
    }

    /// What the next packet of a train says of itself to routers.
    fn next_codepoint(&self) -> Ecn {
        if !self.marks_packets() {
            return Ecn::NotEct;
        }
        // Data may find no room beside a SACK, which alone is no load.
        let load = if self.acknowledger.is_pending() {
            Load::Control
        } else {
            self.next_load()
        };
        self.codepoint(load)
    }

    fn init_is_next(&self) -> bool {
        matches!(self.control.front(), Some((_, Control::Init)))
    }

    /// Control chunks for this path; no others before it is confirmed.
    fn supply_control(&mut self, assembly: &mut Assembly<'_, '_>) -> Supplied {
        // Seldom there, and then for a moment.
        if self.control.exists() && self.push_controls(assembly) == Supplied::Closed {
            return Supplied::Closed;
        }
        let path = self.path(assembly.plan.path);
        if path.is_some_and(Path::is_confirmed) {
            Supplied::Open
        } else {
            Supplied::Closed
        }
    }

    /// Control chunks for this path, in the order in which they were asked for.
    fn push_controls(&mut self, assembly: &mut Assembly<'_, '_>) -> Supplied {
        while let Some((path, control)) = self.control.front() {
            if *path != assembly.plan.path {
                break;
            }
            let alone = matches!(
                control,
                Control::Init | Control::MtuProbe | Control::Asconf { .. }
            );
            if alone && !assembly.packet.is_empty() {
                return Supplied::Closed;
            }
            let control = control.clone();
            if !self.push_control(assembly, &control) {
                return Supplied::Closed;
            }
            self.control.pop_front();
            if alone {
                self.control.trim();
                return Supplied::Closed;
            }
        }
        self.control.trim();
        Supplied::Open
    }

    /// Writes one control chunk if it fits, or if the packet holds nothing else.
    fn push_control(&mut self, assembly: &mut Assembly<'_, '_>, control: &Control) -> bool {
        match control {
            Control::Init => {
                let packet = &mut assembly.packet;
                self.with_init(assembly.plan.path, |init| packet.push(&Chunk::Init(init)));
                self.note_use(assembly);
                true
            }
            Control::CookieEcho => {
                let cookie = self.cookie();
                self.note_use(assembly);
                put(
                    &mut assembly.packet,
                    &Chunk::CookieEcho(CookieEcho { cookie: &cookie }),
                )
            }
            Control::CookieAck => put(&mut assembly.packet, &Chunk::CookieAck),
            Control::Heartbeat => {
                if assembly.packet.remaining() < super::paths::HEARTBEAT_INFO_LEN + 8 {
                    return false;
                }
                let nonce = assembly.rng.u64();
                let info = self.begin_probe(assembly.plan.now, assembly.plan.path, nonce);
                put(
                    &mut assembly.packet,
                    &Chunk::Heartbeat(Heartbeat { info: &info }),
                )
            }
            Control::MtuProbe => {
                let Assembly {
                    packet, rng, plan, ..
                } = assembly;
                self.push_mtu_probe(packet, rng, plan.path);
                true
            }
            Control::HeartbeatAck(info) => put(
                &mut assembly.packet,
                &Chunk::HeartbeatAck(Heartbeat { info }),
            ),
            Control::Error(causes) => {
                let causes = Causes::from_wire(causes);
                put(&mut assembly.packet, &Chunk::Error(ErrorChunk { causes }))
            }
            Control::Shutdown => {
                let cumulative_tsn_ack = self.inbound.cumulative_tsn();
                put(
                    &mut assembly.packet,
                    &Chunk::Shutdown(Shutdown { cumulative_tsn_ack }),
                )
            }
            Control::ShutdownAck => put(&mut assembly.packet, &Chunk::ShutdownAck),
            Control::ReConfig(chunk)
            | Control::Asconf { chunk, .. }
            | Control::AsconfAck(chunk)
            | Control::PacketDrop(chunk) => RawChunk::parse(chunk)
                .map_or(true, |raw| put(&mut assembly.packet, &Chunk::Unknown(raw))),
            Control::Cwr => self.push_cwr(&mut assembly.packet),
        }
    }

    fn note_use(&mut self, assembly: &Assembly<'_, '_>) {
        let now = assembly.plan.now;
        if let Some(path) = self.path_mut(assembly.plan.path) {
            path.used_at = now;
        }
    }

    /// A SACK if one is due, or if one is pending and DATA is about to leave (RFC 9260 §6.1).
    fn supply_sack(&mut self, assembly: &mut Assembly<'_, '_>) -> Supplied {
        if !self.phase.receives_data() || !self.acknowledger.is_pending() {
            return Supplied::Open;
        }
        let due =
            self.acknowledger.is_due(assembly.plan.now) && assembly.plan.path == self.sack_path;
        let company = assembly.plan.data == Some(assembly.plan.path)
            && !self.outbound.next_is_alone(assembly.plan.fragment);
        let room = assembly.packet.remaining();
        if !(due || company) || room < self.sack_header() {
            return Supplied::Open;
        }
        let header = self.sack_header();
        self.push_ecn_echo(&mut assembly.packet, header);
        self.push_corruption(&mut assembly.packet, header);
        let room = assembly.packet.remaining();
        let rwnd = self.inbound.rwnd();
        let blocks = room.saturating_sub(header) / 4;
        let cumulative_tsn_ack = self.inbound.cumulative_tsn();
        let kind = self.sack_kind();
        let (gap_blocks, duplicates) = self.inbound.report(blocks);
        let sack = Sack {
            cumulative_tsn_ack,
            a_rwnd: rwnd,
            gap_blocks: List::from(gap_blocks),
            duplicates: List::from(duplicates),
            packets: self.acknowledger.packets_told(),
        };
        Self::push_sack(&mut assembly.packet, &sack, kind);
        self.inbound.clear_duplicates();
        self.inbound.on_advertised(rwnd);
        self.acknowledger.on_sent(assembly.plan.now);
        self.sacks_sent += 1;
        Supplied::Open
    }

    /// A FORWARD TSN if one is due (RFC 3758 §3.5), before DATA.
    fn supply_skip(&mut self, assembly: &mut Assembly<'_, '_>) -> Supplied {
        if assembly.plan.path == self.current && self.owes_skip() {
            self.push_skip(assembly.plan.now, &mut assembly.packet);
        }
        Supplied::Open
    }

    fn slot(&self, assembly: &Assembly<'_, '_>) -> Slot {
        let shutting_down = matches!(self.phase, Phase::ShutdownPending | Phase::ShutdownReceived);
        Slot {
            now: assembly.plan.now,
            path: assembly.plan.path,
            room: self.data_format().room(&assembly.packet),
            fragment: assembly.plan.fragment,
            // RFC 9260 §6.1: worth an answer at once.
            flags: if shutting_down {
                DataFlags::IMMEDIATE
            } else {
                DataFlags::EMPTY
            },
            overlong: if assembly.packet.is_empty() {
                assembly.plan.overlong
            } else {
                Overlong::Refused
            },
        }
    }

    /// Chunks marked for retransmission on this path, lowest TSN first.
    fn supply_retransmissions(&mut self, assembly: &mut Assembly<'_, '_>) -> Supplied {
        if assembly.plan.data != Some(assembly.plan.path)
            || self.outbound.retransmission_path().is_none()
        {
            return Supplied::Open;
        }
        let format = self.data_format();
        let mut start = None;
        loop {
            let slot = self.slot(assembly);
            let Some(resent) = self.outbound.next_retransmission(slot, &mut self.paths) else {
                break;
            };
            if start.is_none()
                && let Some(path) = self.paths.get_mut(usize::from(slot.path.0))
            {
                path.on_retransmission_packet(slot.now);
                path.urgency = Urgency::Windowed;
            }
            // RFC 9260 §6.1: the oldest chunk of a path restarts its timer.
            start = start.max(Some(if resent.earliest {
                Start::Anew
            } else {
                Start::IfStopped
            }));
            assembly.load = Load::Repeated;
            format.push(&mut assembly.packet, &resent.piece);
        }
        if let Some(start) = start {
            self.start_retransmission_timer(assembly, start);
        }
        assembly.plan.data = self.data_destination(assembly.plan.fragment);
        Supplied::Open
    }

    /// New data, if this is the path for it and nothing waits for retransmission.
    fn supply_new_data(&mut self, assembly: &mut Assembly<'_, '_>) -> Supplied {
        if assembly.plan.data != Some(assembly.plan.path)
            || self.outbound.repeats_first(assembly.plan.path)
        {
            return Supplied::Open;
        }
        let mut slot = self.slot(assembly);
        let index = usize::from(slot.path.0);
        let Some(path) = self.paths.get(index) else {
            return Supplied::Open;
        };
        let flight = path.flow.flight();
        let format = self.data_format();
        let load = self.next_load();
        while let Some(piece) = self.outbound.next_new(slot, &mut self.paths) {
            format.push(&mut assembly.packet, &piece);
            slot.room = format.room(&assembly.packet);
        }
        self.outbound.on_packet_end();
        if let Some(path) = self.paths.get_mut(index)
            && path.flow.flight() > flight
        {
            if flight == 0 {
                path.on_idle_ends(slot.now, &self.options, self.local_tag);
            }
            let bytes = path.flow.flight() - flight;
            path.on_new_data_packet(slot.now, bytes);
            self.outbound.note_new(slot.path, bytes);
            assembly.load = assembly.load.max(load);
            if flight == 0 {
                self.begin_mtu_search(slot.now, slot.path);
            }
            self.start_retransmission_timer(assembly, Start::IfStopped);
        }
        Supplied::Open
    }

    // RFC 9260 §6.1, §6.3.2 R1
    fn start_retransmission_timer(&mut self, assembly: &Assembly<'_, '_>, start: Start) {
        let Some(path) = self.path(assembly.plan.path) else {
            return;
        };
        let due = assembly.plan.now + path.rto.rto();
        let timer = Timer::Retransmission(assembly.plan.path);
        match start {
            Start::Anew => self.timers.set(timer, due),
            Start::IfStopped => self.timers.set_if_stopped(timer, due),
        }
        self.await_tail(assembly.plan.now, assembly.plan.path);
    }
}

/// Pushes a chunk if it fits, or if the packet is empty.
fn put(packet: &mut PacketWriter<'_>, chunk: &Chunk<'_>) -> bool {
    let fits = packet.is_empty() || packet.fits(chunk);
    if fits {
        packet.push(chunk);
    }
    fits
}
