//! The functions of `usrsctp.h`.

mod events;
mod lifetime;
mod names;
mod options;
pub(crate) mod received;
mod send;
mod sent;
mod setup;
