use std::net::IpAddr;
use std::num::NonZeroU16;

use sheave_engine::{
    AddressChangeError, Assoc, KeyError, KeyId, OptionError, Options, PathError, PathTuning,
    ReconfigurationError, SharedKey, StreamDirection, StreamError, StreamScheduler,
};
use sheave_wire::StreamId;

use super::Association;
use crate::handle::Mode;

/// Changes to a live association: paths, streams, addresses, keys.
impl<M: Mode> Association<M> {
    /// Makes `remote` the primary path, which carries new data while it is reachable (RFC 9260
    /// §11.1.4).
    ///
    /// # Errors
    /// The address does not belong to the peer, or is not confirmed.
    pub fn set_primary(&self, remote: IpAddr) -> Result<(), PathError> {
        let remote = self.handle.engine_name(remote);
        let gone = PathError::Unknown;
        self.handle.ask(gone, |assoc, _| assoc.set_primary(remote))
    }

    /// Sends a heartbeat to `remote` now (RFC 9260 §11.1.8).
    ///
    /// # Errors
    /// The address does not belong to the peer.
    pub fn request_heartbeat(&self, remote: IpAddr) -> Result<(), PathError> {
        let remote = self.handle.engine_name(remote);
        let gone = PathError::Unknown;
        let ask = |assoc: &mut Assoc<'_>, now| assoc.request_heartbeat(now, remote);
        self.handle.ask(gone, ask)
    }

    /// Changes those options that can change during an association's life: bounds and gains of the
    /// retransmission timeout, heartbeats, failover thresholds, cookie lifetime, delay and
    /// frequency of SACKs, `coalescing`, `max_burst`, `max_message_size`; once established, also
    /// the buffer sizes, where the receive buffer can only grow, since the peer may already use the
    /// announced window. A measured or backed-off timeout stays until it is next measured or backed
    /// off. All other options are ignored. Does nothing once closed.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn retune(&self, options: &Options) -> Result<(), OptionError> {
        self.handle.retune(options)
    }

    /// Gives the path to one address its own settings, replacing those of the options and of
    /// earlier calls (RFC 6458 §8.1.12). A handover resets them.
    ///
    /// # Errors
    /// The address does not belong to the peer.
    pub fn retune_path(&self, remote: IpAddr, tuning: PathTuning) -> Result<(), PathError> {
        let remote = self.handle.engine_name(remote);
        let gone = PathError::Unknown;
        let ask = |assoc: &mut Assoc<'_>, now| assoc.retune_path(now, remote, tuning);
        self.handle.ask(gone, ask)
    }

    /// Replaces the stream scheduler set by [`Options::scheduler`](crate::Options::scheduler) (RFC
    /// 8260 §3). Waiting messages are taken over in the order in which they were queued, and partly
    /// sent ones continue; priorities and weights stay. A restart of the association or a handover
    /// resets the scheduler. Does nothing once closed.
    pub fn set_stream_scheduler(&self, scheduler: StreamScheduler) {
        self.handle.set_stream_scheduler(scheduler);
    }

    /// The stream scheduler in use; `None` once closed.
    #[must_use]
    pub fn stream_scheduler(&self) -> Option<StreamScheduler> {
        self.handle.read(|assoc| assoc.stream_scheduler())
    }

    /// Sets the priority of a stream under
    /// [`StreamScheduler::Priority`](crate::streams::StreamScheduler::Priority): 0, the default,
    /// goes first. Also applies to a scheduler set later; a restart of the association resets it.
    ///
    /// # Errors
    /// The outbound stream does not exist.
    pub fn set_stream_priority(&self, stream: StreamId, priority: u16) -> Result<(), StreamError> {
        self.handle.ask(StreamError::Unknown, |assoc, now| {
            assoc.set_stream_priority(now, stream, priority)
        })
    }

    /// Sets the weight of a stream under
    /// [`StreamScheduler::WeightedFairQueueing`](crate::streams::StreamScheduler::WeightedFairQueueing):
    /// its share relative to the default 1. Also applies to a scheduler set later; a restart of the
    /// association resets it.
    ///
    /// # Errors
    /// The outbound stream does not exist.
    pub fn set_stream_weight(
        &self,
        stream: StreamId,
        weight: NonZeroU16,
    ) -> Result<(), StreamError> {
        self.handle.ask(StreamError::Unknown, |assoc, now| {
            assoc.set_stream_weight(now, stream, weight)
        })
    }

    /// Resets the message sequence numbers of streams to 0: of our outbound streams or, by request
    /// to the peer, of its streams (RFC 6525). No ids means all streams. Returns at once;
    /// [`Event::StreamsReset`](crate::Event::StreamsReset) or
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) reports the outcome.
    /// Needs the option [`reconfiguration`](crate::Options::reconfiguration) at both ends.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn reset_streams(
        &self,
        streams: &[StreamId],
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.handle
            .ask(ReconfigurationError::NotEstablished, |assoc, now| {
                assoc.reset_streams(now, streams, direction)
            })
    }

    /// Resets all streams in both directions like [`reset_streams`](Self::reset_streams), and the
    /// TSNs as well.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is not general enough in its lifetime"
    )]
    pub fn reset_tsns(&self) -> Result<(), ReconfigurationError> {
        let gone = ReconfigurationError::NotEstablished;
        self.handle.ask(gone, |assoc, now| assoc.reset_tsns(now))
    }

    /// Requests `count` more outbound streams, or asks the peer to add as many for its own sending.
    /// Returns at once; [`Event::StreamsChanged`](crate::Event::StreamsChanged) or
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) reports the outcome.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn add_streams(
        &self,
        count: u16,
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.handle
            .ask(ReconfigurationError::NotEstablished, |assoc, now| {
                assoc.add_streams(now, count, direction)
            })
    }

    /// Announces another local address to the peer (RFC 5061); the endpoint must own the address.
    /// Returns at once; [`Event::AddressChanged`](crate::Event::AddressChanged) or
    /// [`Event::AddressChangeRefused`](crate::Event::AddressChangeRefused) reports the outcome.
    /// Needs the option [`address_changes`](crate::Options::address_changes) at both ends.
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn add_address(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        let gone = AddressChangeError::NotEstablished;
        self.handle
            .ask(gone, |assoc, now| assoc.add_address(now, ip))
    }

    /// Withdraws a local address from the peer; otherwise like [`add_address`](Self::add_address).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn delete_address(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        let gone = AddressChangeError::NotEstablished;
        self.handle
            .ask(gone, |assoc, now| assoc.delete_address(now, ip))
    }

    /// Asks the peer to send data to that local address; otherwise like
    /// [`add_address`](Self::add_address).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn set_peer_primary(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        let gone = AddressChangeError::NotEstablished;
        self.handle
            .ask(gone, |assoc, now| assoc.set_peer_primary(now, ip))
    }

    /// Adds a shared key (RFC 4895), or replaces the secret of an existing key id. The peer may use
    /// the key at once; we send with it once it is [active](Self::activate_key).
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn insert_key(&self, key: SharedKey) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle.ask(gone, |assoc, _| assoc.insert_key(key))
    }

    /// Makes `id` the key for sending.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn activate_key(&self, id: KeyId) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle.ask(gone, |assoc, _| assoc.activate_key(id))
    }

    /// Stops sending with that key for good; packets that the peer authenticates with it are still
    /// accepted.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn deactivate_key(&self, id: KeyId) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle
            .ask(gone, |assoc, now| assoc.deactivate_key(now, id))
    }

    /// Removes an inactive key: chunks that the peer authenticates with it are then dropped.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn delete_key(&self, id: KeyId) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle.ask(gone, |assoc, _| assoc.delete_key(id))
    }
}
