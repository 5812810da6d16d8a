//! The sockets API of SCTP (RFC 6458) over [`sheave_engine`], sans-I/O.
//!
//! A [`Stack`] holds an endpoint and its sockets. Calls pass the bytes that a program passes to its
//! kernel and return the bytes that the program expects: socket options, ancillary data and
//! notifications in the layouts and with the numbers of an [`Abi`]. The crate has no descriptors,
//! system calls, threads, locks or clock; its caller drives the stack:
//! 1. Packets and time enter, and packets leave, through [`Node`](sheave_engine::Node).
//! 2. Calls of programs map to methods of [`Stack`]. A call that would block returns
//!    [`Errno::EAGAIN`]; repeat it after [`poll_changed`](Stack::poll_changed) has reported a
//!    change of the socket's [`readiness`](Stack::readiness).
//! 3. Calls that cannot be undone have two phases, so that an answer that does not reach its
//!    program loses nothing: [`peek`](Stack::peek) and [`consume`](Stack::consume),
//!    [`pending`](Stack::pending) and [`accept`](Stack::accept),
//!    [`check_send`](Stack::check_send) and [`send`](Stack::send).

mod abi;
mod association;
mod associations;
mod attached;
mod calls;
mod changes;
mod control;
mod ephemeral;
mod errno;
mod inbox;
mod kept;
mod key_management;
mod lookup;
mod notification;
mod options;
mod profile;
mod reading;
mod request;
mod settings;
mod socket;
mod socket_memory;
mod sockets;
mod stack;
mod timestamps;
mod transport;

pub use abi::Abi;
pub use calls::{
    AssocId32, ConnectState, Domain, How, Incoming, Limits, ReadToken, Readiness, SendCall,
    SocketId, Special, Style,
};
pub use errno::Errno;
pub use key_management::KeyManagement;
pub use profile::Profile;
pub use socket::Socket;
pub use socket_memory::SocketMemory;
pub use stack::{ListedAssociation, ListedListener, Listing, Stack, Tally};
