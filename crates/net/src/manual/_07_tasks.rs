//! Tasks and cancellation: the `async` API.
//!
//! The handles in [`sheave::tokio`](crate::tokio) have `async` functions in place of blocking ones.
//! They need no particular runtime: the driver's own threads do the network I/O and wake tasks
//! through their wakers.
//!
//! ```no_run
//! use sheave::prelude::*;
//! use sheave::tokio::{Association, Endpoint};
//!
//! async fn echo(association: Association) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//!     while let Some(message) = association.receive_whole(16 << 20).await? {
//!         association.send(message).await?;
//!     }
//!     Ok(())
//! }
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let endpoint = Endpoint::bind(Config::default())?;
//! let listener = endpoint.listen(5001, Profile::Modern.options())?;
//! while let Some(association) = listener.accept().await {
//!     tokio::spawn(echo(association));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Cancellation
//!
//! Every future may be dropped before it is ready; each function documents the effect:
//!
//! | dropped | effect |
//! | --- | --- |
//! | `receive`, `receive_whole`, `accept`, `next` | none: nothing is lost, in `select!` as well |
//! | `send`, `send_with` | the message is dropped, and nothing of it was sent |
//! | `connect` | the attempt is given up |
//! | `shutdown`, `close` | what was begun goes on; another call waits for its end |
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use sheave::prelude::*;
//! use sheave::tokio::Association;
//!
//! # async fn example(association: Association) -> Result<(), Box<dyn std::error::Error>> {
//! let mut ticks = tokio::time::interval(Duration::from_secs(1));
//! loop {
//!     tokio::select! {
//!         received = association.receive_whole(16 << 20) => match received? {
//!             Some(message) => println!("{} bytes", message.payload.len()),
//!             None => return Ok(()),
//!         },
//!         _ = ticks.tick() => {
//!             association.send(Message::new(StreamId(0), "still here")).await?;
//!         }
//!     }
//! }
//! # }
//! ```
//!
//! [`Messages`](crate::tokio::Messages) and [`Events`](crate::tokio::Events) are `Stream`s.
//! For a time limit, put the runtime's timeout around a call.
//!
//! # The end of the process
//!
//! Dropping the last handle does not wait. Await `shutdown` of the association or `close` of the
//! endpoint before `main` returns, or messages in the send buffer may never leave.
