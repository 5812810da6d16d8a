//! Errors: an error type for each call, and the reasons for an end.
//!
//! Each call that can fail has an error type of its own in [`error`](crate::error), with variants
//! that a caller can act on:
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
//! [`ReceiveError::Closed`](crate::error::ReceiveError::Closed), after the messages that had
//! arrived; the reason says who ended the association:
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
//! A message that `send` accepted may still fail: with a limit to its effort, or when the
//! association ends. [`Event::SendFailed`](crate::Event::SendFailed) gives it back, with the
//! `context` of its [`SendOptions`](crate::SendOptions).
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
//! A peer that disappears is noticed when something goes unanswered: data, a request, a heartbeat.
//! [`Options::dead_peer_timeout`](crate::Options::dead_peer_timeout) bounds the time from then on.
