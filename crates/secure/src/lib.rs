//! Ciphers and key management for SCTP's DTLS chunk, sans-I/O. Experimental.
//!
//! The engine ([`sheave_engine`]) knows how packets are protected: records, epochs, replay windows, enforcement
//! (draft-ietf-tsvwg-sctp-dtls-chunk-04). This crate brings what the engine has none of: the cipher suites
//! ([`CipherSuite`], [`TrafficKeys`]) and who puts keys in at the right moments. [`PreShared`] does that for keys that
//! the user gives, method 0 of the draft.

mod pre_shared;
mod suite;

pub use self::pre_shared::{Begun, Failure, PreShared, PreSharedKeys};
pub use self::suite::{CipherSuite, TrafficKeys, WrongLength};
