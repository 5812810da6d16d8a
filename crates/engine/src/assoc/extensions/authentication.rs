//! Authenticated chunks (RFC 4895).

mod authenticator;
mod handlers;
mod key;
mod message_keys;
mod vector;

pub(crate) use self::authenticator::{AuthRefusal, Authenticator, Sealing};
pub(in crate::assoc) use self::handlers::Admission;
pub(crate) use self::key::Keyring;
pub(in crate::assoc) use self::message_keys::PacketKey;
pub(crate) use self::vector::{KeyVector, MAX_VECTOR_LEN, Vectors};

#[cfg(test)]
mod tests;
