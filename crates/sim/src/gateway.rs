use core::net::SocketAddr;
use std::collections::VecDeque;

use sheave_engine::{Datagram, Ecn, Node, PeerAddress, Time, Transmit};

use crate::{Agent, Protocol};

/// Bytes of a UDP header.
const HEADER: usize = 8;
/// Packets that wait to be taken out at most; what comes beyond is dropped.
const MOST: usize = 65_536;

/// A way in and out of the simulated network for packets of the real one: what is put in at one
/// gateway comes out at the other, late, corrupted, or not at all, as the links between them will
/// have it.
///
/// Whoever drives the world in real time puts UDP payloads in as they come from a socket, lets the
/// world run up to now, sends on what has come out, and sleeps until
/// [`World::poll_timeout`](crate::World::poll_timeout) or the next packet.
#[derive(Debug)]
pub struct Gateway {
    local: SocketAddr,
    remote: SocketAddr,
    entered: VecDeque<(Ecn, Vec<u8>)>,
    left: VecDeque<(Ecn, Vec<u8>)>,
}

impl Gateway {
    /// A gateway at an address of its host, to another gateway.
    #[must_use]
    pub const fn new(local: SocketAddr, remote: SocketAddr) -> Self {
        Self {
            local,
            remote,
            entered: VecDeque::new(),
            left: VecDeque::new(),
        }
    }

    /// Puts the payload of a UDP packet in.
    pub fn put(&mut self, ecn: Ecn, payload: Vec<u8>) {
        self.entered.push_back((ecn, payload));
    }

    /// Takes the next payload out. Bits that were flipped on the way are wrong in it; those of the
    /// UDP header are of no effect.
    pub fn take(&mut self) -> Option<(Ecn, Vec<u8>)> {
        self.left.pop_front()
    }
}

impl Node for Gateway {
    fn handle_datagram(&mut self, _now: Time, datagram: Datagram<'_>) {
        let payload = datagram.payload.get(HEADER..);
        if let Some(payload) = payload.filter(|_| self.left.len() < MOST) {
            self.left.push_back((datagram.ecn, payload.to_vec()));
        }
    }

    fn handle_timeout(&mut self, _now: Time) {}

    fn poll_transmit(&mut self, _now: Time, buf: &mut Vec<u8>, _: usize) -> Option<Transmit> {
        let (ecn, payload) = self.entered.pop_front()?;
        let len = u16::try_from(HEADER + payload.len()).unwrap_or(u16::MAX);
        buf.clear();
        buf.extend(self.local.port().to_be_bytes());
        buf.extend(self.remote.port().to_be_bytes());
        buf.extend(len.to_be_bytes());
        // No checksum: the bits that are flipped are for the payload's own checksums to find.
        buf.extend([0, 0]);
        buf.extend(payload);
        Some(Transmit {
            local: self.local.ip(),
            remote: PeerAddress::native(self.remote.ip()),
            ecn,
            segment_size: None,
        })
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }
}

impl Agent for Gateway {
    fn protocol(&self) -> Protocol {
        Protocol::Udp
    }

    fn owns_port(&self, port: u16) -> bool {
        port == self.local.port()
    }
}
