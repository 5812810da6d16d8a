//! Other SCTP stacks as peers of ours.
//!
//! Two of them are Rust crates and run in this process, in virtual time: [`Pair`] joins any two
//! [`Stack`]s by a network of known [`Weather`]. The others are programs: [`Usrsctp`] builds and
//! runs one, [`KernelPeer`] boots a Linux kernel; [`session`] is our side of the talk with them.
//! [`tshark`] is a second opinion on what we put on the network.

mod capture;
mod child;
mod dcsctp;
mod kernel;
mod pair;
pub mod partial;
mod pattern;
mod pion;
mod random;
pub mod scenario;
pub mod scripted;
mod sctp_proto;
pub mod session;
mod sheave;
mod stack;
mod traffic;
mod usrsctp;
mod watchdog;

pub use capture::{Capture, matching, packets_to_pcap, tshark};
pub use child::{Child, skip};
pub use dcsctp::Dcsctp;
pub use kernel::{KernelPeer, beside_kernel};
pub use pair::{Pair, Side, Weather};
pub use pattern::{Tally, pattern};
pub use pion::Pion;
pub use random::Random;
pub use sctp_proto::SctpProto;
pub use sheave::Sheave;
pub use stack::{Admission, Condition, Ending, Stack};
pub use traffic::{Traffic, exchange};
pub use usrsctp::Usrsctp;
pub use watchdog::Watchdog;
