//! SCTP on real networks, in user space.
//!
//! An [`Endpoint`] carries SCTP (RFC 9260) over UDP (RFC 6951) or over raw IP and needs no kernel
//! module. It listens and connects; each [`Association`] sends and receives whole messages on many
//! streams, over several paths where both ends have several addresses.
//!
//! ```no_run
//! use sheave::{Config, Endpoint, Message, Options, StreamId, Target};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let endpoint = Endpoint::bind(Config::default())?;
//! let target = Target::over_udp(["192.0.2.7".parse()?], 9899, 5001);
//! let association = endpoint.connect(target)?;
//! association.send(Message::new(StreamId(0), "hello"))?;
//! while let Some(received) = association.receive()? {
//!     println!("{} bytes", received.message.payload.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! The functions of this level wait on the calling thread; [`tokio`] has the same names as `async`
//! functions over the same driver.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(target_os = "linux", target_os = "freebsd", target_vendor = "apple")))]
compile_error!(
    "sheave has sockets for Linux, FreeBSD and macOS; sheave-engine, the protocol alone, runs anywhere"
);

mod address;
mod association;
mod carrier;
mod clock;
mod config;
mod crew;
mod driver;
mod endpoint;
mod error;
mod events;
mod gathering;
mod halves;
mod handover;
mod joiner;
mod lifeline;
mod link;
mod listener;
mod shards;
mod siblings;
mod slot;
mod state;
mod sys;
mod target;
#[cfg(feature = "tokio")]
pub mod tokio;
mod wait;

pub use association::Association;
pub use bytes::Bytes;
pub use config::{CarrierKind, CarrierStats, Config, Offload, PortSharing, Warning};
pub use endpoint::Endpoint;
pub use error::{BindError, ConnectError, ImportError, ListenError, ReceiveError, SendError};
pub use events::Events;
pub use halves::{Receiver, Sender};
pub use listener::Listener;
pub use shards::Shards;
pub use sheave_engine::{
    Abandonments, Acknowledgement, AddressChange, AddressChangeError, AddressChanges, AssocStats,
    Authentication, AuthenticationChange, AuthenticationOptions, BufferSizes, Bundling,
    ChunkChecksum, ChunkSet, CloseReason, Coalescing, CongestionAlgorithm, CustomScheduler,
    DecreaseTrigger, Delivery, DeliverySacks, EndpointOptions, EndpointStats, Event,
    ExplicitCongestion, FastRetransmissions, Heartbeats, HmacAlgorithm, Interleaving, KeyError,
    KeyId, Left, LossDetection, LossRecovery, Message, OptionError, Options, Pacing,
    PacketDropReports, Part, PartialReliability, PathChange, PathError, PathMtuDiscovery,
    PathState, PathStats, PeerAddress, PeerRequests, Phase, Policy, Profile, Received,
    Reconfiguration, ReconfigurationError, ReconfigurationFailure, Reliability, RestartPorts,
    RtoGains, Schedule, SelectiveAcks, SendFailure, SendOptions, Shard, SharedKey, StreamDirection,
    StreamError, StreamScheduler, Unauthenticated, WindowRules, ZeroChecksum,
};
pub use sheave_engine::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, PathScheduler, RetransmissionPath,
};
pub use sheave_engine::{ExportError, ImportError as ImportRefusal, Obstacle};
pub use sheave_wire::{ChunkType, Ppid, StreamId};
pub use target::Target;

/// The example in README.md, compiled and run with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadmeExample;
