//! `libsheave`: the C API of the crate `sheave`.
//!
//! `cargo xtask header` generates `include/sheave.h` from these sources, including the comments.
//! Each function checks its arguments, calls the Rust library, and returns a
//! [`Status`](status::Status) and a message stored for the calling thread. There are no callbacks
//! and no global state, and no panic crosses the border.
//!
//! `unsafe` is confined to [`border`] as far as possible; it converts C pointers to references,
//! texts and slices.
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
