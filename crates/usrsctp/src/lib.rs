//! `libusrsctp.so.2`: Sheave behind the functions of `usrsctp.h`.
//!
//! A process has one [`Host`](host::Host): two stacks of `sheave-sockets`, one whose packets travel
//! over UDP or plain IP, one for sockets of the family `AF_CONN`, whose packets the program carries.
//! Each function locks the host, makes a call of the sockets API, and lets the host go; what it has
//! for the program, packets and callbacks, is delivered without the lock, so that the program may call
//! the library again from there.
//!
//! A `struct socket *` is a number in disguise that is looked up and never followed: a closed one is
//! no danger. `unsafe` is left to [`border`], where pointers of the program become references and
//! slices, and to the two places that call the program. No panic crosses the border.
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
