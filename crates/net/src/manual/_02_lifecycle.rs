//! Lifecycle: listen, connect, shut down, abort, drop.
//!
//! # Set-up
//!
//! [`Endpoint::listen`](crate::handle::Endpoint::listen) opens an SCTP port;
//! [`Listener::accept`](crate::Listener) returns associations that are established. `connect`
//! returns when the peer has answered and messages can leave, after one round trip as TCP's does, and
//! `connect_timeout` gives up after a time of yours. What is sent at once leaves with the second
//! packet of the handshake, and arrives half a round trip later
//! ([`EarlyData`](crate::options::EarlyData)); should the handshake fail after all, the next call says
//! so. [`poll_established`](crate::Association::poll_established) tells when it is over.
//! Associations that nobody accepts are bounded by [`Config::backlog`](crate::Config::backlog).
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
//! messages; messages under way both ways are still delivered.
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
//! Handles keep what they belong to alive: the endpoint lives until the last handle of it, of its
//! listeners and of its associations is dropped. The drop of the last one waits, at most
//! [`Config::linger`](crate::Config::linger), until the associations have closed; with `async`
//! handles it does not wait, so await `close` before the process ends.
//!
//! After a `fork`, the child finds every endpoint of its parent closed.
