//! Sheave's engine in the place of the crate `sctp-proto`, as str0m uses it.
//!
//! Cargo builds str0m from the registry with this crate patched in; nothing of str0m changes. Types
//! and calls have the names that str0m knows, what they do is the engine's.
//!
//! An [`Endpoint`] carries one association, as the one DTLS connection below it does (RFC 8261).

mod association;
mod config;
mod endpoint;
mod engine;
mod error;
mod event;
mod message;
mod resets;
mod stream;

pub use association::Association;
pub use config::{
    ClientConfig, DEFAULT_SCTP_PORT, EndpointConfig, ServerConfig, TransportConfig,
    generate_snap_token,
};
pub use endpoint::{AssociationHandle, ConnectError, DatagramEvent, Endpoint};
pub use error::{AssociationError, Error};
pub use event::{
    AssociationEvent, EcnCodepoint, EndpointEvent, Event, Payload, StreamEvent, StreamResetError,
    Transmit,
};
pub use message::{Chunks, PayloadProtocolIdentifier};
pub use stream::{ReliabilityType, Stream};

/// The id of a stream.
pub type StreamId = u16;
