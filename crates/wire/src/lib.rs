//! SCTP on the wire (RFC 9260 §3).
#![no_std]

mod serial;

pub use serial::{Ppid, Ssn, StreamId, Tsn, Vtag};
