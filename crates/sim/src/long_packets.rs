use sheave_engine::Time;

/// The treatment of packets that are longer than a link's MTU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongPackets {
    /// Long packets are dropped and nobody is told, as by a switch.
    #[default]
    Dropped,
    /// Long packets are fragmented where allowed, else dropped and nobody is told: a router whose
    /// ICMP messages are filtered (a black hole, RFC 8899 §4.3). Fragments travel together, with a
    /// header each, and arrive put together again.
    Fragmented,
    /// Like `Fragmented`, but the sender of a dropped packet is told by ICMP how long a packet
    /// may be (RFC 1191 §3, RFC 4443 §3.2). The message comes from the address that the packet was
    /// for, as routers have none here.
    Reported,
}

/// The MTU of a link becomes another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrowing {
    /// From then on.
    pub from: Time,
    /// The longest IP packet, bytes.
    pub mtu: u32,
}
