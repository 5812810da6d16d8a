mod controls;
mod sack;

pub(super) use self::controls::pad;

use alloc::vec::Vec;
use core::net::IpAddr;

use sheave_wire::{Chunk, Data, DataFlags, PacketWriter};

use super::control::Control;
use super::copies::supply_copies;
use super::extensions::chunk_checksum::DataFormat;
use super::tcb::Tcb;
use crate::assoc::extensions::authentication::{PacketKey, Sealing};
use crate::assoc::extensions::protection::Shield;
use crate::outbound::{Overlong, Slot};
use crate::path::{Path, Urgency};
use crate::rng::Rng;
use crate::timers::Timer;
use crate::value::ids::PathIndex;
use crate::{Checksum, Ecn, Fragmentation, Phase, Time, Transmit, Unsealed};

/// Bytes of the common header.
const COMMON_HEADER: usize = 12;

/// Most bytes of a train; the kernel's segmentation is limited to one IP packet.
const MAX_TRAIN: usize = 65_000;

/// Resources for building a packet: buffer, generator, checksum mode.
pub(crate) struct Outlet<'a> {
    pub(crate) buf: &'a mut Vec<u8>,
    pub(crate) rng: &'a mut Rng,
    pub(crate) checksum: Checksum,
}

/// A packet under construction.
pub(super) struct PacketAssembly<'p, 'b> {
    pub(super) plan: Plan,
    rng: &'p mut Rng,
    pub(super) packet: PacketWriter<'b>,
    pub(super) load: Load,
    pub(super) key: PacketKey,
}

/// Kind of data in a packet, which decides its ECN marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Load {
    /// No DATA.
    Control,
    /// DATA sent for the first time.
    New,
    /// Retransmitted DATA or a window probe: a mark on it could be lost with it (RFC 3168 §6.1.5,
    /// §6.1.6).
    Repeated,
}

/// A written packet.
struct Packed {
    len: usize,
    load: Load,
}

/// Parameters for building a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) now: Time,
    pub(super) path: PathIndex,
    /// Source address, if not the path's own; such packets carry neither data nor FORWARD TSN.
    source: Option<IpAddr>,
    /// Length limit, in bytes.
    limit: usize,
    /// Maximum user bytes of a DATA chunk.
    fragment: usize,
    /// The path on which DATA may leave, as known before the packet is built.
    data: Option<PathIndex>,
    /// Whether the first chunk may exceed `limit`.
    overlong: Overlong,
}

impl Plan {
    /// Whether the packet may contain DATA.
    pub(super) fn takes_data(&self) -> bool {
        self.data == Some(self.path) && self.source.is_none()
    }
}

/// The result of a supplier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Supplied {
    /// Other suppliers may add to the packet.
    Open,
    /// The packet is complete.
    Closed,
}

/// When to start T3-rtx of a path on which DATA leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    IfStopped,
    Anew,
}

type Supplier = fn(&mut Tcb, &mut PacketAssembly<'_, '_>) -> Supplied;

/// Chunk suppliers, in the order in which they fill a packet: control before data (RFC 9260 §6.10).
const SUPPLIERS: [Supplier; 6] = [
    Tcb::supply_control,
    Tcb::supply_sack,
    Tcb::supply_skip,
    Tcb::supply_retransmissions,
    supply_copies,
    Tcb::supply_new_data,
];

impl Tcb {
    /// Writes the next packet, or a train of equally long packets for one path, without checksums.
    pub(crate) fn poll_transmit(
        &mut self,
        now: Time,
        outlet: &mut Outlet<'_>,
        max_segments: usize,
    ) -> Option<Unsealed> {
        loop {
            for path in self.paths.iter_mut() {
                path.on_poll(now);
            }
            self.note_starvation();
            if self.is_silent(now) {
                return None;
            }
            let waiting = self.control.len();
            let written = self.next_transmit(now, outlet, max_segments);
            // Continue if an obsolete control chunk was dropped; others may be queued after it.
            if written.is_some() || self.control.len() == waiting {
                return written;
            }
        }
    }

    #[inline(never)] // An end that only receives seldom comes here.
    fn next_transmit(
        &mut self,
        now: Time,
        outlet: &mut Outlet<'_>,
        max_segments: usize,
    ) -> Option<Unsealed> {
        self.hasten_oldest();
        let mut fragment = self.fragment();
        if self.outbound.scouts_with_new() && self.data_destination(fragment).is_none() {
            self.outbound.recall_scout();
        }
        self.continue_early_window(fragment);
        let data = self.data_destination(fragment);
        let source = self.source_override(now);
        if self.search_before_data(now, data) {
            fragment = self.fragment();
        }
        let index = self.destination(now, data)?;
        let probe = self.mtu_probe_len();
        let mut plan = Plan {
            now,
            path: index,
            source,
            limit: match probe {
                Some(len) => len,
                None => self.paths.get(index)?.packet_len(),
            },
            fragment,
            data,
            overlong: Overlong::Taken,
        };
        let checksum = self.sealing(outlet.checksum);
        let start = outlet.buf.len();
        let Some(Packed { len: first, load }) = self.assemble_packet(outlet, &plan) else {
            if !self.outbound.scouts_with_new() {
                return None;
            }
            // No new data can leave: marked chunks go first again.
            self.outbound.recall_scout();
            return self.poll_transmit(now, outlet, max_segments);
        };
        let ecn = self.codepoint(load);
        let fragmentation = match probe {
            Some(_) => Fragmentation::Forbidden,
            None => self.fragmentation(index, first),
        };
        // A packet that ended early at a change of key may be shorter than the next.
        let ends_early = self.outbound.has_message_keys() && first < plan.limit / 4 * 3;
        plan.limit = first;
        plan.overlong = Overlong::Refused;
        let mut segments = 1;
        // Trains are used only for data packets, and only the last may be shorter; packets after an
        // MTU probe or after control chunks alone have other lengths.
        let max_segments = match (probe, load) {
            (Some(_), _) | (_, Load::Control) => 1,
            _ if ends_early => 1,
            (None, Load::New | Load::Repeated) => max_segments,
        };
        while segments < max_segments && outlet.buf.len() + first <= start + MAX_TRAIN {
            plan.data = self.data_destination(fragment);
            // The first data packet may have started an MTU search, whose probe has another length.
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
        if load != Load::Control && self.phase.sends_data() {
            self.await_tail(now, index);
        }
        if let Some(at) = self.paths.get(index).and_then(Path::opens_at) {
            self.timers.set(Timer::Pacing(index), at);
        }
        let path = self.paths.get_mut(index)?;
        path.counters.packets_sent += segments as u64;
        let transmit = Transmit {
            local: source.unwrap_or(path.local),
            remote: path.remote,
            ecn,
            segment_size: (segments > 1).then_some(first),
            fragmentation,
            marking: path.marking(&self.options),
        };
        Some(Unsealed { transmit, checksum })
    }

    /// Whether nothing waits to leave, as on a receiving end between two SACKs.
    #[inline]
    fn is_silent(&self, now: Time) -> bool {
        self.outbound.is_empty()
            && self.phase.sends_data()
            && !self.outbound.scouts_with_new()
            && self.destination(now, None).is_none()
    }

    /// Maximum user bytes of a DATA chunk, such that the chunk fits a packet on every path (AMDCS,
    /// RFC 9260 §7.3) and the peer's open window.
    #[inline(always)] // For each poll; the rest ask seldom.
    pub(super) fn fragment(&self) -> usize {
        let there = self.paths.existing();
        let least = there.map(Path::packet_len).min().unwrap_or_default();
        let proof = self.sealing_of_packet(false).map_or(0, Sealing::len);
        let cover = self.extensions.cover(None);
        let header = Data::HEADER_LEN + self.data_format().extra() + proof + cover.reserve;
        let least = least.min(cover.most);
        let least = least.saturating_sub(COMMON_HEADER + header);
        least.min(self.outbound.largest_chunk())
    }

    /// The path of the next packet.
    fn destination(&self, now: Time, data: Option<PathIndex>) -> Option<PathIndex> {
        if let Some((path, _)) = self.control.front() {
            return Some(path);
        }
        if self.acknowledger.is_due(now) && self.phase.receives_data() {
            return Some(self.paths.sack_path());
        }
        if self.owes_skip() {
            return Some(self.paths.current());
        }
        data
    }

    /// The path of the next packet with DATA, if the windows allow one.
    fn data_destination(&self, fragment: usize) -> Option<PathIndex> {
        if !self.phase.sends_data() {
            return self.early_destination(fragment);
        }
        if self.outbound.is_concurrent() {
            return self.concurrent_destination(fragment);
        }
        // Marked chunks go first; new data never overtakes them (RFC 9260 §6.1 C).
        let marked = self.outbound.retransmission_path();
        let index = marked.unwrap_or_else(|| self.new_data_path());
        // With go-back-N, data that overtakes other data is lost.
        if self.outbound.goes_back_n() && self.paths.is_in_flight_elsewhere(index) {
            return None;
        }
        let path = self.paths.get(index)?;
        if marked.is_some() && path.may_retransmit() {
            return Some(index);
        }
        let copied = self.outbound.copy_destination(self.paths.as_slice());
        if copied.is_some() || marked.is_some() || !self.outbound.has_new(fragment, self.is_nagle())
        {
            return copied;
        }
        match path.may_send() {
            true => Some(index),
            false => self.outbound.free_path(self.paths.as_slice()),
        }
    }

    /// The path for the next message: the one its user chose while active, otherwise the current
    /// one.
    #[inline]
    fn new_data_path(&self) -> PathIndex {
        let chosen = self.outbound.next_direction(&self.paths);
        chosen.unwrap_or(self.paths.current())
    }

    /// Whether the next data belongs on another path than the current packet.
    fn turns_off(&self, path: PathIndex) -> bool {
        let other = |index: PathIndex| index != path;
        let strays = self.outbound.has_directions() || self.outbound.has_copies();
        strays
            && !self.outbound.next_is_copied()
            && match self.outbound.is_concurrent() {
                true => self.outbound.next_direction(&self.paths).is_some_and(other),
                false => other(self.new_data_path()),
            }
    }

    /// Writes one packet, without its checksum. Returns its length, or `None` if nothing fits.
    fn assemble_packet(&mut self, outlet: &mut Outlet<'_>, plan: &Plan) -> Option<Packed> {
        let shield = self.extensions.get(|extensions| &extensions.shield);
        if shield.is_some_and(Shield::is_blocked) {
            return None;
        }
        let init_is_next = matches!(self.control.front(), Some((_, Control::Init)));
        let header = if init_is_next {
            sheave_wire::CommonHeader {
                vtag: sheave_wire::Vtag(0),
                ..self.header()
            }
        } else {
            self.header()
        };
        let sealing = match self.control.front_on(plan.path) {
            Some(Control::MtuProbe) => self.sealing_of_probe(),
            front => self.sealing_of_packet(front.is_some()),
        };
        let cover = self.extensions.cover(self.control.front_on(plan.path));
        let reserve = sealing.map_or(0, Sealing::len) + cover.reserve;
        let start = outlet.buf.len();
        let limit = plan.limit.min(cover.most).saturating_sub(reserve);
        let packet = PacketWriter::new(outlet.buf, header, limit);
        let mut assembly = PacketAssembly {
            plan: *plan,
            rng: outlet.rng,
            packet,
            load: Load::Control,
            key: PacketKey::Active,
        };
        for supplier in &SUPPLIERS {
            if supplier(self, &mut assembly) == Supplied::Closed {
                break;
            }
        }
        let PacketAssembly {
            packet, load, key, ..
        } = assembly;
        if packet.is_empty() {
            packet.cancel();
            return None;
        }
        let mut len = packet.len();
        packet.finish_without_checksum();
        if let (Some(authenticator), Some(sealing)) = (&self.extensions.authenticator, sealing) {
            let sealing = key.chosen_for(sealing);
            len += authenticator.seal(outlet.buf, start..start + len, sealing);
        }
        if cover.seals
            && let Some(shield) = self.extensions.shield()
        {
            len = shield.seal(outlet.buf, start);
        }
        if load != Load::Control
            && let Some(path) = self.paths.get_mut(plan.path)
        {
            path.on_data_packet(len);
        }
        Some(Packed { len, load })
    }

    /// The load of the next packet with DATA.
    fn next_load(&self) -> Load {
        if self.outbound.retransmission_path().is_some() || self.outbound.is_probing() {
            Load::Repeated
        } else {
            Load::New
        }
    }

    /// The ECN codepoint of the next packet of a train.
    fn next_codepoint(&self) -> Ecn {
        if !self.marks_packets() {
            return Ecn::NotEct;
        }
        // Data may not fit beside a SACK; a lone SACK counts as control.
        let load = if self.acknowledger.is_pending() {
            Load::Control
        } else {
            self.next_load()
        };
        self.codepoint(load)
    }

    fn note_use(&mut self, assembly: &PacketAssembly<'_, '_>) {
        let now = assembly.plan.now;
        if let Some(path) = self.paths.get_mut(assembly.plan.path) {
            path.used_at = now;
        }
    }

    /// Adds a FORWARD TSN if due (RFC 3758 §3.5), before DATA.
    fn supply_skip(&mut self, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
        let fits = assembly.plan.path == self.paths.current() && assembly.plan.source.is_none();
        if fits && self.owes_skip() {
            self.push_skip(assembly.plan.now, &mut assembly.packet);
        }
        Supplied::Open
    }

    pub(super) fn slot(&self, assembly: &PacketAssembly<'_, '_>, format: DataFormat) -> Slot {
        let shutting_down = matches!(self.phase, Phase::ShutdownPending | Phase::ShutdownReceived);
        let path = self.paths.get(assembly.plan.path);
        let urgent = path.is_some_and(Path::needs_immediate_sack);
        Slot {
            now: assembly.plan.now,
            path: assembly.plan.path,
            room: format.room(&assembly.packet),
            fragment: assembly.plan.fragment,
            // RFC 9260 §6.1: request an immediate SACK.
            flags: if shutting_down || urgent {
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

    /// Adds chunks marked for retransmission on this path, lowest TSN first.
    fn supply_retransmissions(&mut self, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
        if !assembly.plan.takes_data() || self.outbound.retransmission_path().is_none() {
            return Supplied::Open;
        }
        let format = self.data_format();
        let path = self.paths.get(assembly.plan.path);
        let was_idle = path.is_some_and(|path| path.flow.flight() == 0);
        let mut start = None;
        loop {
            let slot = self.slot(assembly, format);
            if !self.shares_key_again(&mut assembly.key, slot.path) {
                break;
            }
            let Some(resent) = self
                .outbound
                .next_retransmission(slot, self.paths.as_mut_slice())
            else {
                break;
            };
            if start.is_none()
                && let Some(path) = self.paths.get_mut(slot.path)
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
            self.begin_mtu_search(assembly.plan.now, assembly.plan.path);
            self.start_retransmission_timer(assembly, start);
            if was_idle {
                self.await_first_answer(assembly.plan.now, assembly.plan.path);
            }
        }
        assembly.plan.data = self.data_destination(assembly.plan.fragment);
        Supplied::Open
    }

    /// Adds new data, if this path is for new data and no retransmission is due.
    fn supply_new_data(&mut self, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
        if !assembly.plan.takes_data() || self.outbound.repeats_first(assembly.plan.path) {
            return Supplied::Open;
        }
        let format = self.data_format();
        let mut slot = self.slot(assembly, format);
        let Some(path) = self.paths.get(slot.path) else {
            return Supplied::Open;
        };
        let flight = path.flow.flight();
        let asks = self.outbound.ends_burst(slot.path, path, slot.room);
        if asks {
            slot.flags = slot.flags.union(DataFlags::IMMEDIATE);
        }
        let load = self.next_load();
        let mut unordered = 0;
        if !self.shares_key(&mut assembly.key) {
            return Supplied::Open;
        }
        while let Some(piece) = self.outbound.next_new(slot, self.paths.as_mut_slice()) {
            format.push(&mut assembly.packet, &piece);
            if piece.data.flags.contains(DataFlags::UNORDERED) {
                unordered += 1;
            }
            slot.room = format.room(&assembly.packet);
            if self.turns_off(slot.path) || !self.shares_key(&mut assembly.key) {
                break;
            }
        }
        self.outbound.on_packet_end();
        if unordered > 0 {
            self.rare_counts().unordered_sent += unordered;
        }
        if let Some(bytes) = account_new_data(self, assembly, flight) {
            self.outbound.note_new(slot.path, bytes);
            if asks {
                self.outbound.note_asked(slot.path);
            }
            assembly.load = assembly.load.max(load);
        }
        Supplied::Open
    }

    // RFC 9260 §6.1, §6.3.2 R1
    #[inline(always)] // After each packet with data.
    fn start_retransmission_timer(&mut self, assembly: &PacketAssembly<'_, '_>, start: Start) {
        // Before the association is established, T1 is used instead.
        if !self.phase.sends_data() {
            return;
        }
        let Some(path) = self.paths.get(assembly.plan.path) else {
            return;
        };
        let due = assembly.plan.now + path.rto.rto();
        let timer = Timer::Retransmission(assembly.plan.path);
        match start {
            Start::Anew => self.timers.set(timer, due),
            Start::IfStopped => self.timers.set_if_stopped(timer, due),
        }
    }
}

impl PacketAssembly<'_, '_> {
    /// Adds a chunk if it fits, or if the packet is empty and not part of a train, whose packets
    /// are no longer than the first. Returns whether it was added.
    fn put(&mut self, chunk: &Chunk<'_>) -> bool {
        let packet = &mut self.packet;
        let overlong = packet.is_empty() && self.plan.overlong == Overlong::Taken;
        let fits = overlong || packet.fits(chunk);
        if fits {
            packet.push(chunk);
        }
        fits
    }
}

/// Accounts for the new data of a packet: its path's window and timers, and the searches that begin
/// with the first data after a pause. `before` is the flight of the path before the packet. Returns the
/// bytes of new data, if there are any.
#[inline(always)] // After each packet with data.
pub(super) fn account_new_data(
    tcb: &mut Tcb,
    assembly: &PacketAssembly<'_, '_>,
    before: u64,
) -> Option<u64> {
    let (index, now) = (assembly.plan.path, assembly.plan.now);
    let path = tcb.paths.get_mut(index)?;
    let bytes = path.flow.flight().checked_sub(before)?;
    if bytes == 0 {
        return None;
    }
    if before == 0 {
        path.on_idle_ends(now, &tcb.options, tcb.local_tag);
    }
    path.on_new_data_packet(now, bytes);
    if before == 0 {
        tcb.begin_mtu_searches(now);
        tcb.await_first_answer(now, index);
    }
    tcb.start_retransmission_timer(assembly, Start::IfStopped);
    Some(bytes)
}
