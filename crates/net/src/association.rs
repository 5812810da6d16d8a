use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU16;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use bytes::Bytes;

use crate::link::Link;
use crate::wait::{self, Patience};
use crate::{
    Abandonments, AddressChange, AddressChangeError, AssocStats, CloseReason, Events, ExportError,
    KeyError, KeyId, Message, Obstacle, PartialReliability, PathError, PathStats, Policy,
    ReceiveError, Received, Receiver, ReconfigurationError, SendError, SendOptions, Sender,
    SharedKey, StreamDirection, StreamError, StreamId, StreamScheduler,
};

/// An association. Cheap to clone; any thread may use any clone.
///
/// Dropping the last handle (with its halves, and without [`Events`]) closes it gracefully in the
/// background: what was sent is delivered, what comes in is discarded.
#[derive(Clone)]
pub struct Association {
    link: Arc<Link>,
}

impl Association {
    pub(crate) fn new(link: Link) -> Self {
        Self {
            link: Arc::new(link),
        }
    }

    /// Sends a message; waits while the send buffer is full. It has been delivered when
    /// [`shutdown`](Self::shutdown) succeeds or [`Event::Drained`](crate::Event::Drained) comes.
    ///
    /// # Errors
    /// The message can never be sent, or the association closes or is closed.
    pub fn send(&self, message: Message) -> Result<(), SendError> {
        self.send_with(message, SendOptions::default())
    }

    /// As [`send`](Self::send), with options for this message.
    ///
    /// # Errors
    /// As `send`.
    pub fn send_with(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.send_patiently(message, options, Patience::Endless)
    }

    /// As [`send_with`](Self::send_with), waiting at most `timeout` for room.
    ///
    /// # Errors
    /// As `send`, and [`SendError::Full`].
    pub fn send_timeout(
        &self,
        message: Message,
        options: SendOptions,
        timeout: Duration,
    ) -> Result<(), SendError> {
        self.send_patiently(message, options, Patience::lasting(timeout))
    }

    /// As [`send_with`](Self::send_with), without waiting.
    ///
    /// # Errors
    /// As `send`, and [`SendError::Full`].
    pub fn try_send(&self, message: Message, options: SendOptions) -> Result<(), SendError> {
        self.link.try_send(message, options)
    }

    /// Waits for the next message, or part of a large one. `None` is the graceful end: everything
    /// that the peer sent has been returned.
    ///
    /// # Errors
    /// The association ended otherwise; what had arrived in full was returned first.
    pub fn receive(&self) -> Result<Option<Received>, ReceiveError> {
        wait::forever(|context| self.link.poll_receive(Some(context)))
    }

    /// As [`receive`](Self::receive), waiting at most `timeout`.
    ///
    /// # Errors
    /// As `receive`, and [`ReceiveError::NotYet`].
    pub fn receive_timeout(&self, timeout: Duration) -> Result<Option<Received>, ReceiveError> {
        let poll = |context: &Context<'_>| self.link.poll_receive(Some(context));
        wait::until(Patience::lasting(timeout), poll).unwrap_or(Err(ReceiveError::NotYet))
    }

    /// As [`receive`](Self::receive), without waiting.
    ///
    /// # Errors
    /// As `receive`, and [`ReceiveError::NotYet`].
    pub fn try_receive(&self) -> Result<Option<Received>, ReceiveError> {
        self.link.try_receive()
    }

    /// Waits for the next whole message and joins the parts of a large one. Use either this or
    /// [`receive`](Self::receive) on an association.
    ///
    /// # Errors
    /// As `receive`, and [`ReceiveError::TooLarge`] for a message of more than `limit` bytes; the
    /// next call returns the message after it.
    pub fn receive_whole(&self, limit: usize) -> Result<Option<Message>, ReceiveError> {
        wait::forever(|context| self.link.poll_receive_whole(Some(context), limit))
    }

    /// The two halves, for two threads.
    #[must_use]
    pub fn split(self) -> (Sender, Receiver) {
        (Sender::new(self.clone()), Receiver::new(self))
    }

    /// What happens to the association besides messages. All `Events` of one association take
    /// from one queue of at most 1024.
    #[must_use]
    pub fn events(&self) -> Events {
        Events::new(self.link.watch())
    }

    /// Counters and state; `None` once closed.
    #[must_use]
    pub fn stats(&self) -> Option<AssocStats> {
        self.link.stats()
    }

    /// Whether both ends agreed that messages may be given up (RFC 3758): else all are reliable,
    /// whatever [`SendOptions::reliability`] says. `Off` once closed.
    #[must_use]
    pub fn partial_reliability(&self) -> PartialReliability {
        self.link.partial_reliability()
    }

    /// Messages of ours that were given up for that reason (RFC 7496 §4.4); none once closed.
    #[must_use]
    pub fn abandonments(&self, policy: Policy) -> Abandonments {
        self.link.abandonments(policy, None)
    }

    /// As [`abandonments`](Self::abandonments), those of one stream (RFC 7496 §4.3).
    #[must_use]
    pub fn abandonments_on(&self, stream: StreamId, policy: Policy) -> Abandonments {
        self.link.abandonments(policy, Some(stream))
    }

    /// Counters and state of each path; empty once closed.
    #[must_use]
    pub fn path_stats(&self) -> Vec<PathStats> {
        self.link.path_stats()
    }

    /// Streams that we may send on: ids 0 to this number, exclusive.
    #[must_use]
    pub fn outbound_streams(&self) -> u16 {
        self.link.streams().0
    }

    /// Streams that the peer may send on.
    #[must_use]
    pub fn inbound_streams(&self) -> u16 {
        self.link.streams().1
    }

    /// Sends new data to that peer address while it is reachable (RFC 9260 §11.1.4).
    ///
    /// # Errors
    /// The address is not the peer's, or not confirmed.
    pub fn set_primary(&self, remote: IpAddr) -> Result<(), PathError> {
        self.link.set_primary(remote)
    }

    /// Sends a heartbeat to that peer address now (RFC 9260 §11.1.8).
    ///
    /// # Errors
    /// The address is not the peer's.
    pub fn request_heartbeat(&self, remote: IpAddr) -> Result<(), PathError> {
        self.link.request_heartbeat(remote)
    }

    /// Lets another scheduler choose from now on, in place of that of
    /// [`Options::scheduler`](crate::Options::scheduler) (RFC 8260 §3). What waits is taken over in
    /// the order in which it was handed in, and what is partly sent goes on; priorities and weights
    /// stay. A restart of the association or a handover sets it back. Nothing happens once closed.
    pub fn set_stream_scheduler(&self, scheduler: StreamScheduler) {
        self.link.set_stream_scheduler(scheduler);
    }

    /// The scheduler that chooses now; `None` once closed.
    #[must_use]
    pub fn stream_scheduler(&self) -> Option<StreamScheduler> {
        self.link.stream_scheduler()
    }

    /// Gives a stream a priority, for
    /// [`StreamScheduler::Priority`](crate::StreamScheduler::Priority): 0, which all streams begin
    /// with, goes first. Holds for a scheduler that is set later, too; a restart of the
    /// association sets it back.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_stream_priority(&self, stream: StreamId, priority: u16) -> Result<(), StreamError> {
        self.link.set_stream_priority(stream, priority)
    }

    /// Gives a stream a weight, for
    /// [`StreamScheduler::WeightedFairQueueing`](crate::StreamScheduler::WeightedFairQueueing): its
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
        self.link.set_stream_weight(stream, weight)
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
        self.link.reset_streams(streams, direction)
    }

    /// As [`reset_streams`](Self::reset_streams), of all streams both ways and with them the TSNs.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn reset_tsns(&self) -> Result<(), ReconfigurationError> {
        self.link.reset_tsns()
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
        self.link.add_streams(count, direction)
    }

    /// Tells the peer that we can be reached at another address, too (RFC 5061), which the endpoint
    /// must own. Returns at once; [`Event::AddressChanged`](crate::Event::AddressChanged) or
    /// [`Event::AddressChangeRefused`](crate::Event::AddressChangeRefused) tells the outcome. Needs
    /// the option [`address_changes`](crate::Options::address_changes) at both ends.
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn add_address(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        self.link.change_address(AddressChange::Add(ip))
    }

    /// Tells the peer that we can no longer be reached at an address; else as
    /// [`add_address`](Self::add_address).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn delete_address(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        self.link.change_address(AddressChange::Delete(ip))
    }

    /// Asks the peer to send data to that address of ours; else as
    /// [`add_address`](Self::add_address).
    ///
    /// # Errors
    /// See [`AddressChangeError`].
    pub fn set_peer_primary(&self, ip: IpAddr) -> Result<(), AddressChangeError> {
        self.link.change_address(AddressChange::SetPrimary(ip))
    }

    /// Gives the association another shared key (RFC 4895), or one of that id another secret. The
    /// peer may use it from now on; we do once it is [active](Self::activate_key).
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn insert_key(&self, key: SharedKey) -> Result<(), KeyError> {
        self.link.insert_key(key)
    }

    /// Sends with that key from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn activate_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.link.activate_key(id)
    }

    /// Promises not to send with that key again; what the peer sends with it still counts.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn deactivate_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.link.deactivate_key(id)
    }

    /// Removes a key that is not active: what the peer sends with it is dropped from now on.
    ///
    /// # Errors
    /// See [`KeyError`].
    pub fn delete_key(&self, id: KeyId) -> Result<(), KeyError> {
        self.link.delete_key(id)
    }

    /// Starts to close gracefully and returns at once: nothing new can be sent, what was sent is
    /// delivered, and [`receive`](Self::receive) goes on until its end. Harmless when closing has
    /// already begun.
    pub fn start_shutdown(&self) {
        self.link.start_shutdown();
    }

    /// Closes gracefully and waits until it is done: the peer has everything that was sent.
    /// Messages from the peer can still be received afterwards. Where the peer still sends more
    /// than the receive buffer holds, another thread must receive meanwhile.
    ///
    /// # Errors
    /// The association ended in another way; what was sent may not all have been delivered.
    pub fn shutdown(&self) -> Result<(), CloseReason> {
        self.start_shutdown();
        graceful(wait::forever(|context| self.link.poll_ended(context)))
    }

    /// As [`shutdown`](Self::shutdown), aborting what is not closed within `timeout`.
    ///
    /// # Errors
    /// As `shutdown`; [`CloseReason::Aborted`] when the time was over.
    pub fn shutdown_timeout(&self, timeout: Duration) -> Result<(), CloseReason> {
        self.start_shutdown();
        let patience = Patience::lasting(timeout);
        match wait::until(patience, |context| self.link.poll_ended(context)) {
            Some(reason) => graceful(reason),
            None => {
                self.abort("the shutdown took too long");
                graceful(self.close_reason().unwrap_or(CloseReason::Aborted))
            }
        }
    }

    /// Closes at once, with `reason` told to the peer (RFC 9260 §9.1). What was not yet delivered
    /// is lost.
    pub fn abort(&self, reason: impl Into<Bytes>) {
        self.link.abort(reason.into());
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
        self.link.export()
    }

    /// What keeps the association from being [exported](Self::export) now, empty if nothing does;
    /// `None` if it is gone.
    #[must_use]
    pub fn handover_obstacles(&self) -> Option<Vec<Obstacle>> {
        self.link.handover_obstacles()
    }

    /// Why the association ended; `None` while it exists.
    #[must_use]
    pub fn close_reason(&self) -> Option<CloseReason> {
        self.link.end()
    }

    fn send_patiently(
        &self,
        message: Message,
        options: SendOptions,
        patience: Patience,
    ) -> Result<(), SendError> {
        let mut parcel = Some(message);
        let poll = |context: &Context<'_>| self.link.poll_send(Some(context), &mut parcel, options);
        match (wait::until(patience, poll), parcel) {
            (Some(outcome), _) => outcome,
            (None, Some(message)) => Err(SendError::Full(message)),
            (None, None) => Ok(()),
        }
    }
}

/// A graceful end is success.
pub(crate) fn graceful(reason: CloseReason) -> Result<(), CloseReason> {
    match reason {
        CloseReason::Graceful => Ok(()),
        other => Err(other),
    }
}

impl fmt::Debug for Association {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Association")
            .field("id", &self.link.id())
            .finish_non_exhaustive()
    }
}
