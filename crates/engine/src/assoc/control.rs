use alloc::collections::VecDeque;

use bytes::Bytes;
use sheave_wire::Cause;

use super::closing::Farewell;
use super::tcb::Tcb;
use crate::on_demand::Queued;
use crate::path::PathIndex;

/// Control chunks that wait to be sent at most: a peer that asks for more gets no answer to the
/// rest (A7-A9).
const MAX_WAITING: usize = 64;

/// A control chunk that waits to be sent. What it says is filled in when it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    Init,
    CookieEcho,
    CookieAck,
    /// A probe of the path that it is queued for.
    Heartbeat,
    /// A probe of the path's MTU, which has a packet to itself.
    MtuProbe,
    /// The answer to the peer's probe, its Heartbeat Info.
    HeartbeatAck(Bytes),
    /// An ERROR chunk with these causes, as they go on the wire.
    Error(Bytes),
    Shutdown,
    ShutdownAck,
    /// A whole RE-CONFIG chunk.
    ReConfig(Bytes),
    /// A whole ASCONF chunk, which leaves alone and perhaps from another address than its path's.
    Asconf {
        chunk: Bytes,
        source: Option<core::net::IpAddr>,
    },
    /// A whole ASCONF ACK chunk.
    AsconfAck(Bytes),
    /// A whole PACKET DROP chunk.
    PacketDrop(Bytes),
    /// The answer to the last ECNE.
    Cwr,
}

impl Queued for (PathIndex, Control) {
    const NONE: &'static VecDeque<Self> = &VecDeque::new();
}

impl Tcb {
    /// Queues a control chunk for a path, unless the same one waits already.
    pub(super) fn queue(&mut self, path: PathIndex, control: Control) {
        if self.control.len() >= MAX_WAITING
            || self
                .control
                .iter()
                .any(|(to, waiting)| *to == path && *waiting == control)
        {
            return;
        }
        self.control.push_back((path, control));
    }

    /// Queues an ERROR chunk with this cause.
    pub(super) fn queue_error(&mut self, path: PathIndex, cause: &Cause<'_>) {
        self.queue(path, Control::Error(Farewell::encode(cause)));
    }

    /// Nothing of that kind waits any more.
    pub(super) fn unqueue(&mut self, control: &Control) {
        if !self.control.is_empty() {
            self.control.retain(|(_, waiting)| waiting != control);
        }
    }
}
