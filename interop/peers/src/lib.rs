//! Other SCTP stacks as peers of ours.
//!
//! Two of them are Rust crates and run in this process, in virtual time: [`Pair`] joins any two
//! [`Stack`]s by a network of known [`Impairment`]. The others are programs: [`Program`] builds and
//! runs one, beside us as [`Neighbours`], behind a [`Relay`] that impairs packets or on two [`Links`] that
//! can be cut, [`KernelPeer`] boots a Linux kernel; [`session`] is our side of the talk with them.
//! [`tshark`] is a second opinion on what we put on the network.
//!
//! Everything here is for tests: a function panics where it cannot do what it says, or not in time.

/// Makes a test of each call.
#[macro_export]
macro_rules! tests {
    ($($(#[$note:meta])* $name:ident => $call:expr;)*) => {$(
        #[test]
        $(#[$note])*
        fn $name() {
            $call;
        }
    )*};
}

mod capture;
mod child;
mod dcsctp;
mod death;
pub mod gaps;
mod impairment;
mod kernel;
mod linked;
mod links;
mod neighbours;
mod pair;
pub mod partial;
mod pattern;
mod program;
mod random;
mod relay;
pub mod scenario;
pub mod scripted;
mod sctp_proto;
pub mod session;
mod sheave;
mod stack;
pub mod table;
mod tape;
mod told;
mod traffic;
mod watchdog;
pub mod webrtc;

pub use capture::{Capture, matching, packets_to_pcap, tshark};
pub use child::{Child, skip};
pub use dcsctp::Dcsctp;
pub use death::{Caller, Cut, DEATHS, Death, die};
pub use impairment::Impairment;
pub use kernel::{KernelPeer, beside_kernel};
pub use linked::{Linked, Part};
pub use links::{Links, on_two_links, test_of};
pub use neighbours::Neighbours;
pub use pair::{Pair, Side};
pub use pattern::{Tally, pattern};
pub use program::Program;
pub use random::Random;
pub use relay::Relay;
pub use sctp_proto::SctpProto;
pub use sheave::Sheave;
pub use stack::{Admission, Condition, Ending, Stack};
pub use tape::{Fragment, Tape};
pub use told::Told;
pub use traffic::{Traffic, exchange};
pub use watchdog::Watchdog;
