//! Back-pressure: full buffers, slow readers, large messages.
//!
//! # Sending
//!
//! `send` returns when the message is in the send buffer
//! ([`Options::send_buffer`](crate::Options::send_buffer) bytes), not when it is delivered. While
//! the buffer is full, `send` waits, `send_timeout` waits for a limited time, and `try_send`
//! returns [`SendError::Full`](crate::error::SendError::Full), which contains the message.
//!
//! ```no_run
//! use sheave::error::SendError;
//! use sheave::prelude::*;
//!
//! # fn drop_one(_: Message) {}
//! # fn example(association: &Association, frame: Message) -> Result<(), SendError> {
//! match association.try_send(frame, SendOptions::default()) {
//!     Ok(()) => {}
//!     // The network is slower than the camera: this frame is skipped.
//!     Err(SendError::Full(frame)) => drop_one(frame),
//!     Err(error) => return Err(error),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A large message does not block small ones. A message larger than the buffer enters it in pieces,
//! through half of the buffer; the next such message waits until half of the buffer is free. An
//! eighth of the buffer is reserved for small messages on streams with little queued, so that a
//! small message on its own stream is queued at once. The scheduler
//! ([`Options::scheduler`](crate::Options::scheduler)) decides when it is sent.
//!
//! [`Event::Drained`](crate::Event::Drained) reports that the peer has acknowledged everything.
//!
//! # Receiving
//!
//! Unread messages fill the receive buffer
//! ([`Options::receive_buffer`](crate::Options::receive_buffer)); the advertised window closes, and
//! the peer's `send` waits. A slow reader therefore slows its sender and loses nothing. All streams
//! of an association share the window: a program that stops reading stops all streams.
//!
//! # Large messages
//!
//! A message larger than the receive buffer arrives in parts, marked by
//! [`Received::part`](crate::Received::part). `receive_whole` joins them, up to a limit that you
//! choose, since the peer decides how much it sends:
//!
//! ```no_run
//! use sheave::error::ReceiveError;
//! use sheave::prelude::*;
//!
//! # fn example(association: &Association) -> Result<(), ReceiveError> {
//! loop {
//!     match association.receive_whole(64 << 20) {
//!         Ok(Some(message)) => println!("{} bytes", message.payload.len()),
//!         Ok(None) => return Ok(()),
//!         Err(ReceiveError::TooLarge { limit }) => println!("skipped one over {limit} bytes"),
//!         Err(error) => return Err(error),
//!     }
//! }
//! # }
//! ```
//!
//! A large message also delays small messages of other streams queued behind it, unless both ends
//! agree on [`Interleaving`](crate::options::Interleaving) (RFC 8260).
