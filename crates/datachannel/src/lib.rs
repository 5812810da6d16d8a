//! WebRTC data channels (RFC 8831, RFC 8832), sans-I/O, over an association of [`sheave_engine`].
//!
//! [`DataChannels`] holds the channels of one association. Its user drives the engine, whose packets
//! go through DTLS (RFC 8261), and passes on what it says:
//!
//! 1. Packets into [`Endpoint::handle_datagram`](sheave_engine::Node::handle_datagram), time into
//!    `handle_timeout`.
//! 2. All events of the endpoint into [`DataChannels::handle_event`].
//! 3. Events and messages out of [`DataChannels::poll_event`], until there are none.
//! 4. Packets out of `poll_transmit`, until there are none.
//!
//! There is no clock, thread, lock or socket in here, and no DTLS, ICE or SDP: whoever has these needs
//! two facts of them, the [`Role`] and the peer's
//! [`max-message-size`](ChannelOptions::max_send_size).
//!
//! ```
//! use core::net::{IpAddr, Ipv4Addr};
//! use sheave_datachannel::{
//!     ChannelConfig, ChannelEvent, ChannelOptions, DataChannels, Message, Role, association_options,
//! };
//! use sheave_engine::{
//!     Connect, Datagram, Endpoint, EndpointOptions, Node, Options, PeerAddress, Time,
//! };
//!
//! let (now, limits) = (Time::ZERO, ChannelOptions::default());
//! let options = association_options(Options::default());
//! let addresses = [1, 2].map(|host| IpAddr::V4(Ipv4Addr::new(192, 0, 2, host)));
//! let mut ends = [0, 1].map(|n| {
//!     Endpoint::new(vec![addresses[n]], EndpointOptions::default(), [n as u8; 32])
//! });
//! ends[1].listen(5000, options.clone())?;
//! let remote = vec![PeerAddress::native(addresses[1])];
//! let connect = Connect { local_port: None, local: vec![], remote_port: 5000, remote, options };
//! let assoc = ends[0].connect(now, connect)?;
//! let client = DataChannels::new(&mut ends[0], assoc, Role::Client, limits.clone());
//! let mut channels = [Some(client), None];
//! let chat = channels[0].as_mut().unwrap().open(now, &mut ends[0], ChannelConfig::new("chat"))?;
//!
//! let mut answered = false;
//! for turn in 0..20 {
//!     let (n, mut packet) = (turn % 2, Vec::new());
//!     while let Some((assoc, event)) = ends[n].poll_event() {
//!         let endpoint = &mut ends[n];
//!         let channels = channels[n].get_or_insert_with(|| {
//!             DataChannels::new(endpoint, assoc, Role::Server, limits.clone())
//!         });
//!         channels.handle_event(now, endpoint, event);
//!     }
//!     while let Some(channels) = &mut channels[n]
//!         && let Some(event) = channels.poll_event(now, &mut ends[n])
//!     {
//!         match event {
//!             ChannelEvent::Opened { channel } => {
//!                 channels.send(now, &mut ends[n], channel, Message::text("hello"))?;
//!             }
//!             ChannelEvent::Message { channel, message } if n == 1 => {
//!                 channels.send(now, &mut ends[n], channel, message)?;
//!             }
//!             ChannelEvent::Message { channel, message } => {
//!                 answered = channel == chat && message.as_text() == Some("hello");
//!             }
//!             _ => {}
//!         }
//!     }
//!     while let Some(sent) = ends[n].poll_transmit(now, &mut packet, 1) {
//!         let (local, remote) = (sent.remote.ip, PeerAddress::native(sent.local));
//!         let datagram = Datagram { local, remote, ecn: sent.ecn, payload: &packet };
//!         ends[1 - n].handle_datagram(now, datagram);
//!     }
//! }
//! assert!(answered);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod assembly;
mod channel;
mod channels;
mod config;
pub mod dcep;
mod error;
mod event;
mod message;
mod options;
mod ppid;
mod priority;
mod reliability;
mod role;
mod stats;
mod streams;

pub use channel::{Channel, ChannelId, ChannelState, Origin};
pub use channels::DataChannels;
pub use config::{ChannelConfig, Negotiation};
pub use dcep::DcepError;
pub use error::{ClosedReason, Fault, OpenError, SendError};
pub use event::ChannelEvent;
pub use message::{Kind, Message};
pub use options::{ChannelOptions, association_options};
pub use priority::Priority;
pub use reliability::Reliability;
pub use role::Role;
pub use stats::{ChannelStats, ConnectionStats};

/// The examples of the page on WebRTC.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/webrtc.md")]
struct Page;
