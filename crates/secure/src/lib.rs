//! Ciphers and key management for SCTP's DTLS chunk, sans-I/O. Experimental.
//!
//! The engine ([`sheave_engine`]) implements packet protection: records, epochs, replay windows,
//! enforcement (draft-ietf-tsvwg-sctp-dtls-chunk-04). This crate adds the cipher suites
//! ([`CipherSuite`], [`TrafficKeys`]) and key management: [`KeyManagement`] for a whole endpoint, with
//! a [`Tls`] for each association. [`Tls`] derives keys from TLS 1.3
//! handshakes, in which both ends authenticate by certificates, and replaces them
//! (draft-porfiri-tsvwg-sctp-dtls-handshake-01). [`PreShared`] installs user-supplied keys, method 0
//! of the draft, at the right moments; a [`SharedSecret`] makes them for each association.

mod certificate;
mod decoder;
mod fault;
mod handshake;
mod identity;
mod key_log;
mod key_management;
mod pre_shared;
mod restart;
mod restart_store;
mod settings;
mod shared_secret;
mod suite;
mod tls;
mod trust;

pub use self::certificate::{BadFingerprint, Fingerprint};
pub use self::decoder::{BadLine, Decoder};
pub use self::fault::Fault;
pub use self::identity::{Identity, IdentityError};
pub use self::key_log::KeyLog;
pub use self::key_management::{KeyManagement, KeyProgress, KeySource, Refusal};
pub use self::pre_shared::{Begun, PreShared, PreSharedKeys};
pub use self::restart_store::RestartStore;
pub use self::settings::{Rekeying, TlsSettings};
pub use self::shared_secret::SharedSecret;
pub use self::suite::{CipherSuite, TrafficKeys, WrongLength};
pub use self::tls::{BadName, Names, Tls};
pub use self::trust::Trust;
