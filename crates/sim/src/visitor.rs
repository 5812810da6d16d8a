use crate::{InterfaceId, Packet};

/// A packet of another network, a real one say, that passes through this one: what
/// [`World::admit`](crate::World::admit) lets in at one interface comes out at another, late,
/// damaged, twice, or not at all, as the links between them will have it.
///
/// Whoever drives the world in real time lets packets in as they come, lets the world run up to
/// now, sends on what [`World::poll_departure`](crate::World::poll_departure) gives, and sleeps until
/// [`World::poll_timeout`](crate::World::poll_timeout) or the next packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    /// The interface that it goes to. Its addresses are not looked at.
    pub to: InterfaceId,
    /// Whatever is to be known of it when it comes out: no link can damage that.
    pub tag: u32,
    /// The packet.
    pub packet: Packet,
}
