//! Sockets whose readiness may have changed.

use std::collections::{BTreeSet, VecDeque};

use crate::SocketId;

/// A queue of sockets, each at most once.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    queue: VecDeque<SocketId>,
    queued: BTreeSet<SocketId>,
}

impl Changes {
    pub(crate) fn touch(&mut self, id: SocketId) {
        if self.queued.insert(id) {
            self.queue.push_back(id);
        }
    }

    pub(crate) fn poll(&mut self) -> Option<SocketId> {
        let id = self.queue.pop_front()?;
        self.queued.remove(&id);
        Some(id)
    }

    /// Drops a closed socket.
    pub(crate) fn forget(&mut self, id: SocketId) {
        if self.queued.remove(&id) {
            self.queue.retain(|other| *other != id);
        }
    }
}
