//! Datagrams of equal length to one address, sent by one system call.

use super::{Socket, send};
use crate::Transmit;

/// Most datagrams in a train: the number that Linux segments at a time.
const LONGEST: usize = 60;

/// Single datagrams waiting for others of equal length.
#[derive(Default)]
pub(super) struct Train {
    first: Option<Transmit>,
    length: usize,
    bytes: Vec<u8>,
}

impl Train {
    /// Appends a datagram; sends the train first if the datagram does not fit it.
    pub(super) fn push(&mut self, sockets: &[Socket], transmit: &Transmit, datagram: &[u8]) {
        let fits = self.first.as_ref() == Some(transmit)
            && self.length == datagram.len()
            && self.bytes.len() < LONGEST * self.length;
        if !fits {
            self.leave(sockets);
            self.first = Some(*transmit);
            self.length = datagram.len();
        }
        self.bytes.extend_from_slice(datagram);
    }

    /// Sends the waiting datagrams.
    pub(super) fn leave(&mut self, sockets: &[Socket]) {
        if let Some(first) = self.first.take() {
            let segment_size = (self.bytes.len() > self.length).then_some(self.length);
            let transmit = Transmit {
                segment_size: first.segment_size.or(segment_size),
                ..first
            };
            send(sockets, &transmit, &self.bytes);
            self.bytes.clear();
        }
    }
}
