//! Errors: one error type per call, and close reasons.
//!
//! Each fallible call has its own error type in [`error`](crate::error), with variants that a
//! caller can act on:
//!
//! | call | error | a variant to handle |
//! | --- | --- | --- |
//! | `bind` | [`BindError`](crate::error::BindError) | `NoPermission`: raw IP without `CAP_NET_RAW` |
//! | `listen` | [`ListenError`](crate::error::ListenError) | `InUse`, `Option` |
//! | `connect` | [`ConnectError`](crate::error::ConnectError) | `Failed` with a [`CloseReason`](crate::CloseReason), `Deadline` |
//! | `send` | [`SendError`](crate::error::SendError) | `Full` gives the message back |
//! | `receive` | [`ReceiveError`](crate::error::ReceiveError) | `NotYet`, `TooLarge`, `Closed` |
//! | `shutdown` | [`CloseReason`](crate::CloseReason) | all but `Graceful` |
//!
//! A graceful end is not an error: `receive` returns `Ok(None)`. Any other end is
//! [`ReceiveError::Closed`](crate::error::ReceiveError::Closed), returned after the messages that
//! had already arrived; the reason says who ended the association:
//!
//! ```no_run
//! use sheave::error::ReceiveError;
//! use sheave::prelude::*;
//!
//! # fn example(association: &Association) {
//! match association.receive_whole(16 << 20) {
//!     Ok(Some(message)) => println!("{} bytes", message.payload.len()),
//!     Ok(None) => println!("the peer shut down"),
//!     Err(ReceiveError::Closed(CloseReason::TimedOut)) => println!("the peer is gone"),
//!     Err(ReceiveError::Closed(CloseReason::AbortedByPeer { .. })) => println!("aborted"),
//!     Err(error) => println!("{error}"),
//! }
//! # }
//! ```
//!
//! A message that `send` accepted may still fail: when its lifetime or retransmission limit is
//! exceeded, or when the association ends. [`Event::SendFailed`](crate::Event::SendFailed) returns
//! it, with the `context` of its [`SendOptions`](crate::SendOptions).
//!
//! ```no_run
//! use sheave::prelude::*;
//!
//! # fn example(association: &Association) {
//! while let Some(event) = association.events().try_next() {
//!     if let Event::SendFailed { .. } = event {
//!         println!("{event:?}");
//!     }
//! }
//! # }
//! ```
//!
//! A peer that disappears is detected when data, a request or a heartbeat goes unanswered.
//! [`Options::dead_peer_timeout`](crate::Options::dead_peer_timeout) limits the time from then on.
