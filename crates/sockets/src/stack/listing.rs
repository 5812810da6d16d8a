//! Lists the sockets and associations of a stack for diagnostics.

use core::net::IpAddr;

use sheave_engine::{AssocStats, CloseReason, PathStats};

use super::Stack;
use crate::AssocId32;
use crate::association::Side;

/// Counters of associations, as in `/proc/net/sctp/snmp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Established associations that this end started.
    pub active: u64,
    /// Established associations that the peer started.
    pub passive: u64,
    /// Associations that ended other than by a shutdown.
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

/// A listening socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedListener {
    /// The bound addresses; empty for all.
    pub addresses: Vec<IpAddr>,
    /// The port.
    pub port: u16,
    /// Size of the accept queue.
    pub backlog: u32,
    /// Associations in the accept queue.
    pub waiting: usize,
}

/// An association.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedAssociation {
    /// The id that its program knows.
    pub id: AssocId32,
    /// Whether a program still has its socket.
    pub is_owned: bool,
    /// State and counters.
    pub stats: AssocStats,
    /// DATA chunks sent and not acknowledged.
    pub unacknowledged: usize,
    /// DATA chunks not sent yet.
    pub waiting: usize,
    /// The paths.
    pub paths: Vec<PathStats>,
}

/// The state of a stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Counters of associations so far.
    pub tally: Tally,
    /// The listening sockets.
    pub listeners: Vec<ListedListener>,
    /// The current associations.
    pub associations: Vec<ListedAssociation>,
}

impl Stack {
    /// Lists the sockets and associations.
    pub fn listing(&mut self) -> Listing {
        let listeners = self.sockets.all().filter_map(|(_, socket)| {
            let (binding, backlog) = (socket.binding.as_ref()?, socket.backlog?);
            Some(ListedListener {
                addresses: binding.addresses.clone(),
                port: binding.port,
                backlog,
                waiting: socket.pending.len(),
            })
        });
        let associations = self.associations.all().filter_map(|(id, found)| {
            let assoc = self.transport.endpoint.assoc(found.engine)?;
            Some(ListedAssociation {
                id,
                is_owned: found.owner.is_some(),
                stats: assoc.stats(),
                unacknowledged: assoc.unacknowledged(),
                waiting: assoc.waiting(),
                paths: assoc.path_stats(),
            })
        });
        Listing {
            tally: self.tally,
            listeners: listeners.collect(),
            associations: associations.collect(),
        }
    }
}
