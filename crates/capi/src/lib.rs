//! `libsheave`: the crate `sheave` for programs in C.
//!
//! `include/sheave.h` is made from these sources by `cargo xtask header`; the comments here are its
//! documentation. Each function checks its arguments, calls the Rust library, and turns the outcome
//! into a [`Status`](status::Status) and a message of the calling thread. Nothing calls back, nothing
//! is global, and no panic crosses the border.
//!
//! `unsafe` is left to one file, [`border`], as far as that goes: there pointers from C become
//! references, texts and slices.
#![expect(unsafe_code, reason = "this crate is the border to C")]
#![expect(
    clippy::missing_safety_doc,
    reason = "the header says once, at its top, what holds for the pointers of every function"
)]

pub mod association;
pub mod authentication;
mod border;
pub mod endpoint;
pub mod event;
mod failure;
mod last_error;
pub mod listener;
pub mod message;
pub mod receive;
pub mod send;
mod settings;
mod signal;
pub mod stats;
pub mod status;
pub mod streams;
pub mod tuning;

#[cfg(test)]
mod tests;
