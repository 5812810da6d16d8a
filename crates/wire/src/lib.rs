//! SCTP on the wire (RFC 9260 §3): packets, chunks, parameters and error causes.
//!
//! Parsing borrows from the caller's bytes and allocates nothing; it never panics, and takes linear
//! time. Writing appends to the caller's buffer. [`Display`](core::fmt::Display) prints packets in
//! readable form. Each type documents its purpose and its wire format.
//!
//! ```
//! use sheave_wire::{Chunk, CommonHeader, Packet, PacketWriter, Shutdown, Tsn, Vtag};
//!
//! let header = CommonHeader { source_port: 9899, destination_port: 5001, vtag: Vtag(7) };
//! let shutdown = Chunk::Shutdown(Shutdown { cumulative_tsn_ack: Tsn(41) });
//!
//! let mut bytes = Vec::new();
//! let mut writer = PacketWriter::new(&mut bytes, header, 1452);
//! writer.push(&shutdown);
//! writer.finish();
//!
//! let packet = Packet::parse(&bytes)?;
//! assert!(packet.checksum_is_valid());
//! assert_eq!(packet.chunks().next(), Some(Ok(shutdown)));
//! # Ok::<(), sheave_wire::Malformed>(())
//! ```
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(test)]
mod captured;
mod cause;
mod checksum;
mod chunk;
pub mod dtls;
mod list;
mod malformed;
mod packet;
mod parameter;
mod ppid;
mod print;
mod serial;
mod tlv;
mod tlv_list;
#[cfg(test)]
mod vectors;
mod writer;

/// Hash of this crate's sources, 16 hexadecimal digits.
pub const SOURCE_HASH: &str = env!("SHEAVE_SOURCE_HASH");

pub use cause::{Cause, Causes};
pub use checksum::crc32c;
pub use chunk::*;
pub use list::{List, ListIter};
pub use malformed::Malformed;
pub use packet::{Chunks, CommonHeader, Packet};
pub use parameter::{KeyManagement, Parameter, ParameterType, Parameters, RawParameter};
pub use ppid::Ppid;
pub use serial::{Fsn, Mid, Ssn, StreamId, Tsn, Vtag};
pub use tlv::UnknownAction;
pub use tlv_list::{TlvList, TlvListIter};
pub use writer::{PacketWriter, seal};
