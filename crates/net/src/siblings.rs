use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::{Mutex, OnceLock, PoisonError, Weak};

use sheave_engine::{Datagram, Ecn, PeerAddress, Shard};
use sheave_wire::{ChunkType, Vtag};

use crate::driver::Shared;

/// Packets from siblings that wait at most, and their bytes; more are lost, as in a full socket
/// buffer.
const MAX_WAITING: usize = 512;
const MAX_WAITING_BYTES: usize = 1 << 20;

/// The other endpoints on the addresses of this one.
///
/// The kernel spreads packets by their tags, so that nearly all come to the shard they belong to.
/// Two kinds do not: those of different associations between two hosts that the kernel joined
/// into one train (GRO), and those with the T bit, which carry the tag of whoever sent them.
#[derive(Debug, Default)]
pub(crate) struct Siblings {
    shard: Shard,
    all: OnceLock<Vec<Weak<Shared>>>,
    inbox: Mutex<Inbox>,
}

/// Packets handed over by the other shards.
#[derive(Debug, Default)]
struct Inbox {
    packets: VecDeque<Misdirected>,
    /// Bytes of their payloads.
    bytes: usize,
}

/// A packet that another shard received.
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

/// The owner of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    /// The shard that received the packet.
    This,
    /// The shard with that index.
    That(u16),
    /// Unknown: the packet's tag does not say.
    Unknown,
}

impl Siblings {
    pub(crate) fn new(shard: Shard) -> Self {
        Self {
            shard,
            ..Self::default()
        }
    }

    /// Introduces all shards in order, this one among them.
    pub(crate) fn meet(&self, all: Vec<Weak<Shared>>) {
        // They meet once.
        let _ = self.all.set(all);
    }

    /// Hands a packet to the shard that it belongs to; gives it back if that is this one.
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

    /// Takes the packets that the others have handed over.
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

    /// Whether it was the first to wait.
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
