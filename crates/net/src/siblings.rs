use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Mutex, OnceLock, PoisonError, Weak};

use sheave_engine::{Datagram, Ecn, PeerAddress, Shard};
use sheave_wire::{ChunkType, Vtag};

use crate::driver::Shared;

/// Limits on waiting packets from siblings, in packets and bytes; more are dropped, as by a full
/// socket buffer.
const MAX_WAITING: usize = 512;
const MAX_WAITING_BYTES: usize = 1 << 20;

/// The other shards on this endpoint's addresses.
///
/// The kernel distributes packets by verification tag, so that nearly all reach the right shard.
/// Two kinds do not: packets of different associations between two hosts that GRO joined into one
/// train, and packets with the T bit, which carry their sender's tag.
#[derive(Debug, Default)]
pub(crate) struct Siblings {
    shard: Shard,
    all: OnceLock<Vec<Weak<Shared>>>,
    inbox: Mutex<Inbox>,
}

/// Packets passed on by other shards.
#[derive(Debug, Default)]
struct Inbox {
    packets: VecDeque<Misdirected>,
    /// Total payload bytes.
    bytes: usize,
}

/// A packet received by another shard.
#[derive(Debug)]
pub(crate) struct Misdirected {
    local: IpAddr,
    remote: PeerAddress,
    ecn: Ecn,
    payload: Vec<u8>,
}

impl Misdirected {
    pub(crate) fn datagram(&self) -> Datagram<'_> {
        Datagram {
            local: self.local,
            remote: self.remote,
            ecn: self.ecn,
            payload: &self.payload,
        }
    }
}

/// The shard that owns a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The receiving shard.
    This,
    /// The shard with this index.
    That(u16),
    /// Unknown; the tag does not tell.
    Unknown,
}

impl Siblings {
    pub(crate) fn new(shard: Shard) -> Self {
        Self {
            shard,
            ..Self::default()
        }
    }

    /// Sets the list of all shards, in order and including this one.
    pub(crate) fn meet(&self, all: Vec<Weak<Shared>>) {
        // The list is set once.
        let _ = self.all.set(all);
    }

    /// Passes a packet to the shard that owns it; returns the packet if that is this one.
    pub(crate) fn sort<'a>(&self, datagram: Datagram<'a>) -> Option<Datagram<'a>> {
        if self.shard == Shard::ONLY {
            return Some(datagram);
        }
        match self.owner(datagram.payload) {
            Owner::This => return Some(datagram),
            Owner::That(index) => self.hand_over(index, &datagram),
            Owner::Unknown => {
                for index in (0..self.shard.of()).filter(|index| *index != self.shard.index()) {
                    self.hand_over(index, &datagram);
                }
                return Some(datagram);
            }
        }
        None
    }

    /// Takes the packets that other shards passed on.
    pub(crate) fn take(&self) -> VecDeque<Misdirected> {
        if self.shard == Shard::ONLY {
            return VecDeque::new();
        }
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *inbox).packets
    }

    fn owner(&self, packet: &[u8]) -> Owner {
        let Some(tag) = packet.get(4..8).and_then(|tag| tag.try_into().ok()) else {
            return Owner::This;
        };
        let tag = Vtag(u32::from_be_bytes(tag));
        if let Some(&[chunk_type, flags]) = packet.get(12..14)
            && matches!(
                ChunkType(chunk_type),
                ChunkType::ABORT | ChunkType::SHUTDOWN_COMPLETE
            )
            && flags & 1 != 0
        {
            return Owner::Unknown;
        }
        match self.shard.of_tag(tag) {
            // The tag of an INIT (RFC 9260 §8.5.1 A).
            _ if tag == Vtag(0) => Owner::This,
            index if index == self.shard.index() => Owner::This,
            index => Owner::That(index),
        }
    }

    fn hand_over(&self, index: u16, datagram: &Datagram<'_>) {
        let all = self.all.get();
        let sibling = all.and_then(|all| all.get(usize::from(index))?.upgrade());
        let Some(sibling) = sibling else { return };
        let packet = Misdirected {
            local: datagram.local,
            remote: datagram.remote,
            ecn: datagram.ecn,
            payload: datagram.payload.to_vec(),
        };
        if sibling.siblings.put(packet) {
            sibling.alert();
        }
    }

    /// Queues a packet; returns whether the queue was empty.
    fn put(&self, packet: Misdirected) -> bool {
        let mut inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = inbox.bytes + packet.payload.len();
        if inbox.packets.len() >= MAX_WAITING || bytes > MAX_WAITING_BYTES {
            return false;
        }
        inbox.bytes = bytes;
        inbox.packets.push_back(packet);
        inbox.packets.len() == 1
    }
}

#[cfg(test)]
mod tests;
