use alloc::vec::Vec;
use core::net::IpAddr;

use crate::{
    Assoc, ConnectError, Datagram, EndpointOptions, EndpointStats, Event, ListenError, Node,
    Options, PeerAddress, Time, Transmit,
};

/// Names an association of one endpoint; never reused for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AssocId {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// Whom to set up an association with (RFC 9260 §11.1.2, ASSOCIATE).
#[derive(Clone, Debug)]
pub struct Connect {
    /// Our SCTP port; `None` picks a free one from 49152 up.
    pub local_port: Option<u16>,
    /// The local addresses to use and to tell the peer; empty means all of the endpoint's.
    pub local: Vec<IpAddr>,
    /// The peer's SCTP port.
    pub remote_port: u16,
    /// Known addresses of the peer, the one to try first in front. Others come from its INIT ACK.
    pub remote: Vec<PeerAddress>,
    /// The protocol parameters.
    pub options: Options,
}

/// An SCTP endpoint: its ports, its addresses and all associations that live on them.
pub struct Endpoint {}

impl Endpoint {
    /// An endpoint that owns `local` addresses. `seed` must come from the operating system's
    /// random source; all tags, TSNs, secrets and nonces derive from it.
    #[must_use]
    pub fn new(local: Vec<IpAddr>, options: EndpointOptions, seed: [u8; 32]) -> Self {
        todo!()
    }

    /// Accepts associations on `port` with these options.
    pub fn listen(&mut self, port: u16, options: Options) -> Result<(), ListenError> {
        todo!()
    }

    /// Accepts no new associations on `port`; those that exist live on.
    pub fn stop_listening(&mut self, port: u16) {
        todo!()
    }

    /// Starts an association; [`Event::Established`] or [`Event::Closed`] tells how it went.
    pub fn connect(&mut self, now: Time, to: Connect) -> Result<AssocId, ConnectError> {
        todo!()
    }

    /// The association of that id, `None` once it is closed.
    pub fn assoc(&mut self, id: AssocId) -> Option<Assoc<'_>> {
        todo!()
    }

    /// The next event, in the order in which they happened.
    pub fn poll_event(&mut self) -> Option<(AssocId, Event)> {
        todo!()
    }

    /// Counters of the endpoint.
    #[must_use]
    pub fn stats(&self) -> EndpointStats {
        todo!()
    }

    /// The ids of all associations.
    pub fn associations(&self) -> impl Iterator<Item = AssocId> + '_ {
        core::iter::empty()
    }
}

impl Node for Endpoint {
    fn handle_datagram(&mut self, now: Time, datagram: Datagram<'_>) {
        todo!()
    }

    fn handle_timeout(&mut self, now: Time) {
        todo!()
    }

    fn poll_transmit(
        &mut self,
        now: Time,
        buf: &mut Vec<u8>,
        max_segments: usize,
    ) -> Option<Transmit> {
        todo!()
    }

    fn poll_timeout(&self) -> Option<Time> {
        todo!()
    }
}
