mod blocking;
mod control;

#[cfg(feature = "tokio")]
mod asynchronous;

use std::fmt;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use sheave_engine::{
    Abandonments, Assoc, AssocStats, CloseReason, ExportError, Message, Obstacle, Options, Origin,
    PartialReliability, PathStats, PeerAddress, Policy, Received, SendOptions,
};
use sheave_wire::{StreamId, Tsn};

use super::{Blocking, Events, Messages, Mode};
use crate::assoc_handle::AssocHandle;
use crate::error::{ReceiveError, SendError};

/// An association, whose calls wait in the way `M`.
///
/// Cheap to clone; any thread or task may use any clone, so that one can send while another
/// receives. Dropping the last clone (and without [`Events`]) closes the association gracefully in
/// the background: messages that were sent are delivered, messages that arrive are discarded.
#[derive(Clone)]
pub struct Association<M: Mode = Blocking> {
    handle: Arc<AssocHandle>,
    mode: PhantomData<M>,
}

impl<M: Mode> Association<M> {
    pub(crate) fn new(handle: AssocHandle) -> Self {
        Self {
            handle: Arc::new(handle),
            mode: PhantomData,
        }
    }

    pub(crate) fn handle(&self) -> &AssocHandle {
        &self.handle
    }

    /// Sends like [`send_with`](Self::send_with), without waiting.
    ///
    /// # Errors
    /// As `send`, and [`SendError::Full`].
    pub fn try_send(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.handle.try_send(message, options)
    }

    /// Receives like [`receive`](Self::receive), without waiting.
    ///
    /// # Errors
    /// As `receive`, and [`ReceiveError::NotYet`].
    pub fn try_receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.handle.try_receive()
    }

    /// The messages as they arrive, as [`receive`](Association::receive) returns them: an iterator
    /// that waits, or a stream for tasks.
    #[must_use]
    pub fn messages(&self) -> Messages<M> {
        Messages::new(self.clone())
    }

    /// Events of the association other than messages. All `Events` of one association take
    /// from one queue of at most 1024.
    #[must_use]
    pub fn events(&self) -> Events<M> {
        Events::new(self.handle.subscribe())
    }

    /// The peer's address that new data goes to first, with its UDP port if there is one; once
    /// closed, the one that it was set up with. [`path_stats`](Self::path_stats) has all of them.
    #[must_use]
    pub fn peer_addr(&self) -> Option<PeerAddress> {
        self.handle.peer()
    }

    /// Counters and state; `None` once closed.
    #[must_use]
    pub fn stats(&self) -> Option<AssocStats> {
        self.handle.read(|assoc| assoc.stats())
    }

    /// Whether both ends agreed that messages may be given up (RFC 3758): else all are reliable,
    /// whatever [`SendOptions::reliability`] says. `Off` once closed.
    #[must_use]
    pub fn partial_reliability(&self) -> PartialReliability {
        let agreed = self.handle.read(|assoc| assoc.partial_reliability());
        agreed.unwrap_or(PartialReliability::Off)
    }

    /// Messages of ours that were given up for that reason (RFC 7496 §4.4); none once closed.
    #[must_use]
    pub fn abandonments(&self, policy: Policy) -> Abandonments {
        let read = |assoc: Assoc<'_>| assoc.abandonments(policy);
        self.handle.read(read).unwrap_or_default()
    }

    /// Counts abandonments like [`abandonments`](Self::abandonments), on one stream (RFC 7496
    /// §4.3).
    #[must_use]
    pub fn abandonments_on(&self, stream: StreamId, policy: Policy) -> Abandonments {
        let read = |assoc: Assoc<'_>| assoc.abandonments_on(stream, policy);
        self.handle.read(read).unwrap_or_default()
    }

    /// Counters and state of each path; empty once closed.
    #[must_use]
    pub fn path_stats(&self) -> Vec<PathStats> {
        let stats = self.handle.read(|assoc| assoc.path_stats());
        let mut stats = stats.unwrap_or_default();
        let carrier = &self.handle.shared().carrier;
        for path in &mut stats {
            let name = PeerAddress {
                ip: path.remote,
                encapsulation: path.encapsulation,
            };
            path.local = carrier.real_local(path.local, name.ip);
            path.remote = carrier.real_peer(name).ip;
        }
        stats
    }

    /// The options that hold now; `None` once closed.
    #[must_use]
    pub fn options(&self) -> Option<Options> {
        self.handle.read(|assoc| assoc.options().clone())
    }

    /// The addresses that the peer knows us by; empty once closed.
    #[must_use]
    pub fn local_addresses(&self) -> Vec<IpAddr> {
        let name = self.handle.engine_peer();
        let local = self.handle.read(|assoc| assoc.local_addresses());
        let carrier = &self.handle.shared().carrier;
        let real = |ip| name.map_or(ip, |name| carrier.real_local(ip, name.ip));
        local.unwrap_or_default().into_iter().map(real).collect()
    }

    /// The peer's address that a message came from; `None` if the peer has it no longer, and once
    /// closed.
    #[must_use]
    pub fn source(&self, origin: Origin) -> Option<IpAddr> {
        let source = self.handle.read(|assoc| assoc.source(origin))??;
        let carrier = &self.handle.shared().carrier;
        let name = PeerAddress::encapsulated(source, 0);
        Some(match carrier.has_dtls() {
            true => carrier.real_peer(name).ip,
            false => source,
        })
    }

    /// The last of the peer's TSNs before which none is missing (RFC 9260 §6.2); `None` once closed.
    #[must_use]
    pub fn cumulative_tsn(&self) -> Option<Tsn> {
        self.handle.read(|assoc| assoc.cumulative_tsn())
    }

    /// DATA chunks that were sent and not cumulatively acknowledged; none once closed.
    #[must_use]
    pub fn unacknowledged(&self) -> usize {
        let read = self.handle.read(|assoc| assoc.unacknowledged());
        read.unwrap_or_default()
    }

    /// Messages of which nothing was sent yet; none once closed.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.handle
            .read(|assoc| assoc.waiting())
            .unwrap_or_default()
    }

    /// Streams that we may send on: ids 0 to this number, exclusive.
    #[must_use]
    pub fn outbound_streams(&self) -> u16 {
        self.handle.streams().0
    }

    /// Streams that the peer may send on.
    #[must_use]
    pub fn inbound_streams(&self) -> u16 {
        self.handle.streams().1
    }

    /// Starts to close gracefully and returns at once: nothing new can be sent, what was sent is
    /// delivered, and [`receive`](Self::receive) goes on until its end. Harmless when closing has
    /// already begun.
    pub fn start_shutdown(&self) {
        self.handle.start_shutdown();
    }

    /// Closes at once, with `reason` told to the peer (RFC 9260 §9.1). What was not yet delivered
    /// is lost.
    pub fn abort(&self, reason: impl Into<Bytes>) {
        self.handle.abort(reason.into());
    }

    /// Takes the association out of its endpoint, without a word to the peer, and returns what
    /// another endpoint, of this process or another, needs to
    /// [go on with it](crate::Endpoint::import). All handles to it are at their end then
    /// ([`CloseReason::Exported`]).
    ///
    /// The association must be quiet: everything sent is acknowledged, everything received is read;
    /// [`handover_obstacles`](Self::handover_obstacles) tells what is missing, and a peer that goes
    /// on sending may have to be told to pause by the application. What the peer sends until the
    /// association is imported is lost on the way, and sent again.
    ///
    /// The bytes are secret, since they hold the association's verification tags and shared keys.
    ///
    /// # Errors
    /// See [`ExportError`]; the association then goes on as before.
    pub fn export(&self) -> Result<Vec<u8>, ExportError> {
        self.handle.export()
    }

    /// The obstacles that keep the association from being [exported](Self::export) now, empty if
    /// there are none;
    /// `None` if it is gone.
    #[must_use]
    pub fn handover_obstacles(&self) -> Option<Vec<Obstacle>> {
        self.handle.read(|assoc| assoc.handover_obstacles())
    }

    /// The reason why the association ended; `None` while it exists.
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.handle.end()
    }
}

/// A graceful end is success.
fn graceful(reason: CloseReason) -> Result<(), CloseReason> {
    match reason {
        CloseReason::Graceful => Ok(()),
        other => Err(other),
    }
}

impl<M: Mode> fmt::Debug for Association<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Association")
            .field("id", &self.handle.id())
            .finish_non_exhaustive()
    }
}
