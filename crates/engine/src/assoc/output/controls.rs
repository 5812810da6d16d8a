//! Adding control chunks to packets.

use sheave_wire::{Causes, Chunk, CookieEcho, ErrorChunk, Heartbeat, PacketWriter, Pad, Shutdown};

use super::{PacketAssembly, Plan, Supplied};
use crate::assoc::control::Control;
use crate::assoc::paths::HEARTBEAT_INFO_LEN;
use crate::assoc::tcb::Tcb;
use crate::outbound::Overlong;
use crate::path::HeartbeatLength;

impl Tcb {
    /// Adds control chunks for this path; before it is confirmed, no other chunks may follow.
    pub(super) fn supply_control(&mut self, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
        if !self.control.is_empty() && self.push_controls(assembly) == Supplied::Closed {
            return Supplied::Closed;
        }
        if self.paths.is_confirmed(assembly.plan.path) {
            Supplied::Open
        } else {
            Supplied::Closed
        }
    }

    /// Adds control chunks for this path, in queue order.
    fn push_controls(&mut self, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
        while let Some(control) = self.control.front_on(assembly.plan.path) {
            if self.source_override(assembly.plan.now) != assembly.plan.source {
                return Supplied::Closed;
            }
            let alone = match control {
                Control::Init | Control::MtuProbe | Control::Asconf(_) => true,
                Control::Heartbeat => self.pads_heartbeat(&assembly.plan),
                _ => false,
            };
            // Such a chunk may be longer than the packets of a train, or need another source.
            let in_train = assembly.plan.overlong == Overlong::Refused;
            if alone && (in_train || !assembly.packet.is_empty()) {
                return Supplied::Closed;
            }
            let control = control.clone();
            if !self.push_control(assembly, &control) {
                return Supplied::Closed;
            }
            self.control.pop();
            self.chunks.control_sent = self.chunks.control_sent.wrapping_add(1);
            if alone {
                return Supplied::Closed;
            }
        }
        Supplied::Open
    }

    /// Whether a packet's heartbeat is padded to the length of a data packet.
    fn pads_heartbeat(&self, plan: &Plan) -> bool {
        self.paths.get(plan.path).is_some_and(|path| {
            let source = plan.source.unwrap_or(path.local);
            path.heartbeat_length(source) == HeartbeatLength::Full
        })
    }

    /// Notes a full-size packet, which like a data packet shows whether this length gets through.
    fn note_full_packet(&mut self, assembly: &PacketAssembly<'_, '_>) {
        if let Some(path) = self.paths.get_mut(assembly.plan.path) {
            path.on_data_packet(assembly.plan.limit);
        }
    }

    /// Adds a control chunk if it fits or the packet is empty. Returns whether it was added.
    fn push_control(&mut self, assembly: &mut PacketAssembly<'_, '_>, control: &Control) -> bool {
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
                assembly.put(&Chunk::CookieEcho(CookieEcho { cookie: &cookie }))
            }
            Control::CookieAck => assembly.put(&Chunk::CookieAck),
            Control::Heartbeat => {
                if assembly.packet.remaining() < HEARTBEAT_INFO_LEN + 8 {
                    return false;
                }
                let pads = self.pads_heartbeat(&assembly.plan);
                let nonce = assembly.rng.u64();
                let way = (assembly.plan.path, assembly.plan.source);
                let info = self.begin_probe(assembly.plan.now, way, nonce);
                let fits = assembly.put(&Chunk::Heartbeat(Heartbeat { info: &info }));
                if pads {
                    pad(&mut assembly.packet);
                    self.note_full_packet(assembly);
                }
                fits
            }
            Control::MtuProbe => {
                let PacketAssembly {
                    packet, rng, plan, ..
                } = assembly;
                self.push_mtu_probe(packet, rng, plan.path);
                true
            }
            Control::HeartbeatAck(info) => assembly.put(&Chunk::HeartbeatAck(Heartbeat { info })),
            Control::Error(causes) => {
                let causes = Causes::from_wire(causes);
                assembly.put(&Chunk::Error(ErrorChunk { causes }))
            }
            Control::Shutdown => {
                let cumulative_tsn_ack = self.inbound.cumulative_tsn();
                assembly.put(&Chunk::Shutdown(Shutdown { cumulative_tsn_ack }))
            }
            Control::ShutdownAck => assembly.put(&Chunk::ShutdownAck),
            Control::Chunk(bytes) | Control::Asconf(bytes) => {
                Chunk::parse(bytes).map_or(true, |chunk| assembly.put(&chunk))
            }
            Control::Cwr => self.push_cwr(&mut assembly.packet),
        }
    }
}

/// Pads a packet to its full length (RFC 4820).
pub(in crate::assoc) fn pad(packet: &mut PacketWriter<'_>) {
    let rest = packet.remaining();
    if rest >= Pad::LEAST_LEN
        && let Ok(len) = u16::try_from(rest)
    {
        packet.push(&Chunk::Pad(Pad { len }));
    }
}
