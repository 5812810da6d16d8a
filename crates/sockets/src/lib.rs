//! The sockets API of SCTP (RFC 6458) over [`sheave_engine`], sans-I/O.
//!
//! A [`Stack`] holds an endpoint and the sockets on it. Calls go in with the bytes that a program
//! passes to its kernel, and answers come out with the bytes that it expects: socket options,
//! ancillary data and notifications in the layouts and with the numbers of an [`Abi`]. There is no
//! descriptor, system call, thread, lock or clock in here; whoever has these drives the stack:
//!
//! 1. Packets and time go in and packets come out by the calls of [`Node`](sheave_engine::Node).
//! 2. Calls of programs go to the methods of [`Stack`]. One that would have to wait returns
//!    [`Errno::EAGAIN`]; it is made again once [`readiness`](Stack::readiness) has changed, of which
//!    [`poll_changed`](Stack::poll_changed) tells.
//! 3. Calls that cannot be undone once they were answered come in two phases, so that an answer that
//!    does not reach its program loses nothing: [`peek`](Stack::peek) and
//!    [`consume`](Stack::consume), [`pending`](Stack::pending) and [`accept`](Stack::accept),
//!    [`check_send`](Stack::check_send) and [`send`](Stack::send).

mod abi;
mod calls;
mod control;
mod errno;
mod inbox;
mod kept;
mod notification;
mod settings;
mod socket;
mod socket_memory;
mod stack;
mod timestamps;

pub use abi::Abi;
pub use calls::{
    AssocId32, ConnectState, Domain, How, Incoming, Limits, ReadToken, Readiness, SendCall,
    SocketId, Special, Style,
};
pub use errno::Errno;
pub use socket_memory::SocketMemory;
pub use stack::{ListedAssociation, ListedListener, Stack, Tally};
