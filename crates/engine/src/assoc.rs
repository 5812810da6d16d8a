use alloc::vec::Vec;
use core::marker::PhantomData;
use core::net::IpAddr;

use bytes::Bytes;

use crate::{
    AssocStats, Message, PathError, PathStats, Phase, Received, SendError, SendOptions,
    ShutdownError, Time,
};

/// One association of an [`Endpoint`](crate::Endpoint), borrowed from it.
pub struct Assoc<'a> {
    marker: PhantomData<&'a mut ()>,
}

impl Assoc<'_> {
    /// Queues a message for sending (RFC 9260 §11.1.5).
    ///
    /// It is accepted whole or not at all: when it fits the send buffer, or when nothing is
    /// buffered. May be called before the association is established.
    pub fn send(
        &mut self,
        now: Time,
        message: Message,
        options: SendOptions,
    ) -> Result<(), SendError> {
        todo!()
    }

    /// The next message or part of one; frees its room in the receive buffer.
    pub fn receive(&mut self, now: Time) -> Option<Received> {
        todo!()
    }

    /// Closes gracefully: everything sent is delivered first (RFC 9260 §9.2).
    pub fn shutdown(&mut self, now: Time) -> Result<(), ShutdownError> {
        todo!()
    }

    /// Closes at once, with `reason` told to the peer (RFC 9260 §9.1).
    pub fn abort(self, now: Time, reason: Bytes) {
        todo!()
    }

    /// Sends new data to that peer address while it is reachable (RFC 9260 §11.1.4).
    pub fn set_primary(&mut self, remote: IpAddr) -> Result<(), PathError> {
        todo!()
    }

    /// Sends a heartbeat to that peer address now (RFC 9260 §11.1.8).
    pub fn request_heartbeat(&mut self, now: Time, remote: IpAddr) -> Result<(), PathError> {
        todo!()
    }

    /// Where the association stands in its life.
    #[must_use]
    pub fn phase(&self) -> Phase {
        todo!()
    }

    /// Counters and state.
    #[must_use]
    pub fn stats(&self) -> AssocStats {
        todo!()
    }

    /// Counters and state of each path, in order of the peer's addresses.
    #[must_use]
    pub fn path_stats(&self) -> Vec<PathStats> {
        todo!()
    }
}
