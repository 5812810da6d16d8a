//! The same API as at the crate's root, with `async` functions over the same driver.
//!
//! It runs on tokio and on any other executor: the driver's thread wakes tasks through their
//! wakers. Every call may be cancelled (its future dropped) without harm: nothing is lost, and a
//! message is either accepted or not. For a time limit, put the runtime's timeout around a call.
//!
//! Dropping the last handle of an endpoint does not wait: the driver's thread goes on, at most
//! [`Config::linger`](crate::Config::linger), until the associations have closed. Before the
//! process ends, await [`Endpoint::close`] or [`Association::shutdown`].
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

mod association;
mod endpoint;
mod events;
mod halves;
mod listener;

pub use association::Association;
pub use endpoint::Endpoint;
pub use events::Events;
pub use halves::{Receiver, Sender};
pub use listener::Listener;
