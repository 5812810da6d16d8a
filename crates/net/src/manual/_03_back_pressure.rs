//! Back-pressure: full buffers, slow readers, large messages.
//!
//! # Sending
//!
//! `send` returns when the message is in the send buffer
//! ([`Options::send_buffer`](crate::Options::send_buffer) bytes), not when it was delivered. While
//! the buffer is full, `send` waits, `send_timeout` waits for a while, and `try_send` returns
//! [`SendError::Full`](crate::error::SendError::Full) with the message in it.
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
//! A large message does not keep small ones out. A message larger than the buffer is charged through half
//! of it, and the next such message waits until the buffer is half empty. An eighth of the buffer is
//! reserved for small messages on streams that hold little, so that a small message on a stream of its own
//! is queued at once. The scheduler ([`Options::scheduler`](crate::Options::scheduler)) decides when it
//! leaves.
//!
//! [`Event::Drained`](crate::Event::Drained) tells that the peer has acknowledged everything.
//!
//! # Receiving
//!
//! Messages that nobody takes fill the receive buffer
//! ([`Options::receive_buffer`](crate::Options::receive_buffer)); the window that the peer sees
//! closes, and its `send` waits in turn. A slow reader therefore slows its sender and loses nothing.
//! The window belongs to the association: a program that stops reading stops all streams.
//!
//! # Large messages
//!
//! A message larger than the receive buffer arrives in parts, which
//! [`Received::part`](crate::Received::part) tells. `receive_whole` joins them, up to a limit of
//! yours, since the peer decides how much it sends:
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
//! A large message also holds up the small ones of other streams behind it, unless both ends agree
//! on [`Interleaving`](crate::options::Interleaving) (RFC 8260).
