//! Packets without a CRC32c, by agreement (RFC 9653).

use crate::Checksum;
use crate::assoc::tcb::Tcb;
use crate::extensions::ExtensionSet;

/// Extensions that say that a checksum of zero is accepted.
const ZERO: ExtensionSet =
    ExtensionSet::ZERO_CHECKSUM_DTLS.union(ExtensionSet::ZERO_CHECKSUM_MEMORY);

impl Tcb {
    /// The checksum of the next packet. Until the association is up, it may hold INIT or COOKIE
    /// ECHO, which need their CRC32c; from then on the peer's wish decides (RFC 9653 §5.2).
    pub(in crate::assoc) fn sealing(&self, endpoint: Checksum) -> Checksum {
        if self.extensions.handshake.is_none() && self.agreed.intersects(ZERO) {
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
