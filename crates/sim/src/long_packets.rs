use sheave_engine::Time;

/// Treatment of packets that exceed a link's MTU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongPackets {
    /// Silently dropped, as by a switch.
    #[default]
    Dropped,
    /// Fragmented if allowed, else silently dropped: a router whose ICMP messages are filtered (a
    /// black hole, RFC 8899 §4.3). Fragments travel together, with a header each, and are delivered
    /// reassembled.
    Fragmented,
    /// Like `Fragmented`, but the sender of a dropped packet learns the MTU by ICMP (RFC 1191 §3,
    /// RFC 4443 §3.2). The message's source is the packet's destination, since routers have no
    /// addresses here.
    Reported,
}

/// A change of a link's MTU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// Start of the new MTU.
    pub from: Time,
    /// The longest IP packet, bytes.
    pub mtu: u32,
}
