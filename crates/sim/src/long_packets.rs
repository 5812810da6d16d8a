use sheave_engine::Time;

/// What a link does with packets that are longer than its MTU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongPackets {
    /// It drops all of them and tells nobody, as a switch does.
    #[default]
    Dropped,
    /// It fragments those that may be, and drops the rest and tells nobody: a router whose ICMP
    /// messages are filtered (a black hole, RFC 8899 §4.3). Fragments travel together, with a
    /// header each, and arrive put together again.
    Fragmented,
    /// As `Fragmented`, but the sender of a packet that is dropped is told by ICMP how long a packet
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
