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

/// An SCTP association; mode `M` decides whether its calls block or are `async`.
///
/// Cheap to clone; any thread or task may use any clone, so that one can send while another
/// receives. Dropping the last clone, provided no [`Events`] remain either, closes the association
/// gracefully in the background: messages already sent are delivered, arriving messages are
/// discarded.
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
    /// The errors of `send`, and [`SendError::Full`].
    pub fn try_send(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.handle.try_send(message, options)
    }

    /// Receives like [`receive`](Self::receive), without waiting.
    ///
    /// # Errors
    /// The errors of `receive`, and [`ReceiveError::NotYet`].
    pub fn try_receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.handle.try_receive()
    }

    /// Iterates over arriving messages as [`receive`](Association::receive) returns them: a
    /// blocking iterator, or a stream for tasks.
    #[must_use]
    pub fn messages(&self) -> Messages<M> {
        Messages::new(self.clone())
    }

    /// Events of the association other than messages. All `Events` of one association share one
    /// queue of at most 1024 entries.
    #[must_use]
    pub fn events(&self) -> Events<M> {
        Events::new(self.handle.subscribe())
    }

    /// The peer address that new data is sent to, with its UDP port if it has one; once closed, the
    /// address at set-up. [`path_stats`](Self::path_stats) lists all peer addresses.
    #[must_use]
    pub fn peer_addr(&self) -> Option<PeerAddress> {
        self.handle.peer()
    }

    /// Counters and state; `None` once closed.
    #[must_use]
    pub fn stats(&self) -> Option<AssocStats> {
        self.handle.read(|assoc| assoc.stats())
    }

    /// Whether both ends agreed on partial reliability (RFC 3758); without it, all messages are
    /// reliable, whatever [`SendOptions::reliability`] says. `Off` once closed.
    #[must_use]
    pub fn partial_reliability(&self) -> PartialReliability {
        let agreed = self.handle.read(|assoc| assoc.partial_reliability());
        agreed.unwrap_or(PartialReliability::Off)
    }

    /// Messages abandoned under `policy` (RFC 7496 §4.4); zero once closed.
    #[must_use]
    pub fn abandonments(&self, policy: Policy) -> Abandonments {
        let read = |assoc: Assoc<'_>| assoc.abandonments(policy);
        self.handle.read(read).unwrap_or_default()
    }

    /// Messages abandoned under `policy` on one stream (RFC 7496 §4.3); see
    /// [`abandonments`](Self::abandonments).
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

    /// The options in force; `None` once closed.
    #[must_use]
    pub fn options(&self) -> Option<Options> {
        self.handle.read(|assoc| assoc.options().clone())
    }

    /// The local addresses that the peer knows; empty once closed.
    #[must_use]
    pub fn local_addresses(&self) -> Vec<IpAddr> {
        let name = self.handle.engine_peer();
        let local = self.handle.read(|assoc| assoc.local_addresses());
        let carrier = &self.handle.shared().carrier;
        let real = |ip| name.map_or(ip, |name| carrier.real_local(ip, name.ip));
        local.unwrap_or_default().into_iter().map(real).collect()
    }

    /// The peer address that a message came from; `None` once closed, or if the peer no longer has
    /// that address.
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

    /// The cumulative TSN: all the peer's TSNs up to it have arrived (RFC 9260 §6.2). `None` once
    /// closed.
    #[must_use]
    pub fn cumulative_tsn(&self) -> Option<Tsn> {
        self.handle.read(|assoc| assoc.cumulative_tsn())
    }

    /// DATA chunks sent but not cumulatively acknowledged; zero once closed.
    #[must_use]
    pub fn unacknowledged(&self) -> usize {
        let read = self.handle.read(|assoc| assoc.unacknowledged());
        read.unwrap_or_default()
    }

    /// Messages queued with nothing sent yet; zero once closed.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.handle
            .read(|assoc| assoc.waiting())
            .unwrap_or_default()
    }

    /// Number of outbound streams: valid ids are below it.
    #[must_use]
    pub fn outbound_streams(&self) -> u16 {
        self.handle.streams().0
    }

    /// Number of inbound streams, on which the peer may send.
    #[must_use]
    pub fn inbound_streams(&self) -> u16 {
        self.handle.streams().1
    }

    /// Starts a graceful shutdown and returns at once. New messages are refused, queued messages
    /// are delivered, and [`receive`](Self::receive) continues to its end. Does nothing if a
    /// shutdown has already begun.
    pub fn start_shutdown(&self) {
        self.handle.start_shutdown();
    }

    /// Aborts the association and sends `reason` to the peer (RFC 9260 §9.1). Undelivered messages
    /// are lost.
    pub fn abort(&self, reason: impl Into<Bytes>) {
        self.handle.abort(reason.into());
    }

    /// Removes the association from its endpoint without notifying the peer, and returns the bytes
    /// that another endpoint, in this process or another, needs to [continue
    /// it](crate::Endpoint::import). All handles then report [`CloseReason::Exported`].
    ///
    /// The association must be quiet: everything sent is acknowledged, everything received is read.
    /// [`handover_obstacles`](Self::handover_obstacles) lists what is missing; if the peer keeps
    /// sending, the application may have to ask it to pause. Packets that the peer sends before the
    /// import are lost and retransmitted.
    ///
    /// The bytes are secret: they contain the association's verification tags and shared keys.
    ///
    /// # Errors
    /// See [`ExportError`]; the association then continues unchanged.
    pub fn export(&self) -> Result<Vec<u8>, ExportError> {
        self.handle.export()
    }

    /// Reasons why the association cannot be [exported](Self::export) now, empty if it can; `None`
    /// if the association is gone.
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

/// Maps a graceful close to success.
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
