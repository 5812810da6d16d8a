//! Concepts: endpoints, associations, streams, messages, paths.
//!
//! # Messages on streams
//!
//! SCTP carries *messages*: a message is received as it was sent, whole, never joined with another.
//! An *association* is a connection between two endpoints; it has up to 65,535 *streams* each way, and
//! 10 by default ([`Options::outbound_streams`](crate::Options::outbound_streams)).
//! Messages of one stream arrive in order. Streams do not wait for each other: a packet lost on one
//! stream delays no other stream. A message may also be *unordered*, and it may have a limit to the
//! effort spent on it (*partial reliability*, RFC 3758).
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
//! The *payload protocol identifier* ([`Ppid`](crate::Ppid)) travels with each message and means
//! nothing to SCTP.
//!
//! # Ports, addresses, paths
//!
//! An *endpoint* has local addresses and SCTP ports. Its packets are carried over UDP (RFC 6951),
//! in one UDP port for all associations, or over plain IP (protocol 132), which needs
//! `CAP_NET_RAW`. SCTP ports and UDP ports have nothing to do with each other: a
//! [`Target`](crate::Target) names both.
//!
//! A *path* is a local address and an address of the peer. Where an end has several addresses, the
//! association has several paths, and goes on while one of them works; see
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
//! # Two faces
//!
//! The handles at the crate's root block the calling thread. Those in `sheave::tokio` have `async`
//! functions instead. Both are the same types, generic over the way of waiting
//! ([`handle`](crate::handle)), and calls that do not wait are the same functions.
