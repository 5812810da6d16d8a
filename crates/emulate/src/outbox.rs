use std::net::{IpAddr, SocketAddr};

use sheave_sim::engine::Ecn;

/// Most bytes in one train: the maximum IP packet less headers.
const LONGEST: usize = 65_000;

/// Destination of a datagram, and the socket that sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// The client whose socket sends; `None` for the listening socket.
    pub(crate) socket: Option<u16>,
    pub(crate) to: SocketAddr,
    pub(crate) from: Option<IpAddr>,
    pub(crate) ecn: Ecn,
}

/// Datagrams of equal length to one destination, sent by one system call.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    train: Vec<u8>,
    address: Option<Address>,
    segment: usize,
    count: usize,
}

/// Datagrams to send.
#[derive(Debug)]
pub(crate) struct Train<'a> {
    pub(crate) address: Address,
    pub(crate) bytes: &'a [u8],
    pub(crate) segment: usize,
    pub(crate) count: usize,
}

impl Outbox {
    /// Whether a datagram can join the train, which may have `most` datagrams.
    pub(crate) fn has_room(&self, address: Address, len: usize, most: usize) -> bool {
        let Some(own) = self.address else { return true };
        own == address
            && self.count < most
            && len > 0
            && len <= self.segment
            // A shorter datagram ends the train.
            && self.train.len() == self.count * self.segment
            && self.train.len() + len <= LONGEST
    }

    pub(crate) fn push(&mut self, address: Address, payload: &[u8]) {
        if self.count == 0 {
            self.address = Some(address);
            self.segment = payload.len();
        }
        self.train.extend(payload);
        self.count += 1;
    }

    /// The next datagrams to send; call [`clear`](Self::clear) afterwards.
    pub(crate) fn train(&self) -> Option<Train<'_>> {
        Some(Train {
            address: self.address?,
            bytes: &self.train,
            segment: self.segment,
            count: self.count,
        })
    }

    pub(crate) fn clear(&mut self) {
        self.train.clear();
        self.address = None;
        self.count = 0;
    }
}

#[cfg(test)]
mod tests;
