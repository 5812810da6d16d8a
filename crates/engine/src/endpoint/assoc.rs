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

/// An association of an [`Endpoint`], borrowed from it.
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
    /// It is accepted whole or not at all: when it fits the send buffer, or when nothing is
    /// buffered. May be called before the association is established; messages for streams that
    /// the peer then does not grant come back as [`Event::SendFailed`](crate::Event::SendFailed).
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

    /// The next message or part of one; frees its room in the receive buffer.
    pub fn receive(&mut self, now: Time) -> Option<Received> {
        self.endpoint.receive(now, self.index)
    }

    /// Whether [`receive`](Self::receive) has a message, or part of one.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.tcb().is_readable()
    }

    /// Number of messages that can be read now, parts of an incomplete one not counted: as many calls
    /// of [`receive`](Self::receive) later, all are read that arrived before a
    /// [reset](crate::Event::StreamsReset) of the peer's.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.tcb().unread()
    }

    /// Lets another scheduler choose from now on, in place of that of
    /// [`Options::scheduler`](crate::Options::scheduler) (RFC 8260 §3). What waits is taken over in
    /// the order in which it was handed in, and what is partly sent goes on; priorities and weights
    /// stay. A restart of the association or a handover sets it back.
    pub fn set_stream_scheduler(&mut self, now: Time, scheduler: StreamScheduler) {
        self.with_tcb(now, |tcb, _| tcb.set_stream_scheduler(scheduler));
    }

    /// The scheduler that chooses now.
    #[must_use]
    pub fn stream_scheduler(&self) -> StreamScheduler {
        self.tcb().stream_scheduler()
    }

    /// Gives a stream a priority, for [`StreamScheduler::Priority`](crate::StreamScheduler): 0,
    /// which all streams begin with, goes first. Holds for messages that wait, too, and for a
    /// scheduler that is set later; a restart of the association sets it back.
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

    /// The priority of a stream that was [set](Self::set_stream_priority) last.
    #[must_use]
    pub fn stream_priority(&self, stream: StreamId) -> u16 {
        self.tcb().stream_priority(stream)
    }

    /// The weight of a stream that was [set](Self::set_stream_weight) last.
    #[must_use]
    pub fn stream_weight(&self, stream: StreamId) -> u16 {
        self.tcb().stream_weight(stream)
    }

    /// Cuts messages into chunks of at most so many bytes of user data from now on, 8 at least
    /// (RFC 6458 §8.1.16); with `None`, into as large ones as fit a packet. A restart of the
    /// association keeps it, a handover does not.
    pub fn set_max_fragment(&mut self, now: Time, most: Option<u16>) {
        let most = most.and_then(|most| NonZeroU16::new(most.max(8)));
        self.with_tcb(now, |tcb, _| tcb.set_max_fragment(most));
    }

    /// The peer's address that a message came from; `None` if the peer has it no longer.
    #[must_use]
    pub fn source(&self, origin: Origin) -> Option<IpAddr> {
        self.tcb().source(origin)
    }

    /// The last of the peer's TSNs before which none is missing (RFC 9260 §6.2).
    #[must_use]
    pub fn cumulative_tsn(&self) -> Tsn {
        self.tcb().cumulative_tsn()
    }

    /// Gives one path settings of its own, in place of those that the options give all of them
    /// (RFC 6458 §8.1.12); the settings that it had before are gone. A handover sets them back.
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

    /// Gives a stream a weight, for
    /// [`StreamScheduler::WeightedFairQueueing`](crate::StreamScheduler): its share of what is
    /// sent, beside 1, which all streams begin with. Holds from the next message or chunk on, and
    /// for a scheduler that is set later; a restart of the association sets it back.
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

    /// Tells with [`Event::StreamBufferLow`](crate::Event::StreamBufferLow) each time that the
    /// [bytes buffered](Self::stream_buffered) on a stream fall to `bytes` from above; with `None`,
    /// never again. Works from the first mark on with counts that are kept for each stream; a restart
    /// of the association or a handover removes all marks.
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

    /// User bytes of a stream that are queued, or sent and not cumulatively acknowledged. Takes a
    /// look at each message and each outstanding chunk while no stream has a
    /// [low-water mark](Self::set_low_water).
    #[must_use]
    pub fn stream_buffered(&self, stream: StreamId) -> usize {
        self.tcb().stream_buffered(stream)
    }

    /// Closes gracefully: everything sent is delivered first (RFC 9260 §9.2).
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

    /// Closes at once, with `reason` told to the peer (RFC 9260 §9.1).
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

    /// Sends a heartbeat to that peer address now, unless one is on its way (RFC 9260 §11.1.8).
    ///
    /// # Errors
    /// When there is no path to it.
    pub fn request_heartbeat(&mut self, now: Time, remote: IpAddr) -> Result<(), PathError> {
        self.with_tcb(now, |tcb, cx| tcb.request_heartbeat(cx, remote))
    }

    /// Lets streams begin with message sequence number 0 again: those that we send on, or, by
    /// asking the peer, those that it sends on (RFC 6525 §5.1.2, §5.1.3). No ids means all streams;
    /// an id may stand there twice.
    ///
    /// Of streams that we send on, what was sent before goes first, and what is sent from now on
    /// waits until the peer has agreed. [`Event::StreamsReset`](crate::Event::StreamsReset) tells
    /// when it is done, [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) when
    /// it is not to be. That a peer is gone which has agreed to reset its own streams, only
    /// [heartbeats](crate::Options::heartbeats) show.
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

    /// Lets the sequence numbers of all streams, both ways, and the TSNs begin anew (RFC 6525
    /// §5.1.4). Nothing new is sent until the peer has agreed;
    /// [`Event::AssociationReset`](crate::Event::AssociationReset) tells when it is done,
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) when it is not to be.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn reset_tsns(&mut self, now: Time) -> Result<(), ReconfigurationError> {
        self.with_tcb(now, Tcb::reset_tsns)
    }

    /// Asks the peer for `count` more streams to send on, or for it to do so (RFC 6525 §5.1.5,
    /// §5.1.6). [`Event::StreamsChanged`](crate::Event::StreamsChanged) tells when it is done,
    /// [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) when it is not to be.
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

    /// Tells the peer that we can be reached at another address of the endpoint, too (RFC 5061);
    /// [`Event::AddressChanged`](crate::Event::AddressChanged) follows when it knows.
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

    /// Tells the peer that we can no longer be reached at an address (RFC 5061); it is not used
    /// any more from [`Event::AddressChanged`](crate::Event::AddressChanged) on.
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn delete_address(&mut self, now: Time, ip: IpAddr) -> Result<(), AddressChangeError> {
        self.with_tcb(now, |tcb, cx| {
            tcb.change_address(cx, AddressChange::Delete(ip))
        })
    }

    /// Asks the peer to send data to that address of ours (RFC 5061 §4.2.4).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn set_peer_primary(&mut self, now: Time, ip: IpAddr) -> Result<(), AddressChangeError> {
        self.with_tcb(now, |tcb, cx| {
            tcb.change_address(cx, AddressChange::SetPrimary(ip))
        })
    }

    /// Gives the association another shared key (RFC 4895 §6.1), or one of that id another secret.
    /// The peer may use it from now on; we do once it is [active](Self::activate_key).
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn insert_key(&mut self, key: SharedKey) -> Result<(), KeyError> {
        self.endpoint.tcb_mut(self.index).insert_key(key)
    }

    /// Sends with that key from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn activate_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.endpoint
            .tcb_mut(self.index)
            .authenticator()?
            .activate_key(id)
    }

    /// Promises to send no other message with that key; what the peer sends with it still counts.
    /// [`AuthenticationChange::FreeKey`](crate::AuthenticationChange::FreeKey) follows once the
    /// messages that were [sent with it](crate::SendOptions::key) are acknowledged or given up.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn deactivate_key(&mut self, now: Time, id: KeyId) -> Result<(), KeyError> {
        self.with_tcb(now, |tcb, cx| tcb.deactivate_key(cx, id))
    }

    /// Removes a key that is neither active nor that of a message which is not yet acknowledged: what
    /// the peer sends with it is dropped from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn delete_key(&mut self, id: KeyId) -> Result<(), KeyError> {
        self.endpoint.tcb_mut(self.index).delete_key(id)
    }

    /// The chunks that we must authenticate, since the peer asks for it (RFC 4895 §6.2).
    #[must_use]
    pub fn peer_chunks(&self) -> ChunkSet {
        self.tcb().peer_chunks()
    }

    /// The chunks that the peer must authenticate, since we ask for it.
    #[must_use]
    pub fn local_chunks(&self) -> ChunkSet {
        self.tcb().local_chunks()
    }

    /// Whether both ends have agreed on an extension; on none before the peer has told its own.
    #[must_use]
    pub fn agrees_on(&self, extension: Extension) -> bool {
        self.tcb().agrees_on(extension)
    }

    /// The obstacles that keep the association from being [exported](Endpoint::export) now; empty
    /// if there are none.
    #[must_use]
    pub fn handover_obstacles(&self) -> Vec<Obstacle> {
        self.tcb().obstacles()
    }

    /// Whether both ends agreed that messages may be given up (RFC 3758). While it is `Off`, all
    /// messages are reliable, whatever their [`Reliability`](crate::Reliability) says.
    #[must_use]
    pub fn partial_reliability(&self) -> PartialReliability {
        self.tcb().partial_reliability()
    }

    /// Messages of ours that were given up for that reason (RFC 7496 §4.4).
    #[must_use]
    pub fn abandonments(&self, policy: Policy) -> Abandonments {
        self.tcb().abandonments(policy, None)
    }

    /// Counts abandonments like [`abandonments`](Self::abandonments), on one stream (RFC 7496
    /// §4.3).
    #[must_use]
    pub fn abandonments_on(&self, stream: StreamId, policy: Policy) -> Abandonments {
        self.tcb().abandonments(policy, Some(stream))
    }

    /// Bytes that a message may have
    /// ([`Options::max_message_size`](crate::Options::max_message_size)).
    #[must_use]
    pub fn max_message_size(&self) -> usize {
        self.tcb().options.max_message_size
    }

    /// The state of the association (RFC 9260 §4).
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.tcb().phase
    }

    /// Goes on with these options as far as they can change while an association lives: the bounds
    /// and gains of the retransmission timeout, heartbeats, the thresholds of failover, the
    /// lifetime of cookies, delay and frequency of SACKs, `coalescing`, `max_burst`,
    /// `max_message_size`, and once it is established the sizes of the buffers, of
    /// the receive buffer a larger one only: the peer may fill what it was told of. A timeout that was
    /// measured or backed off stays until the next of these. Of all others nothing changes.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn retune(&mut self, now: Time, options: &Options) -> Result<(), OptionError> {
        options.validate()?;
        self.with_tcb(now, |tcb, cx| tcb.retune(cx, options));
        Ok(())
    }

    /// The options that hold now.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.tcb().options
    }

    /// The addresses that the peer knows us by.
    #[must_use]
    pub fn local_addresses(&self) -> Vec<IpAddr> {
        self.tcb().local.to_vec()
    }

    /// DATA chunks that were sent and not cumulatively acknowledged.
    #[must_use]
    pub fn unacknowledged(&self) -> usize {
        self.tcb().outstanding()
    }

    /// Messages of which nothing was sent yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.tcb().waiting()
    }

    /// Objection that [`send`](Self::send) would have to this message now; like it, this arranges
    /// for [`Event::Writable`](crate::Event::Writable) where there is no room, and makes room where
    /// messages may be given up for that.
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

    /// Whether the send buffer is not full, where messages of `length` bytes are usual: with
    /// [`Admission::WhileNotFull`](crate::Admission::WhileNotFull) a message of any size is taken then.
    /// If it is, this arranges for [`Event::Writable`](crate::Event::Writable).
    #[must_use]
    pub fn has_room(&mut self, length: usize) -> bool {
        self.endpoint.has_room(self.index, length)
    }

    /// Counters and state.
    #[must_use]
    pub fn stats(&self) -> AssocStats {
        self.tcb().stats()
    }

    /// Counters and state of each path, in order of the peer's addresses.
    #[must_use]
    pub fn path_stats(&self) -> Vec<PathStats> {
        self.tcb().paths.stats()
    }

    /// Bytes of memory that the association occupies, its heap blocks included; queued user data
    /// is not counted.
    #[must_use]
    pub fn footprint(&self) -> usize {
        self.tcb().footprint()
    }
}
