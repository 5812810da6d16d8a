use std::net::IpAddr;
use std::num::NonZeroU16;

use sheave_engine::{
    AddressChangeError, Assoc, KeyError, KeyId, OptionError, Options, PathError, PathTuning,
    ReconfigurationError, SharedKey, StreamDirection, StreamError, StreamScheduler,
};
use sheave_wire::StreamId;

use super::Association;
use crate::handle::Mode;

/// Changes to an association while it works: paths, streams, addresses, keys.
impl<M: Mode> Association<M> {
    /// Sends new data to that peer address while it is reachable (RFC 9260 §11.1.4).
    ///
    /// # Errors
    /// The address is not the peer's, or not confirmed.
    pub fn set_primary(&self, remote: IpAddr) -> Result<(), PathError> {
        let remote = self.handle.engine_name(remote);
        let gone = PathError::Unknown;
        self.handle.ask(gone, |assoc, _| assoc.set_primary(remote))
    }

    /// Sends a heartbeat to that peer address now (RFC 9260 §11.1.8).
    ///
    /// # Errors
    /// The address is not the peer's.
    pub fn request_heartbeat(&self, remote: IpAddr) -> Result<(), PathError> {
        let remote = self.handle.engine_name(remote);
        let gone = PathError::Unknown;
        let ask = |assoc: &mut Assoc<'_>, now| assoc.request_heartbeat(now, remote);
        self.handle.ask(gone, ask)
    }

    /// Goes on with these options as far as they can change while an association lives: the bounds
    /// and gains of the retransmission timeout, heartbeats, the thresholds of failover, the
    /// lifetime of cookies, delay and frequency of SACKs, `coalescing`, `max_burst`,
    /// `max_message_size`, and once it is established the sizes of the buffers, of the receive
    /// buffer a larger one only: the peer may fill what it was told of. A timeout that was measured
    /// or backed off stays until the next of these. Of all others nothing changes, and nothing at all
    /// once closed.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn retune(&self, options: &Options) -> Result<(), OptionError> {
        self.handle.retune(options)
    }

    /// Gives the path to one address settings of its own, in place of those that the options give
    /// all of them (RFC 6458 §8.1.12); the settings that it had before are gone. A handover sets
    /// them back.
    ///
    /// # Errors
    /// The address is not the peer's.
    pub fn retune_path(&self, remote: IpAddr, tuning: PathTuning) -> Result<(), PathError> {
        let remote = self.handle.engine_name(remote);
        let gone = PathError::Unknown;
        let ask = |assoc: &mut Assoc<'_>, now| assoc.retune_path(now, remote, tuning);
        self.handle.ask(gone, ask)
    }

    /// Lets another scheduler choose from now on, in place of that of
    /// [`Options::scheduler`](crate::Options::scheduler) (RFC 8260 §3). What waits is taken over in
    /// the order in which it was handed in, and what is partly sent goes on; priorities and weights
    /// stay. A restart of the association or a handover sets it back. Nothing happens once closed.
    pub fn set_stream_scheduler(&self, scheduler: StreamScheduler) {
        self.handle.set_stream_scheduler(scheduler);
    }

    /// The scheduler that chooses now; `None` once closed.
    #[must_use]
    pub fn stream_scheduler(&self) -> Option<StreamScheduler> {
        self.handle.read(|assoc| assoc.stream_scheduler())
    }

    /// Gives a stream a priority, for
    /// [`StreamScheduler::Priority`](crate::streams::StreamScheduler::Priority): 0, which all streams begin
    /// with, goes first. Holds for a scheduler that is set later, too; a restart of the
    /// association sets it back.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_stream_priority(&self, stream: StreamId, priority: u16) -> Result<(), StreamError> {
        self.handle.ask(StreamError::Unknown, |assoc, now| {
            assoc.set_stream_priority(now, stream, priority)
        })
    }

    /// Gives a stream a weight, for
    /// [`StreamScheduler::WeightedFairQueueing`](crate::streams::StreamScheduler::WeightedFairQueueing): its
    /// share beside 1, which all streams begin with. Holds for a scheduler that is set later, too;
    /// a restart of the association sets it back.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_stream_weight(
        &self,
        stream: StreamId,
        weight: NonZeroU16,
    ) -> Result<(), StreamError> {
        self.handle.ask(StreamError::Unknown, |assoc, now| {
            assoc.set_stream_weight(now, stream, weight)
        })
    }

    /// Lets streams begin with message sequence number 0 again: those that we send on, or, by
    /// asking the peer, those that it sends on (RFC 6525). No ids means all streams. Returns at
    /// once; [`Event::StreamsReset`](crate::Event::StreamsReset) or
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) tells the outcome.
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

    /// Resets streams like [`reset_streams`](Self::reset_streams), all of them both ways, and with
    /// them the TSNs.
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

    /// Asks for `count` more streams to send on, or the peer to do so. Returns at once;
    /// [`Event::StreamsChanged`](crate::Event::StreamsChanged) or
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) tells the outcome.
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

    /// Tells the peer that we can be reached at another address, too (RFC 5061), which the endpoint
    /// must own. Returns at once; [`Event::AddressChanged`](crate::Event::AddressChanged) or
    /// [`Event::AddressChangeRefused`](crate::Event::AddressChangeRefused) tells the outcome. Needs
    /// the option [`address_changes`](crate::Options::address_changes) at both ends.
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn add_address(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        let gone = AddressChangeError::NotEstablished;
        self.handle
            .ask(gone, |assoc, now| assoc.add_address(now, ip))
    }

    /// Tells the peer that we can no longer be reached at an address; else as
    /// [`add_address`](Self::add_address).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn delete_address(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        let gone = AddressChangeError::NotEstablished;
        self.handle
            .ask(gone, |assoc, now| assoc.delete_address(now, ip))
    }

    /// Asks the peer to send data to that address of ours; else as
    /// [`add_address`](Self::add_address).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn set_peer_primary(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        let gone = AddressChangeError::NotEstablished;
        self.handle
            .ask(gone, |assoc, now| assoc.set_peer_primary(now, ip))
    }

    /// Gives the association another shared key (RFC 4895), or one of that id another secret. The
    /// peer may use it from now on; we do once it is [active](Self::activate_key).
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn insert_key(&self, key: SharedKey) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle.ask(gone, |assoc, _| assoc.insert_key(key))
    }

    /// Sends with that key from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn activate_key(&self, id: KeyId) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle.ask(gone, |assoc, _| assoc.activate_key(id))
    }

    /// Promises not to send with that key again; what the peer sends with it still counts.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn deactivate_key(&self, id: KeyId) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle
            .ask(gone, |assoc, now| assoc.deactivate_key(now, id))
    }

    /// Removes a key that is not active: what the peer sends with it is dropped from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn delete_key(&self, id: KeyId) -> Result<(), KeyError> {
        let gone = KeyError::Unavailable;
        self.handle.ask(gone, |assoc, _| assoc.delete_key(id))
    }
}
