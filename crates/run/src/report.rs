//! Counters of a host.

use std::fmt;

use sheave::stats::CarrierStats;

/// Counters of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Programs served, including those of joined `sheave run`.
    pub programs: u64,
    /// System calls trapped.
    pub calls: u64,
    /// SCTP sockets created and accepted.
    pub sockets: u64,
    /// Messages that programs sent.
    pub messages_sent: u64,
    /// Bytes of sent messages.
    pub bytes_sent: u64,
    /// Messages received by programs; partial ones count each time.
    pub messages_received: u64,
    /// Bytes of received messages.
    pub bytes_received: u64,
    /// Counters of the network sockets.
    pub carrier: CarrierStats,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} calls, {} sockets; sent {} messages, {} bytes, {} packets; received {} messages, {} \
             bytes, {} packets",
            self.calls,
            self.sockets,
            self.messages_sent,
            self.bytes_sent,
            self.carrier.packets_sent,
            self.messages_received,
            self.bytes_received,
            self.carrier.packets_received,
        )
    }
}
