//! Complete WebRTC data channels: ICE, DTLS, SCTP and SDP for one connection, without media.
//!
//! [`PeerConnection`] is sans-I/O, like the engine: datagrams and time go in; datagrams, deadlines
//! and events come out. [`UdpDriver`] runs one over UDP sockets.
//!
//! The program provides the signalling that exchanges the two [`Description`]s.
//!
//! ```
//! use std::net::SocketAddr;
//! use std::time::Instant;
//! use sheave_datachannel::{ChannelConfig, ChannelEvent};
//! use sheave_webrtc::{ConnectionConfig, ConnectionEvent, PeerConnection};
//!
//! let now = Instant::now();
//! let addresses: [SocketAddr; 2] = ["192.0.2.1:4001".parse()?, "192.0.2.2:4002".parse()?];
//! let mut ends = addresses.map(|address| {
//!     PeerConnection::new(now, ConnectionConfig::new([address])).unwrap()
//! });
//! let offer = ends[0].offer()?;
//! let answer = ends[1].answer(now, &offer)?;
//! ends[0].accept(now, &answer)?;
//! ends[0].open(now, ChannelConfig::new("chat"))?;
//!
//! let (mut later, mut buffer, mut opened) = (now, Vec::new(), 0);
//! while opened < 2 {
//!     for n in [0, 1] {
//!         ends[n].handle_timeout(later);
//!         while let Some(sent) = ends[n].poll_transmit(later, &mut buffer, 1) {
//!             ends[1 - n].handle_datagram(later, sent.remote, sent.local, &buffer);
//!         }
//!         while let Some(event) = ends[n].poll_event(later) {
//!             opened += match event {
//!                 ConnectionEvent::Channel(ChannelEvent::Opened { .. }) => 1,
//!                 ConnectionEvent::Channel(ChannelEvent::Incoming { .. }) => 1,
//!                 _ => 0,
//!             };
//!         }
//!     }
//!     later += std::time::Duration::from_millis(5);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod association;
mod config;
mod connection;
mod description;
mod driver;
mod error;
mod event;
mod ice;
mod secured;

pub use config::{ConnectionConfig, IceMode, SctpStart};
pub use connection::{PeerConnection, Transmit};
pub use description::{Description, DescriptionError, Setup};
pub use driver::{DriverError, DriverWaker, UdpDriver};
pub use error::{NegotiationError, NewError};
pub use event::{ConnectionEvent, EndReason};
pub use sheave::dtls::{DtlsError, DtlsVersion, Fingerprint, Identity};
pub use sheave_datachannel as datachannel;
