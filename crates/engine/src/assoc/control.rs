mod queue;

use alloc::vec::Vec;
use core::net::IpAddr;

use bytes::Bytes;
use sheave_wire::{Cause, Chunk};

pub(super) use self::queue::ControlQueue;
use super::input::Reading;
use super::shutdown::Farewell;
use super::tcb::Tcb;
use crate::assoc::extensions::authentication::Sealing;
use crate::path::Path;
use crate::value::ids::PathIndex;

/// A queued control chunk; its contents are filled in when it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Init,
    CookieEcho,
    CookieAck,
    /// A heartbeat on the path it is queued for.
    Heartbeat,
    /// A probe of the path's MTU, alone in its packet.
    MtuProbe,
    /// The answer to the peer's heartbeat, with its Heartbeat Info.
    HeartbeatAck(Bytes),
    /// An ERROR chunk with these encoded causes.
    Error(Bytes),
    Shutdown,
    ShutdownAck,
    /// A complete chunk, [encoded](encode) when it was queued.
    Chunk(Bytes),
    /// A complete ASCONF chunk, alone in its packet.
    Asconf(Bytes),
    /// The answer to the last ECNE.
    Cwr,
}

/// Encodes a chunk.
pub(super) fn encode(chunk: &Chunk<'_>) -> Bytes {
    let mut bytes = Vec::with_capacity(chunk.encoded_len());
    chunk.write(&mut bytes);
    bytes.into()
}

impl Tcb {
    /// Queues a control chunk for a path, unless the path's address was deleted.
    pub(super) fn queue(&mut self, path: PathIndex, control: Control) {
        self.queue_from((path, None), control);
    }

    /// Queues the answer to a packet. If it leaves on the packet's path, its source is the local
    /// address that the packet came to; a NAT or a failed link may block any other.
    pub(super) fn answer(&mut self, reading: &Reading, path: PathIndex, control: Control) {
        self.queue_from((path, reading.source_for(path)), control);
    }

    /// Queues a control chunk for a path, with this local address if it differs from the path's
    /// own.
    pub(super) fn queue_from(
        &mut self,
        (path, source): (PathIndex, Option<IpAddr>),
        control: Control,
    ) {
        if self.paths.get(path).is_some() {
            self.control.push((path, source), control);
        }
    }

    /// Bytes of control chunks that fit a packet on a path, beside the AUTH or the protection they may
    /// need.
    pub(super) fn control_room(&self, path: &Path) -> usize {
        let proof = self.sealing_of_packet(true).map_or(0, Sealing::len);
        let reserve = self.extensions.cover(None).reserve;
        path.chunk_room().saturating_sub(proof + reserve)
    }

    /// Whether `bytes` more may be sent in reply to the packet being read; no packet causes more
    /// than one packet of replies (A7, A8).
    pub(super) fn may_reply(&self, reading: &mut Reading, bytes: usize) -> bool {
        let path = self.paths.get(reading.from());
        let Some(path) = path.or_else(|| self.paths.get(self.paths.current())) else {
            return false;
        };
        reading.reply(bytes, self.control_room(path))
    }

    /// Queues an ERROR chunk with this cause in answer to a packet.
    pub(super) fn answer_error(&mut self, reading: &Reading, path: PathIndex, cause: &Cause<'_>) {
        self.answer(reading, path, Control::Error(Farewell::encode(cause)));
    }
}
