use core::time::Duration;

use sheave_wire as wire;

use crate::Shard;

/// Who computes the CRC32c of packets (RFC 9260 §6.8).
///
/// Not to be confused with an agreement of the two ends to do without (RFC 9653): the peer hears
/// nothing of this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checksum {
    /// The engine: it writes and verifies it.
    #[default]
    Computed,
    /// Whoever carries the packets, as a network card does: the engine writes zero and takes
    /// packets as verified. Only for carriers that do, or that cannot corrupt.
    Offloaded,
}

impl Checksum {
    /// Ends a packet.
    pub(crate) fn seal(self, packet: &mut [u8]) {
        match self {
            Self::Computed => wire::seal(packet),
            Self::Offloaded => {}
        }
    }
}

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
