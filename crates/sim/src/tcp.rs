//! A TCP implementation, for comparison with SCTP.
//!
//! A [`Stack`] is a [`Node`](sheave_engine::Node) that owns connections; [`Tcp`] is one connection
//! with the [`Transport`](crate::Transport) interface used by workloads. Segments are real bytes
//! with real checksums. Implemented specifications:
//!
//! | what | where from |
//! | --- | --- |
//! | handshake, phases, windows, Nagle, silly windows, window probes | RFC 9293 |
//! | slow start, congestion avoidance, fast retransmit, idle restart | RFC 5681 |
//! | ten segments to begin with (option) | RFC 6928 |
//! | limited transmit | RFC 3042 |
//! | recovery without SACK | RFC 6582 |
//! | SACK, and recovery led by it | RFC 2018, RFC 6675 |
//! | loss detection by time, probes of tails (option) | RFC 8985 |
//! | CUBIC (option) | RFC 9438 |
//! | retransmission timer, Karn's rule | RFC 6298 |
//! | HyStart, as Linux's CUBIC has it (option) | Ha and Rhee 2011 |
//! | window scale, timestamps (option) | RFC 7323 §2, §3 |
//!
//! Not implemented, on purpose: urgent data, ECN, path MTU discovery, keep-alives, DSACK, F-RTO,
//! pacing, TCP Fast Open.

mod congestion;
mod connection;
mod framing;
mod options;
mod phase;
mod range_set;
mod receive_buffer;
mod receiver;
mod rto;
mod scoreboard;
mod segment;
mod send_buffer;
mod sender;
mod seq;
mod stack;
mod tcb;
mod timed_board;
mod transport;

pub use congestion::{Ack, CongestionControl, Cubic, Loss, NewReno, SlowStart, UseOfWindow};
pub use connection::{Connection, SendError};
pub use framing::{LENGTH_LEN, TooLong, length_prefix};
pub use options::{
    Acknowledgement, Congestion, Counting, InitialWindow, LossDetection, Nagle, Options, Selective,
    SlowStartExit, Timestamps, WindowScaling,
};
pub use phase::Phase;
pub use segment::{
    Flags, HEADER_LEN, Header, Malformed, Sack, SackBlock, SackBlocks, Segment, checksum_is_valid,
    seal,
};
pub use sender::SendCounts;
pub use seq::Seq;
pub use stack::{ConnectError, ConnectionId, Event, ListenError, Stack, StackStats};
pub use tcb::{CloseReason, ConnectionStats, Tuple};
pub use transport::{Framing, Tcp};

use sheave_engine::Time;

/// The earlier of two optional deadlines.
const fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (_, None) => one,
        (None, _) => other,
        (Some(first), Some(second)) if second.as_nanos() < first.as_nanos() => other,
        _ => one,
    }
}

#[cfg(test)]
mod tests;
