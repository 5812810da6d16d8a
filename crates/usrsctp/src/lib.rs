//! `libusrsctp.so.2`: the functions of `usrsctp.h`, implemented by Sheave.
//!
//! A process has one [`Host`](host::Host) with two stacks of `sheave-sockets`: one for packets over
//! UDP or plain IP, and one for `AF_CONN` sockets, whose packets the program carries. Each function
//! locks the host, calls the sockets API and unlocks the host. Packets and callbacks are delivered
//! without the lock, so the program may call the library again from a callback.
//!
//! A `struct socket *` is a number that is looked up and never dereferenced, so a stale one is
//! harmless. `unsafe` is confined to [`border`], which converts pointers to references and slices,
//! and to the two places that call the program. No panic crosses the border.
#![expect(unsafe_code, reason = "this crate is the border to C")]
#![expect(
    unreachable_pub,
    reason = "the functions are exported by their names, whatever module they are in"
)]

mod addresses;
mod border;
mod calls;
mod checksum;
mod clock;
mod connections;
mod defaults;
mod delivery;
mod dump;
mod handles;
mod host;
mod internet;
mod statistics;
mod sysctl;
mod waiting;
mod worker;
