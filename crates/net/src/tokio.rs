//! `async` versions of the handles at the crate's root, over the same driver.
//!
//! Handles run on tokio and any other executor: the driver's threads wake tasks through their
//! wakers. Every call may be cancelled (its future dropped) without harm: no message is lost, and a
//! message to send is either accepted or not. For a time limit, put the runtime's timeout around a
//! call.
//!
//! Dropping the last handle of an endpoint does not wait: the driver's threads continue, for at
//! most [`Config::linger`](crate::Config::linger), until the associations have closed. Before the
//! process ends, await `close` of the [`Endpoint`] or `shutdown` of the [`Association`].
//!
//! ```no_run
//! use sheave::tokio::Endpoint;
//! use sheave::{Config, Options};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let endpoint = Endpoint::bind(Config::default())?;
//! let listener = endpoint.listen(5001, Options::default())?;
//! while let Some(association) = listener.accept().await {
//!     while let Some(received) = association.receive().await? {
//!         association.send(received.message).await?;
//!     }
//! }
//! # Ok(())
//! # }
//! ```

use crate::handle::{self, Async};

/// An SCTP endpoint, for tasks.
///
/// The calls are those of [`handle::Endpoint`].
pub type Endpoint = handle::Endpoint<Async>;

/// Accepts associations on one SCTP port, for tasks.
///
/// The calls are those of [`handle::Listener`].
pub type Listener = handle::Listener<Async>;

/// An association, for tasks.
///
/// The calls are those of [`handle::Association`].
pub type Association = handle::Association<Async>;

/// `Stream` of an association's arriving messages.
///
/// The calls are those of [`handle::Messages`].
pub type Messages = handle::Messages<Async>;

/// `Stream` of an association's events other than messages.
///
/// The calls are those of [`handle::Events`].
pub type Events = handle::Events<Async>;

/// Endpoints that share a UDP port, one per core, for tasks.
///
/// The calls are those of [`handle::Shards`].
pub type Shards = handle::Shards<Async>;
