use alloc::vec::Vec;
use core::net::IpAddr;
use core::num::NonZeroU16;

use bytes::Bytes;
use sheave_wire::{StreamId, Tsn};

use super::{Endpoint, Shielded};
use crate::assoc::{Context, Ending, Tcb};
use crate::{
    Abandonments, AddressChange, AddressChangeError, AssocStats, ChunkSet, Extension, KeyError,
    KeyId, Message, Obstacle, OptionError, Options, Origin, PartialReliability, PathError,
    PathStats, PathTuning, Phase, Policy, Received, ReconfigurationError, SendError, SendOptions,
    SharedKey, ShutdownError, StreamDirection, StreamError, StreamScheduler, Time,
};

/// An association borrowed from an [`Endpoint`].
pub struct Assoc<'a> {
    endpoint: &'a mut Endpoint,
    index: usize,
}

impl<'a> Assoc<'a> {
    pub(crate) const fn new(endpoint: &'a mut Endpoint, index: usize) -> Self {
        Self { endpoint, index }
    }

    fn tcb(&self) -> &Tcb {
        self.endpoint.registry().tcb(self.index)
    }

    fn with_tcb<R>(&mut self, now: Time, act: impl FnOnce(&mut Tcb, &mut Context<'_>) -> R) -> R {
        self.endpoint.with_tcb(now, self.index, act)
    }

    /// The protection of its packets; `None` where they are not protected.
    pub fn protection(&mut self) -> Option<Shielded<'_>> {
        Shielded::of(self.endpoint, self.index)
    }

    /// Queues a message for sending (RFC 9260 §11.1.5).
    ///
    /// The message is accepted whole or not at all: if it fits the send buffer, or if nothing is
    /// buffered. May be called before the association is established; messages for streams that the
    /// peer does not grant come back as [`Event::SendFailed`](crate::Event::SendFailed).
    ///
    /// # Errors
    /// See [`SendError`].
    pub fn send(
        &mut self,
        now: Time,
        message: Message,
        options: SendOptions,
    ) -> Result<(), SendError> {
        self.endpoint.send(now, self.index, message, options)
    }

    /// The next message or part of one; reading frees its room in the receive buffer.
    pub fn receive(&mut self, now: Time) -> Option<Received> {
        self.endpoint.receive(now, self.index)
    }

    /// Whether [`receive`](Self::receive) would return a message or a part.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.tcb().is_readable()
    }

    /// Number of messages that can be read now, excluding parts of an incomplete one. After as many
    /// calls of [`receive`](Self::receive), everything that arrived before a
    /// [reset](crate::Event::StreamsReset) by the peer has been read.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.tcb().unread()
    }

    /// Replaces the scheduler set by [`Options::scheduler`](crate::Options::scheduler) (RFC 8260
    /// §3). Queued messages keep their order, and a partly sent message continues; priorities and
    /// weights are kept. A restart of the association or a handover restores the original
    /// scheduler.
    pub fn set_stream_scheduler(&mut self, now: Time, scheduler: StreamScheduler) {
        self.with_tcb(now, |tcb, _| tcb.set_stream_scheduler(scheduler));
    }

    /// The scheduler in use.
    #[must_use]
    pub fn stream_scheduler(&self) -> StreamScheduler {
        self.tcb().stream_scheduler()
    }

    /// Sets a stream's priority for [`StreamScheduler::Priority`](crate::StreamScheduler). 0, the
    /// default, goes first. Applies to queued messages, too, and to a scheduler set later; a
    /// restart of the association resets it.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_stream_priority(
        &mut self,
        now: Time,
        stream: StreamId,
        priority: u16,
    ) -> Result<(), StreamError> {
        self.with_tcb(now, |tcb, _| tcb.set_stream_priority(stream, priority))
    }

    /// The priority most recently [set](Self::set_stream_priority) for the stream.
    #[must_use]
    pub fn stream_priority(&self, stream: StreamId) -> u16 {
        self.tcb().stream_priority(stream)
    }

    /// The weight most recently [set](Self::set_stream_weight) for the stream.
    #[must_use]
    pub fn stream_weight(&self, stream: StreamId) -> u16 {
        self.tcb().stream_weight(stream)
    }

    /// Limits the user data of a chunk to so many bytes from now on, at least 8 (RFC 6458 §8.1.16);
    /// `None` fills packets. A restart of the association keeps the limit, a handover does not.
    pub fn set_max_fragment(&mut self, now: Time, most: Option<u16>) {
        let most = most.and_then(|most| NonZeroU16::new(most.max(8)));
        self.with_tcb(now, |tcb, _| tcb.set_max_fragment(most));
    }

    /// The peer address from which a message came; `None` if the peer has deleted that address.
    #[must_use]
    pub fn source(&self, origin: Origin) -> Option<IpAddr> {
        self.tcb().source(origin)
    }

    /// The peer's cumulative TSN: the last one before which no TSN is missing (RFC 9260 §6.2).
    #[must_use]
    pub fn cumulative_tsn(&self) -> Tsn {
        self.tcb().cumulative_tsn()
    }

    /// Overrides the options for one path (RFC 6458 §8.1.12), replacing earlier overrides. A
    /// handover removes them.
    ///
    /// # Errors
    /// When there is no path to that address.
    pub fn retune_path(
        &mut self,
        now: Time,
        remote: IpAddr,
        tuning: PathTuning,
    ) -> Result<(), PathError> {
        self.with_tcb(now, |tcb, cx| tcb.retune_path(cx, remote, tuning))
    }

    /// Sets a stream's weight for
    /// [`StreamScheduler::WeightedFairQueueing`](crate::StreamScheduler): its share relative to
    /// other streams; the default is 1. Applies from the next message or chunk, and to a scheduler
    /// set later; a restart of the association resets it.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_stream_weight(
        &mut self,
        now: Time,
        stream: StreamId,
        weight: NonZeroU16,
    ) -> Result<(), StreamError> {
        self.with_tcb(now, |tcb, _| tcb.set_stream_weight(stream, weight))
    }

    /// Emits [`Event::StreamBufferLow`](crate::Event::StreamBufferLow) each time the [bytes
    /// buffered](Self::stream_buffered) on a stream fall to `bytes` from above; `None` removes the
    /// mark. The first mark starts per-stream byte counts. A restart of the association or a
    /// handover removes all marks.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_low_water(
        &mut self,
        stream: StreamId,
        bytes: Option<usize>,
    ) -> Result<(), StreamError> {
        self.endpoint
            .tcb_mut(self.index)
            .set_low_water(stream, bytes)
    }

    /// User bytes of a stream that are queued, or sent and not cumulatively acknowledged. Takes
    /// time linear in queued messages and outstanding chunks, unless some stream has a [low-water
    /// mark](Self::set_low_water).
    #[must_use]
    pub fn stream_buffered(&self, stream: StreamId) -> usize {
        self.tcb().stream_buffered(stream)
    }

    /// Closes gracefully, after all queued data has been delivered (RFC 9260 §9.2).
    ///
    /// # Errors
    /// When a shutdown is already under way, ours or the peer's.
    pub fn shutdown(&mut self, now: Time) -> Result<(), ShutdownError> {
        let outcome = self.with_tcb(now, Tcb::shutdown);
        match outcome {
            Ok(None) => Ok(()),
            Ok(Some(ending)) => {
                self.endpoint.end(now, self.index, ending);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Closes at once; the ABORT carries `reason` to the peer (RFC 9260 §9.1).
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the reason is handed over like a message"
    )]
    pub fn abort(self, now: Time, reason: Bytes) {
        self.endpoint.end(now, self.index, Ending::by_user(&reason));
    }

    /// Sends new data to that peer address while it is reachable (RFC 9260 §11.1.4).
    ///
    /// # Errors
    /// When there is no confirmed path to it.
    pub fn set_primary(&mut self, remote: IpAddr) -> Result<(), PathError> {
        self.endpoint.redirect(self.index, remote)
    }

    /// Sends a heartbeat to that peer address now, unless one is outstanding (RFC 9260 §11.1.8).
    ///
    /// # Errors
    /// When there is no path to it.
    pub fn request_heartbeat(&mut self, now: Time, remote: IpAddr) -> Result<(), PathError> {
        self.with_tcb(now, |tcb, cx| tcb.request_heartbeat(cx, remote))
    }

    /// Resets streams so that their sequence numbers start at 0: our outgoing streams, or, by a
    /// request to the peer, its outgoing ones (RFC 6525 §5.1.2, §5.1.3). An empty list means all
    /// streams; an id may occur twice.
    ///
    /// An outgoing reset waits until earlier data is acknowledged, and later data waits until the
    /// peer has agreed. [`Event::StreamsReset`](crate::Event::StreamsReset) or
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) reports the result. If
    /// the peer dies after agreeing to reset its own streams, only
    /// [heartbeats](crate::Options::heartbeats) detect that.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn reset_streams(
        &mut self,
        now: Time,
        streams: &[StreamId],
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.with_tcb(now, |tcb, cx| tcb.reset_streams(cx, streams, direction))
    }

    /// Resets the sequence numbers of all streams in both directions, and the TSNs (RFC 6525
    /// §5.1.4). New data waits until the peer has agreed.
    /// [`Event::AssociationReset`](crate::Event::AssociationReset) or
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) reports the result.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn reset_tsns(&mut self, now: Time) -> Result<(), ReconfigurationError> {
        self.with_tcb(now, Tcb::reset_tsns)
    }

    /// Requests `count` more outgoing streams, or asks the peer to request them (RFC 6525 §5.1.5,
    /// §5.1.6). [`Event::StreamsChanged`](crate::Event::StreamsChanged) or
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) reports the result.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn add_streams(
        &mut self,
        now: Time,
        count: u16,
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.with_tcb(now, |tcb, cx| tcb.add_streams(cx, count, direction))
    }

    /// Adds another of the endpoint's addresses to the association by informing the peer (RFC
    /// 5061); [`Event::AddressChanged`](crate::Event::AddressChanged) follows once the peer has
    /// confirmed.
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn add_address(&mut self, now: Time, ip: IpAddr) -> Result<(), AddressChangeError> {
        if !self.endpoint.owns_address(ip) {
            return Err(AddressChangeError::NotLocal);
        }
        self.with_tcb(now, |tcb, cx| {
            tcb.change_address(cx, AddressChange::Add(ip))
        })
    }

    /// Removes a local address from the association by informing the peer (RFC 5061); from
    /// [`Event::AddressChanged`](crate::Event::AddressChanged) on the address is unused.
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn delete_address(&mut self, now: Time, ip: IpAddr) -> Result<(), AddressChangeError> {
        self.with_tcb(now, |tcb, cx| {
            tcb.change_address(cx, AddressChange::Delete(ip))
        })
    }

    /// Asks the peer to use that address of ours as primary destination (RFC 5061 §4.2.4).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn set_peer_primary(&mut self, now: Time, ip: IpAddr) -> Result<(), AddressChangeError> {
        self.with_tcb(now, |tcb, cx| {
            tcb.change_address(cx, AddressChange::SetPrimary(ip))
        })
    }

    /// Adds a shared key, or replaces the secret of an existing id (RFC 4895 §6.1). The peer may
    /// use the key at once; this end sends with it once it is [active](Self::activate_key).
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn insert_key(&mut self, key: SharedKey) -> Result<(), KeyError> {
        self.endpoint.tcb_mut(self.index).insert_key(key)
    }

    /// Uses that key for sending from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn activate_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.endpoint
            .tcb_mut(self.index)
            .authenticator()?
            .activate_key(id)
    }

    /// Stops using a key for new messages; the peer may still send with it.
    /// [`AuthenticationChange::FreeKey`](crate::AuthenticationChange::FreeKey) follows once all
    /// messages [sent with the key](crate::SendOptions::key) are acknowledged or given up.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn deactivate_key(&mut self, now: Time, id: KeyId) -> Result<(), KeyError> {
        self.with_tcb(now, |tcb, cx| tcb.deactivate_key(cx, id))
    }

    /// Removes a key, which must be neither active nor in use by an unacknowledged message. Chunks
    /// that the peer sends with it are dropped from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn delete_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.endpoint.tcb_mut(self.index).delete_key(id)
    }

    /// The chunk types that we must authenticate, as requested by the peer (RFC 4895 §6.2).
    #[must_use]
    pub fn peer_chunks(&self) -> ChunkSet {
        self.tcb().peer_chunks()
    }

    /// The chunk types that the peer must authenticate, as requested by us.
    #[must_use]
    pub fn local_chunks(&self) -> ChunkSet {
        self.tcb().local_chunks()
    }

    /// Whether both ends have agreed on an extension; false until the peer's extensions are known.
    #[must_use]
    pub fn agrees_on(&self, extension: Extension) -> bool {
        self.tcb().agrees_on(extension)
    }

    /// The conditions that prevent an [export](Endpoint::export) of the association now; empty if
    /// there are none.
    #[must_use]
    pub fn handover_obstacles(&self) -> Vec<Obstacle> {
        self.tcb().obstacles()
    }

    /// Whether both ends agreed on partial reliability (RFC 3758). While this is `Off`, every
    /// message is reliable, whatever its [`Reliability`](crate::Reliability).
    #[must_use]
    pub fn partial_reliability(&self) -> PartialReliability {
        self.tcb().partial_reliability()
    }

    /// Number of our messages abandoned by that policy (RFC 7496 §4.4).
    #[must_use]
    pub fn abandonments(&self, policy: Policy) -> Abandonments {
        self.tcb().abandonments(policy, None)
    }

    /// Number of messages abandoned on one stream, as [`abandonments`](Self::abandonments) counts
    /// them (RFC 7496 §4.3).
    #[must_use]
    pub fn abandonments_on(&self, stream: StreamId, policy: Policy) -> Abandonments {
        self.tcb().abandonments(policy, Some(stream))
    }

    /// Longest message in bytes ([`Options::max_message_size`](crate::Options::max_message_size)).
    #[must_use]
    pub fn max_message_size(&self) -> usize {
        self.tcb().options.max_message_size
    }

    /// The state of the association (RFC 9260 §4).
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.tcb().phase
    }

    /// Applies those options that can change during an association: RTO bounds and gains,
    /// heartbeats, failover thresholds, cookie lifetime, SACK delay and frequency, `coalescing`,
    /// `max_burst`, `max_message_size`, and, once established, the buffer sizes. The receive buffer
    /// can only grow, since the peer may fill the advertised window. An RTO already measured or
    /// backed off stays until the next measurement or backoff. All other options are ignored.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn retune(&mut self, now: Time, options: &Options) -> Result<(), OptionError> {
        options.validate()?;
        self.with_tcb(now, |tcb, cx| tcb.retune(cx, options));
        Ok(())
    }

    /// The options in force.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.tcb().options
    }

    /// Our addresses that the peer knows.
    #[must_use]
    pub fn local_addresses(&self) -> Vec<IpAddr> {
        self.tcb().local.to_vec()
    }

    /// Number of DATA chunks sent and not cumulatively acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> usize {
        self.tcb().outstanding()
    }

    /// Number of messages of which nothing was sent yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.tcb().waiting()
    }

    /// Checks whether [`send`](Self::send) would accept this message now. As with `send`, a lack of
    /// room leads to [`Event::Writable`](crate::Event::Writable) later, and messages that may be
    /// abandoned for more important ones are.
    ///
    /// # Errors
    /// See [`SendError`].
    pub fn check_send(
        &mut self,
        now: Time,
        message: &Message,
        options: &SendOptions,
    ) -> Result<(), SendError> {
        self.endpoint.check_send(now, self.index, message, options)
    }

    /// Whether the send buffer accepts messages of about `length` bytes; with
    /// [`Admission::WhileNotFull`](crate::Admission::WhileNotFull) it then accepts any size. If the
    /// buffer is full, [`Event::Writable`](crate::Event::Writable) follows later.
    #[must_use]
    pub fn has_room(&mut self, length: usize) -> bool {
        self.endpoint.has_room(self.index, length)
    }

    /// Counters and state.
    #[must_use]
    pub fn stats(&self) -> AssocStats {
        self.tcb().stats()
    }

    /// Counters and state of each path, in the order of the peer's addresses.
    #[must_use]
    pub fn path_stats(&self) -> Vec<PathStats> {
        self.tcb().paths.stats()
    }

    /// Memory used by the association in bytes, heap included; queued user data excluded.
    #[must_use]
    pub fn footprint(&self) -> usize {
        self.tcb().footprint()
    }
}
