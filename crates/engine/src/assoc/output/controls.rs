//! Control chunks on their way out.

use sheave_wire::{Causes, Chunk, CookieEcho, ErrorChunk, Heartbeat, Shutdown};

use super::{PacketAssembly, Supplied};
use crate::assoc::control::Control;
use crate::assoc::paths::HEARTBEAT_INFO_LEN;
use crate::assoc::tcb::Tcb;
use crate::outbound::Overlong;

impl Tcb {
    /// Control chunks for this path; no others before it is confirmed.
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

    /// Control chunks for this path, in the order in which they were asked for.
    fn push_controls(&mut self, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
        while let Some(control) = self.control.front_on(assembly.plan.path) {
            let alone = matches!(
                control,
                Control::Init | Control::MtuProbe | Control::Asconf { .. }
            );
            // It may be longer than the packets of a train, and may leave from elsewhere.
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

    /// Writes one control chunk if it fits, or if the packet holds nothing else.
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
                let nonce = assembly.rng.u64();
                let info = self.begin_probe(assembly.plan.now, assembly.plan.path, nonce);
                assembly.put(&Chunk::Heartbeat(Heartbeat { info: &info }))
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
            Control::Chunk(bytes) | Control::Asconf { chunk: bytes, .. } => {
                Chunk::parse(bytes).map_or(true, |chunk| assembly.put(&chunk))
            }
            Control::Cwr => self.push_cwr(&mut assembly.packet),
        }
    }
}
