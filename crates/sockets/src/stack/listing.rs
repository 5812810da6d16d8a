//! The sockets and associations of a stack, for whoever looks in from outside.

use core::net::IpAddr;

use sheave_engine::{AssocStats, CloseReason, PathStats};

use super::Stack;
use crate::AssocId32;
use crate::socket::Side;

/// Associations that came and went, as kernels count them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Associations that came up and that this end had begun.
    pub active: u64,
    /// Associations that came up and that the peer had begun.
    pub passive: u64,
    /// Associations that ended otherwise than by a shutdown.
    pub aborted: u64,
    /// Associations that ended by a shutdown.
    pub shut_down: u64,
}

impl Tally {
    pub(super) const fn came_up(&mut self, begun_by: Side) {
        match begun_by {
            Side::Ours => self.active += 1,
            Side::Peers => self.passive += 1,
        }
    }

    pub(super) const fn ended(&mut self, reason: &CloseReason) {
        match reason {
            CloseReason::Graceful => self.shut_down += 1,
            _ => self.aborted += 1,
        }
    }
}

/// A socket that takes associations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedListener {
    /// The addresses that it is bound to; none means all.
    pub addresses: Vec<IpAddr>,
    /// The port.
    pub port: u16,
    /// Associations that may wait to be accepted.
    pub backlog: u32,
    /// Associations that wait.
    pub waiting: usize,
}

/// An association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedAssociation {
    /// The id that its program knows.
    pub id: AssocId32,
    /// Whether a program has its socket still.
    pub is_owned: bool,
    /// State and counters.
    pub stats: AssocStats,
    /// DATA chunks that were sent and not acknowledged.
    pub unacknowledged: usize,
    /// DATA chunks that wait to be sent.
    pub waiting: usize,
    /// The paths.
    pub paths: Vec<PathStats>,
}

impl Stack {
    /// Associations that came and went so far.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// The sockets that take associations.
    #[must_use]
    pub fn listeners(&self) -> Vec<ListedListener> {
        let listening = self.sockets.values().filter_map(|socket| {
            let (binding, backlog) = (socket.binding.as_ref()?, socket.backlog?);
            Some(ListedListener {
                addresses: binding.addresses.clone(),
                port: binding.port,
                backlog,
                waiting: socket.pending.len(),
            })
        });
        listening.collect()
    }

    /// The associations that there are.
    pub fn associations(&mut self) -> Vec<ListedAssociation> {
        let Self {
            assocs, endpoint, ..
        } = self;
        let listed = assocs.iter().filter_map(|(id, found)| {
            let assoc = endpoint.assoc(found.engine)?;
            Some(ListedAssociation {
                id: *id,
                is_owned: found.owner.is_some(),
                stats: assoc.stats(),
                unacknowledged: assoc.unacknowledged(),
                waiting: assoc.waiting(),
                paths: assoc.path_stats(),
            })
        });
        listed.collect()
    }
}
