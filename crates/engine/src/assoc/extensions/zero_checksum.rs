//! Packets without a CRC32c, by agreement (RFC 9653).

use crate::assoc::tcb::Tcb;
use crate::value::extension::ExtensionSet;
use crate::{Checksum, Phase};

/// Extensions that say that a checksum of zero is accepted.
const ZERO: ExtensionSet =
    ExtensionSet::ZERO_CHECKSUM_DTLS.union(ExtensionSet::ZERO_CHECKSUM_MEMORY);

impl Tcb {
    /// The checksum of the next packet. Until the association is up, it may hold INIT or COOKIE
    /// ECHO, which need their CRC32c; from then on the peer's wish decides (RFC 9653 §5.2), as long
    /// as it is sure to know the association. One that has forgotten it answers out of the blue
    /// (RFC 9260 §8.4), and only to what it can verify.
    pub(in crate::assoc) fn sealing(&self, endpoint: Checksum) -> Checksum {
        let is_known = self.paths.errors() == 0
            && !matches!(self.phase, Phase::ShutdownSent | Phase::ShutdownAckSent);
        if is_known && self.extensions.handshake.is_none() && self.agreed.intersects(ZERO) {
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
