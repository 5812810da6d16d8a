use sheave_engine::{Ecn, Fragmentation};

use crate::world::InterfaceId;
use crate::{Packet, Protocol};
use core::net::{IpAddr, Ipv4Addr};

/// Handle of a packet in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PacketId(u32);

/// A packet and its destination.
#[derive(Debug)]
pub(crate) struct Parcel {
    pub(crate) packet: Packet,
    pub(crate) to: InterfaceId,
    /// Tag of a [`Visitor`](crate::Visitor); agents' packets have none.
    pub(crate) tag: Option<u32>,
}

/// A pool of all packets in the network. Slots and buffers of delivered packets are reused, so in
/// the steady state packets need no allocation.
#[derive(Debug, Default)]
pub(crate) struct Packets {
    parcels: Vec<Parcel>,
    free: Vec<PacketId>,
}

impl Packets {
    /// Allocates a slot for a packet; the slot still has its old content.
    pub(crate) fn take(&mut self) -> PacketId {
        self.free.pop().unwrap_or_else(|| {
            let unspecified = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
            self.parcels.push(Parcel {
                packet: Packet {
                    source: unspecified,
                    destination: unspecified,
                    protocol: Protocol::Sctp,
                    ecn: Ecn::NotEct,
                    fragmentation: Fragmentation::Allowed,
                    payload: Vec::new(),
                },
                to: InterfaceId::default(),
                tag: None,
            });
            let at = self.parcels.len() - 1;
            // Memory cannot hold more than 2^32 packets.
            PacketId(u32::try_from(at).unwrap_or(u32::MAX))
        })
    }

    /// Frees the slot of a packet.
    pub(crate) fn give_back(&mut self, id: PacketId) {
        self.free.push(id);
    }

    /// Duplicates a packet.
    pub(crate) fn duplicate(&mut self, id: PacketId) -> PacketId {
        let copy = self.take();
        let original = self.get(id);
        let whole = Parcel {
            packet: original.packet.clone(),
            ..*original
        };
        *self.get_mut(copy) = whole;
        copy
    }

    pub(crate) fn get(&self, id: PacketId) -> &Parcel {
        &self.parcels[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: PacketId) -> &mut Parcel {
        &mut self.parcels[id.0 as usize]
    }

    /// Number of packets in the network.
    pub(crate) const fn in_use(&self) -> usize {
        self.parcels.len() - self.free.len()
    }
}
