//! The simulated network in real time: a network emulator in user space.
//!
//! An [`Emulator`] passes real packets through a [`World`](sheave_sim::World), whose links delay,
//! lose, damage, duplicate, reorder and queue them, separately for each direction, together with
//! the traffic that the scenario simulates. Packets enter and leave by two kinds of gateways:
//!
//! - a relay ([`Emulator::add_relay`]): UDP datagrams between any number of clients and one server.
//!   Needs no privilege. Bit errors hit UDP payloads, so SCTP over UDP sees them; a datagram with
//!   an error in its UDP header is lost.
//! - a tunnel ([`Emulator::add_tunnel`]): IP packets of any protocol between two TUN devices, which
//!   may be in network namespaces, so that the kernel's TCP crosses the same links. Needs Linux and
//!   `CAP_NET_ADMIN`.
//!
//! Packets leave on time, as accurately as the system wakes a thread: a few tenths of a millisecond
//! late on an idle machine.

mod emulator;
mod error;
mod gateway;
mod ip;
mod offloads;
mod outbox;
mod relay;
mod report;
mod running;
mod socket;
mod sys;
mod tunnel;
mod udp;

/// Hash of this crate's sources, 16 hexadecimal digits.
pub const SOURCE_HASH: &str = env!("SHEAVE_SOURCE_HASH");

pub use emulator::{Emulator, Until};
pub use error::EmulateError;
pub use offloads::switch_segmentation_off;
pub use report::{Direction, LinkReport, Losses, Report};
pub use running::Running;
