//! The options of an endpoint, and their table.

use core::str::FromStr;
use core::time::Duration;

use super::declaration::{Field, OptionDeclaration, OptionGroup};
use super::form::choice::Words;
use super::form::number::{Count, Size, Span};
use super::form::special::SHARE;
use super::text::{pairs, unknown};
use crate::{Checksum, FollowAddresses, OptionError, Shard, SourceShare, WithLoopback};

/// Options that hold for all associations of an endpoint.
///
/// The limits have a text form: see [`set`](Self::set), [`get`](Self::get) and
/// [`declarations`](Self::declarations). `checksum`, `shard` and `with_loopback` have none, since
/// they describe the driver, which sets them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointOptions {
    /// Associations held at most; default 100,000.
    pub max_associations: usize,
    /// User data that all associations together may hold, bytes; default 4 GiB (capped to the
    /// address space). With interleaving, a peer may keep a message open on each granted stream;
    /// each message whose beginning was read takes 128 bytes. Every association may exceed the
    /// limit by one message to send and, beside it, one received packet, so that all make progress.
    pub max_memory: usize,
    /// Share of `max_memory` that the associations of one source may hold, so that no source
    /// starves the others; default `AsMuchAsIsFree`.
    pub source_share: SourceShare,
    /// Life of a cookie secret as the one that signs new cookies; cookies signed with the
    /// previous secret stay valid. Default 5 min.
    pub secret_life: Duration,
    /// The party that computes checksums; default `Computed`.
    pub checksum: Checksum,
    /// Position of this endpoint among several that share addresses; default: the only one.
    pub shard: Shard,
    /// Whether associations follow the addresses of the machine, where all of them are in use; default `Off`.
    pub follow_addresses: FollowAddresses,
    /// Our addresses in associations with a peer on loopback; default `LoopbackAddresses`.
    pub with_loopback: WithLoopback,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            max_associations: 100_000,
            max_memory: usize::try_from(4_u64 << 30).unwrap_or(usize::MAX),
            source_share: SourceShare::AsMuchAsIsFree,
            secret_life: Duration::from_secs(300),
            checksum: Checksum::Computed,
            shard: Shard::ONLY,
            follow_addresses: FollowAddresses::Off,
            with_loopback: WithLoopback::default(),
        }
    }
}

/// The declaration of the limit that is this field.
macro_rules! limit {
    ($name:ident: $form:expr, $rfc:literal, $text:literal) => {
        OptionDeclaration {
            name: stringify!($name),
            group: OptionGroup::Endpoint,
            text: $text,
            rfc: $rfc,
            field: &Field {
                form: $form,
                get: |options: &EndpointOptions| &options.$name,
                set: |options, value| {
                    options.$name = value;
                    Ok(())
                },
            },
        }
    };
}

/// The declarations of the limits.
static LIMITS: &[OptionDeclaration<EndpointOptions>] = &[
    limit!(
        max_associations: Count(1, 1_000_000_000),
        "RFC 9260 §5.1",
        "Most associations held at a time."
    ),
    limit!(
        max_memory: Size(1, u64::MAX),
        "RFC 9260 §6.2",
        "User data that all associations together may hold. Beyond it, out-of-order data is \
               dropped and retransmitted later, and new messages wait."
    ),
    limit!(
        source_share: SHARE,
        "ours",
        "The part of `max_memory` that the associations with one source may hold: as much as \
               is still free, a number of bytes, or all of it."
    ),
    limit!(
        secret_life: Span(Duration::from_secs(1), Duration::from_secs(86_400)),
        "RFC 9260 §5.1.3",
        "How long a cookie secret signs new cookies before it is replaced; cookies signed with \
               the previous secret stay valid."
    ),
    limit!(
        follow_addresses: Words(&[("off", FollowAddresses::Off), ("on", FollowAddresses::On)]),
        "RFC 5061 §5.1; ours",
        "Whether associations follow the addresses that the machine gains and loses, where the \
               endpoint uses all of them: as address_changes allows, else over UDP by leaving from \
               another one. The tool has it on."
    ),
];

impl EndpointOptions {
    /// The declarations of the limits.
    pub fn declarations() -> impl Iterator<Item = &'static OptionDeclaration<Self>> + Clone {
        LIMITS.iter()
    }

    /// The declaration of the limit with that name.
    #[must_use]
    pub fn declaration(name: &str) -> Option<&'static OptionDeclaration<Self>> {
        Self::declarations().find(|declaration| declaration.name == name)
    }

    /// The value of a limit as text; `None` if no limit has that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<alloc::string::String> {
        Self::declaration(name).map(|declaration| declaration.value(self))
    }

    /// Parses `value` and sets the limit with that name.
    ///
    /// # Errors
    /// No limit has that name, or the value cannot be parsed or is out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let declaration = Self::declaration(name)
            .ok_or_else(|| unknown(name, value, Self::declarations().map(|known| known.name)))?;
        declaration.set(self, value)
    }

    /// Sets several limits.
    ///
    /// # Errors
    /// The first one that cannot be set.
    pub fn apply(&mut self, given: &[(&str, &str)]) -> Result<(), OptionError> {
        given
            .iter()
            .try_for_each(|(name, value)| self.set(name, value))
    }
}

/// Parses `NAME=VALUE,NAME=VALUE`, starting from the defaults.
impl FromStr for EndpointOptions {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let mut options = Self::default();
        pairs(text).try_for_each(|(name, value)| options.set(name, value))?;
        Ok(options)
    }
}

#[cfg(test)]
mod tests;
