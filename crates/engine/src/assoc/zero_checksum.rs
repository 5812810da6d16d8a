//! Packets without a CRC32c, by agreement (RFC 9653).

use super::tcb::Tcb;
use crate::Checksum;
use crate::extensions::ExtensionSet;

/// Those that say that zero is taken for a checksum.
const ZERO: ExtensionSet =
    ExtensionSet::ZERO_CHECKSUM_DTLS.union(ExtensionSet::ZERO_CHECKSUM_MEMORY);

impl Tcb {
    /// How the next packet ends. Until the association is up, it may hold INIT or COOKIE ECHO, which
    /// need their CRC32c; from then on the peer's wish decides (RFC 9653 §5.2).
    pub(super) fn sealing(&self, endpoint: Checksum) -> Checksum {
        if self.rare.opening.is_none() && self.extensions.intersects(ZERO) {
            Checksum::Offloaded
        } else {
            endpoint
        }
    }

    /// Whether the peer was told that packets with a checksum of zero are taken
    /// (RFC 9653 §5.3).
    pub(crate) const fn takes_zero_checksum(&self) -> bool {
        self.announced.intersects(ZERO)
    }
}
