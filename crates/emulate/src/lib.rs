//! The simulated network in real time: a network emulator in user space.
//!
//! An [`Emulator`] lets real packets through a [`World`](sheave_sim::World), whose links delay,
//! lose, damage, duplicate, reorder and queue them, each direction in its own way, beside whatever
//! traffic the scenario simulates. Packets come and go by one of two kinds of gateways:
//!
//! - a relay ([`Emulator::add_relay`]): UDP datagrams of any number of clients to one server and
//!   back. It needs no privilege. What is damaged are the UDP payloads, so that SCTP over UDP sees
//!   wrong bits; a datagram whose UDP header is hit is lost, as no port would get it.
//! - a tunnel ([`Emulator::add_tunnel`]): IP packets of any protocol between two TUN devices, which
//!   may be put into network namespaces, so that the kernel's TCP crosses the same links. It needs
//!   `CAP_NET_ADMIN`, and Linux.
//!
//! Packets leave when they are due, as exactly as the system wakes a thread: some tenths of a
//! millisecond late on a machine that is not busy.

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

pub use emulator::{Emulator, Until};
pub use error::EmulateError;
pub use offloads::switch_segmentation_off;
pub use report::{Direction, LinkReport, Losses, Report};
pub use running::Running;
