//! A deterministic network in virtual time.
//!
//! A [`World`] holds hosts, routers and links; what runs on a host is an [`Agent`]: the engine
//! that also runs on sockets, a TCP, a traffic source. Packets are real bytes. Events are ordered
//! by (time, sequence number), time jumps from event to event, and the same seed gives the same
//! run, byte for byte, in debug and release.
//!
//! There is no clock and no thread in here.

mod agent;
mod packet;
mod transport;

pub use agent::Agent;
pub use packet::{Packet, Protocol};
pub use sheave_engine as engine;
pub use transport::{Admission, Arrival, Standing, Transport};
