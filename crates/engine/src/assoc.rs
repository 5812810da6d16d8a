//! One association: its state (`tcb`) and, one file each, what happens to it.

mod chunk_checksum;
mod closing;
mod control;
mod detour;
mod ecn;
mod error_warning;
mod input;
mod interleaving;
mod opening;
mod output;
mod partial;
mod paths;
mod potentially_failed;
mod rack;
mod reconfiguration;
mod tcb;
mod timeouts;
mod zero_checksum;

use alloc::vec::Vec;
use core::net::IpAddr;
use core::num::NonZeroU16;

use bytes::Bytes;
use sheave_wire::StreamId;

pub(crate) use self::closing::{Ending, Farewell};
pub(crate) use self::input::{Incoming, WellFormed};
pub(crate) use self::opening::{Opener, advertised};
pub(crate) use self::output::Outlet;
pub(crate) use self::tcb::{Context, Queued, Tcb};
use crate::endpoint::Endpoint;
use crate::{
    Abandonments, AssocStats, Message, PartialReliability, PathError, PathStats, Phase, Policy,
    Received, ReconfigurationError, SendError, SendOptions, ShutdownError, StreamDirection,
    StreamError, Time,
};

/// One association of an [`Endpoint`], borrowed from it.
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

    fn touch<R>(&mut self, now: Time, act: impl FnOnce(&mut Tcb, &mut Context<'_>) -> R) -> R {
        self.endpoint.touch(now, self.index, act)
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
        self.touch(now, |tcb, cx| tcb.send(cx, message, options))
    }

    /// The next message or part of one; frees its room in the receive buffer.
    pub fn receive(&mut self, now: Time) -> Option<Received> {
        self.endpoint.receive(now, self.index)
    }

    /// Gives a stream a priority, for [`StreamScheduler::Priority`](crate::StreamScheduler): 0,
    /// which all streams begin with, goes first. Holds for messages that wait, too; a restart of
    /// the association sets it back.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_stream_priority(
        &mut self,
        now: Time,
        stream: StreamId,
        priority: u16,
    ) -> Result<(), StreamError> {
        self.touch(now, |tcb, _| tcb.set_stream_priority(stream, priority))
    }

    /// Gives a stream a weight, for
    /// [`StreamScheduler::WeightedFairQueueing`](crate::StreamScheduler): its share of what is sent,
    /// beside 1, which all streams begin with. Holds from the next message or chunk on; a restart
    /// of the association sets it back.
    ///
    /// # Errors
    /// When there is no such outbound stream.
    pub fn set_stream_weight(
        &mut self,
        now: Time,
        stream: StreamId,
        weight: NonZeroU16,
    ) -> Result<(), StreamError> {
        self.touch(now, |tcb, _| tcb.set_stream_weight(stream, weight))
    }

    /// Closes gracefully: everything sent is delivered first (RFC 9260 §9.2).
    ///
    /// # Errors
    /// When a shutdown is already under way, ours or the peer's.
    pub fn shutdown(&mut self, now: Time) -> Result<(), ShutdownError> {
        let outcome = self.touch(now, Tcb::shutdown);
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
        self.touch(now, |tcb, cx| tcb.request_heartbeat(cx, remote))
    }

    /// Lets streams begin with message sequence number 0 again: those that we send on, or, by
    /// asking the peer, those that it sends on (RFC 6525 §5.1.2, §5.1.3). No ids means all streams;
    /// an id may stand there twice.
    ///
    /// Of streams that we send on, what was sent before goes first, and what is sent from now on
    /// waits until the peer has agreed. [`Event::StreamsReset`](crate::Event::StreamsReset) tells
    /// when it is done, [`Event::ReconfigurationFailed`](crate::Event::ReconfigurationFailed) when
    /// it is not to be.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn reset_streams(
        &mut self,
        now: Time,
        streams: &[StreamId],
        direction: StreamDirection,
    ) -> Result<(), ReconfigurationError> {
        self.touch(now, |tcb, cx| tcb.reset_streams(cx, streams, direction))
    }

    /// Lets the sequence numbers of all streams, both ways, and the TSNs begin anew (RFC 6525
    /// §5.1.4). Nothing new is sent until the peer has agreed; events as of
    /// [`reset_streams`](Self::reset_streams), one for each direction.
    ///
    /// # Errors
    /// See [`ReconfigurationError`].
    pub fn reset_tsns(&mut self, now: Time) -> Result<(), ReconfigurationError> {
        self.touch(now, Tcb::reset_tsns)
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
        self.touch(now, |tcb, cx| tcb.add_streams(cx, count, direction))
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

    /// As [`abandonments`](Self::abandonments), those of one stream (RFC 7496 §4.3).
    #[must_use]
    pub fn abandonments_on(&self, stream: StreamId, policy: Policy) -> Abandonments {
        self.tcb().abandonments(policy, Some(stream))
    }

    /// Where the association stands in its life.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.tcb().phase
    }

    /// Counters and state.
    #[must_use]
    pub fn stats(&self) -> AssocStats {
        self.tcb().stats()
    }

    /// Counters and state of each path, in order of the peer's addresses.
    #[must_use]
    pub fn path_stats(&self) -> Vec<PathStats> {
        self.tcb().path_stats()
    }

    /// Bytes of memory that the association occupies, its heap blocks included; queued user data
    /// is not counted.
    #[must_use]
    pub fn footprint(&self) -> usize {
        self.tcb().footprint()
    }
}
