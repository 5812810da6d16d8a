//! The types behind both faces of this crate: each handle is one type, generic over the
//! [`Mode`] in which its calls wait.
//!
//! [`sheave::Association`](crate::Association) is `handle::Association<Blocking>`,
//! `sheave::tokio::Association` is `handle::Association<Async>`, and so on. Calls that do not wait
//! are the same functions in both. A program with an event loop of its own has poll functions, such as
//! [`Association::poll_receive`]; [`wait_until`] waits for one of them.

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
