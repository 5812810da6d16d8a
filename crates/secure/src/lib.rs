//! Ciphers and key management for SCTP's DTLS chunk, sans-I/O. Experimental.
//!
//! The engine ([`sheave_engine`]) implements packet protection: records, epochs, replay windows,
//! enforcement (draft-ietf-tsvwg-sctp-dtls-chunk-04). This crate adds the cipher suites
//! ([`CipherSuite`], [`TrafficKeys`]) and key management: [`PreShared`] installs user-supplied
//! keys, method 0 of the draft, at the right moments.

mod pre_shared;
mod suite;

pub use self::pre_shared::{Begun, Failure, PreShared, PreSharedKeys};
pub use self::suite::{CipherSuite, TrafficKeys, WrongLength};
