use core::time::Duration;

use crate::{Checksum, Shard};

/// What holds for all associations of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointOptions {
    /// Associations held at most; default 100,000.
    pub max_associations: usize,
    /// User data held by all associations together at most, bytes; default 4 GiB (capped to the
    /// address space).
    pub max_memory: usize,
    /// How long a cookie secret signs new cookies before it is replaced; cookies of the one
    /// before stay valid. Default 5 min.
    pub secret_life: Duration,
    /// Who computes checksums; default `Computed`.
    pub checksum: Checksum,
    /// Which of several endpoints on the same addresses this one is; default the only one.
    pub shard: Shard,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            max_associations: 100_000,
            max_memory: usize::try_from(4_u64 << 30).unwrap_or(usize::MAX),
            secret_life: Duration::from_secs(300),
            checksum: Checksum::Computed,
            shard: Shard::ONLY,
        }
    }
}
