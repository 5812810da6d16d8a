//! Incoming associations.

use core::net::{IpAddr, SocketAddr};

use bytes::Bytes;
use sheave_engine::{AssocId, Time};

use crate::socket::{Association, Held, Kind, Side};
use crate::stack::Stack;
use crate::{AssocId32, SocketId};

impl Stack {
    /// Assigns a new incoming association to its listening socket; aborts it and returns `None` if
    /// no socket listens or the backlog is full.
    pub(super) fn welcome(&mut self, now: Time, engine: AssocId) -> Option<AssocId32> {
        let assoc = self.endpoint.assoc(engine)?;
        let stats = assoc.stats();
        let paths = assoc.path_stats();
        let primary = paths.iter().find(|path| path.primary).or(paths.first())?;
        let peer = SocketAddr::new(primary.remote, stats.remote_port);
        let listener = self.listener_at(stats.local_port, primary.local);
        let Some((id, kind)) = listener else {
            self.endpoint.assoc(engine)?.abort(now, Bytes::new());
            return None;
        };
        let socket = self.sockets.get(&id)?;
        let settings = socket.defaults.clone();
        let owner = match kind {
            Kind::OneToOne => {
                let mut accepted = socket.offspring(kind);
                accepted.held = Held::Waiting(id);
                accepted.peer = Some(peer);
                accepted.source = Some(primary.local);
                self.enter(accepted)
            }
            _ => id,
        };
        let (port, side) = (stats.local_port, Side::Peers);
        let number = self.admit(Association {
            outbound_streams: stats.outbound_streams,
            inbound_streams: stats.inbound_streams,
            ..Association::new(engine, owner, side, port, peer, settings, now)
        });
        self.sockets.get_mut(&owner)?.assocs.insert(number);
        if owner != id {
            self.sockets.get_mut(&id)?.pending.push_back(owner);
        }
        Some(number)
    }

    /// The socket that listens at an address, if its backlog has room.
    fn listener_at(&self, port: u16, ip: IpAddr) -> Option<(SocketId, Kind)> {
        let mut sockets = self.sockets.iter();
        let (id, socket) = sockets.find(|(_, socket)| {
            socket.listens_at.as_ref().is_some_and(|(own, addresses)| {
                *own == port && (addresses.is_empty() || addresses.contains(&ip))
            })
        })?;
        let limit = socket.backlog.map_or(0, |backlog| backlog as usize);
        // Like Linux, allows one more than the backlog.
        let full = socket.kind == Kind::OneToOne && socket.pending.len() > limit;
        (!full).then_some((*id, socket.kind))
    }
}
