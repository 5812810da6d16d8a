use crate::{InterfaceId, Packet};

/// A packet of another network, for example a real one, that crosses this one: after
/// [`World::admit`](crate::World::admit) at one interface it arrives at another, where the links
/// may have delayed, corrupted, duplicated or lost it.
///
/// To run in real time, admit packets as they arrive, run the world until now, forward the packets
/// from [`World::poll_departure`](crate::World::poll_departure), and sleep until
/// [`World::poll_timeout`](crate::World::poll_timeout) or the next packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// The destination interface, regardless of the packet's addresses.
    pub to: InterfaceId,
    /// Opaque value returned with the packet, never corrupted by links.
    pub tag: u32,
    /// The packet.
    pub packet: Packet,
}
