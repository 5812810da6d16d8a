//! SCTP on real networks, in user space.
//!
//! An [`Endpoint`] carries SCTP (RFC 9260) over UDP (RFC 6951) or raw IP, without a kernel module,
//! and listens and connects. Each [`Association`] sends and receives whole messages on many streams
//! (10 each way unless [`Options::outbound_streams`] asks for more), over several paths if both
//! ends have several addresses.
//!
//! ```no_run
//! use sheave::prelude::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let endpoint = Endpoint::bind(Config::default())?;
//! let target = Target::over_udp(["192.0.2.7".parse()?], 9899, 5001);
//! let association = endpoint.connect(target)?;
//! association.send(Message::new(StreamId(0), "hello"))?;
//! while let Some(message) = association.receive_whole(16 << 20)? {
//!     println!("{} bytes", message.payload.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Functions at the crate's root block the calling thread; `sheave::tokio` has the same names as
//! `async` functions over the same driver, on any executor.
//!
//! # Where to go on
//!
//! * The [`manual`]: concepts, lifecycle, back-pressure, multi-homing, errors, tuning,
//!   tasks.
//! * The [`prelude`]: the names that most programs use.
//! * [`Options`] and the modules [`options`], [`streams`] and [`authentication`]: the protocol's
//!   parameters and extensions. [`policies`]: user-defined congestion controls and acknowledgement
//!   policies.
//! * `poll_loop` (Linux): the sockets without threads, for your own poll loop.
//! * [`stats`] and [`events`]: counters and events of an association. [`error`]: the errors.
//!
//! # Features
//!
//! `tokio` (on by default): the `async` API. It adds the crate `futures-core`, and no runtime.
//!
//! `dtls`: SCTP over [DTLS](dtls) (RFC 8261). It adds the crate `dimpl` and a C compiler to the build.
//!
//! `secure`: packets encrypted on every path, with keys from TLS 1.3 ([`secure`]). It adds the crates
//! `sheave-secure` and `rustls`, and a C compiler to the build. Experimental.
//!
//! # Platforms
//!
//! Linux is tested; Android, FreeBSD and macOS compile. The protocol alone, without sockets, is
//! `sheave-engine`, which runs anywhere.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(linux, target_os = "freebsd", target_vendor = "apple")))]
compile_error!(
    "sheave has sockets for Linux, Android, FreeBSD and macOS; sheave-engine, the protocol alone, runs anywhere"
);

mod address;
mod address_news;
mod alarm;
mod assoc_handle;
mod assoc_state;
pub mod authentication;
mod carrier;
mod clock;
pub mod config;
mod driver;
pub mod dtls;
mod endpoint_inner;
pub mod error;
mod event_subscription;
pub mod events;
#[cfg(test)]
mod faults;
pub mod handle;
mod handover;
mod joiner;
#[cfg(feature = "secure")]
mod key_management;
#[cfg(not(feature = "secure"))]
#[path = "no_key_management.rs"]
mod key_management;
mod listener_inner;
mod locked;
pub mod manual;
pub mod message;
pub mod options;
pub mod policies;
#[cfg(linux)]
pub mod poll_loop;
mod poller;
pub mod prelude;
mod receive_coalescing;
mod reception;
mod routes;
#[cfg(feature = "secure")]
pub mod secure;
mod siblings;
mod state;
pub mod stats;
pub mod streams;
mod sys;
mod target;
#[cfg(feature = "tokio")]
pub mod tokio;
mod vacancy;
mod wait;
mod watch;
mod workers;

/// Hash of this crate's sources, 16 hexadecimal digits.
pub const SOURCE_HASH: &str = env!("SHEAVE_SOURCE_HASH");

pub use bytes::Bytes;
pub use config::Config;
pub use sheave_engine::{
    CloseReason, Delivery, Event, Message, Options, PeerAddress, Profile, Received, Reliability,
    SendOptions,
};
pub use sheave_wire::{Ppid, StreamId};
#[cfg(linux)]
#[doc(hidden)]
pub use sys::error_queue;
pub use target::Target;

/// An SCTP endpoint: sockets, ports, and all associations on them.
///
/// The calls are those of [`handle::Endpoint`].
pub type Endpoint = handle::Endpoint<handle::Blocking>;

/// Accepts associations on one SCTP port.
///
/// The calls are those of [`handle::Listener`].
pub type Listener = handle::Listener<handle::Blocking>;

/// An association: sends and receives messages on streams, over one path or several.
///
/// The calls are those of [`handle::Association`].
pub type Association = handle::Association<handle::Blocking>;

/// Blocking iterator over an association's arriving messages.
///
/// The calls are those of [`handle::Messages`].
pub type Messages = handle::Messages<handle::Blocking>;

/// Events of an association other than messages; a blocking iterator.
///
/// The calls are those of [`handle::Events`].
pub type Events = handle::Events<handle::Blocking>;

/// Endpoints that share a UDP port, one per core.
///
/// The calls are those of [`handle::Shards`].
pub type Shards = handle::Shards<handle::Blocking>;

/// The examples in the workspace's README.md, compiled and run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct WorkspaceReadme;

/// The examples in the crate's README.md.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct CrateReadme;

/// The examples in the guide and the how-tos.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/program.md")]
#[doc = include_str!("../../../docs/guide/multi-homing.md")]
#[doc = include_str!("../../../docs/howto/signalling.md")]
#[doc = include_str!("../../../docs/howto/messages.md")]
struct Pages;
