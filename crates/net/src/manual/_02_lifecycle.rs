//! Lifecycle: listen, connect, shut down, abort, drop.
//!
//! # Set-up
//!
//! [`Endpoint::listen`](crate::handle::Endpoint::listen) opens an SCTP port;
//! [`Listener::accept`](crate::Listener) returns established associations. `connect` returns after
//! one round trip, like TCP's, when the peer has answered and messages can be sent;
//! `connect_timeout` limits the wait. Messages sent at once leave with the second packet of the
//! handshake and arrive half a round trip later ([`EarlyData`](crate::options::EarlyData)). If the
//! handshake then still fails, the next call reports the failure;
//! [`poll_established`](crate::Association::poll_established) is ready when the handshake is over.
//! [`Config::backlog`](crate::Config::backlog) limits the associations that wait for `accept`.
//!
//! ```no_run
//! use std::thread;
//!
//! use sheave::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let endpoint = Endpoint::bind(Config::default())?;
//! let listener = endpoint.listen(5001, Profile::Modern.options())?;
//! for association in listener.incoming() {
//!     thread::spawn(move || {
//!         // Ends after the peer's shutdown, or with an error.
//!         for received in association.messages().map_while(Result::ok) {
//!             println!("{} bytes", received.message.payload.len());
//!         }
//!     });
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # The end
//!
//! | call | messages sent before | the peer sees |
//! | --- | --- | --- |
//! | `shutdown` | are delivered before it returns | the end: `receive` returns `Ok(None)` |
//! | `start_shutdown` | are delivered in the background | the same |
//! | `shutdown_timeout` | are delivered, or the association is aborted | either |
//! | `abort` | are lost where not yet delivered | [`CloseReason::AbortedByPeer`](crate::CloseReason) |
//! | dropping the last handle | are delivered in the background | the end |
//! | `Endpoint::close` | are delivered within its timeout | either |
//!
//! SCTP has no half-closed state (RFC 9260 §1.5.1): once one end shuts down, neither can send new
//! messages; messages already queued at either end are still delivered.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use sheave::prelude::*;
//!
//! # fn example(endpoint: &Endpoint, association: &Association)
//! #     -> Result<(), Box<dyn std::error::Error>> {
//! association.send(Message::new(StreamId(0), "the last one"))?;
//! // Afterwards the peer has everything.
//! association.shutdown_timeout(Duration::from_secs(10))?;
//! let aborted = endpoint.close(Duration::from_secs(1));
//! # Ok(())
//! # }
//! ```
//!
//! Handles keep their endpoint alive until the last handle to it, its listeners and its
//! associations is dropped. That drop waits, for at most [`Config::linger`](crate::Config::linger),
//! until the associations have closed. With `async` handles it does not wait, so await `close`
//! before the process ends.
//!
//! After a `fork`, all of the parent's endpoints are closed in the child.
