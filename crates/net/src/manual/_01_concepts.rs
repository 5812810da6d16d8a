//! Concepts: endpoints, associations, streams, messages, paths.
//!
//! # Messages on streams
//!
//! SCTP carries *messages*: each is received exactly as it was sent, whole, and never merged with
//! another. An *association* is a connection between two endpoints with up to 65,535 *streams* each
//! way, 10 by default ([`Options::outbound_streams`](crate::Options::outbound_streams)). Messages
//! of one stream arrive in order. A packet lost on one stream delays no other stream. A message may
//! also be *unordered*, and may be limited in lifetime or retransmissions (*partial reliability*,
//! RFC 3758).
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use sheave::prelude::*;
//!
//! # fn example(association: &Association) -> Result<(), Box<dyn std::error::Error>> {
//! // In order within stream 3.
//! association.send(Message::new(StreamId(3), "first"))?;
//! association.send(Message::new(StreamId(3), "second").with_ppid(Ppid(46)))?;
//! // Delivered as soon as it arrives.
//! association.send(Message::new(StreamId(4), "at once").unordered())?;
//! // Given up after 50 ms, if both ends agreed on partial reliability.
//! let options = SendOptions::default().with_lifetime(Duration::from_millis(50));
//! association.send_with(Message::new(StreamId(5), "position"), options)?;
//! # Ok(())
//! # }
//! ```
//!
//! The *payload protocol identifier* ([`Ppid`](crate::Ppid)) is sent with each message; SCTP does
//! not interpret it.
//!
//! # Ports, addresses, paths
//!
//! An *endpoint* has local addresses and SCTP ports. Its packets are carried over UDP (RFC 6951),
//! on one UDP port for all associations, or over raw IP (protocol 132), which needs `CAP_NET_RAW`.
//! SCTP ports and UDP ports are independent; a [`Target`](crate::Target) names both.
//!
//! A *path* is a pair of a local address and a peer address. If an end has several addresses, the
//! association has several paths and continues while one of them works; see
//! [Multi-homing](super::_04_multi_homing).
//!
//! ```no_run
//! use sheave::prelude::*;
//!
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // All usable addresses of this machine, UDP port 9899.
//! let over_udp = Endpoint::bind(Config::default())?;
//! // SCTP port 5001 behind UDP port 9899.
//! let target = Target::over_udp(["192.0.2.7".parse()?], 9899, 5001);
//! let association = over_udp.connect(target)?;
//!
//! let over_ip = Endpoint::bind(Config::raw_ip(["192.0.2.1".parse()?]))?;
//! let association = over_ip.connect(Target::over_ip(["192.0.2.7".parse()?], 5001))?;
//! # Ok(())
//! # }
//! ```
//!
//! # Blocking and async
//!
//! The handles at the crate's root block the calling thread; the handles in `sheave::tokio` have
//! `async` functions instead. Both are the same types, generic over the wait mode
//! ([`handle`](crate::handle)), and share the functions that do not wait.
