//! Handle types shared by the blocking and the `async` API: each is generic over the [`Mode`] in
//! which its calls wait.
//!
//! [`sheave::Association`](crate::Association) is `handle::Association<Blocking>`,
//! `sheave::tokio::Association` is `handle::Association<Async>`, and so on. Calls that do not wait
//! are the same functions in both. Programs with their own event loop use the poll functions, such
//! as [`Association::poll_receive`]; [`wait_until`] blocks on one of them.

mod association;
mod endpoint;
mod events;
mod listener;
mod messages;
mod mode;
mod poll;
mod shards;

pub use association::Association;
pub use endpoint::Endpoint;
pub use events::Events;
pub use listener::Listener;
pub use messages::Messages;
#[cfg(feature = "tokio")]
pub use mode::Async;
pub(crate) use mode::DropMode;
pub use mode::{Blocking, Mode};
pub use poll::wait_until;
pub use shards::Shards;
