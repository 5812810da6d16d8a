//! Packets without a CRC32c, as negotiated (RFC 9653).

use crate::assoc::tcb::Tcb;
use crate::value::extension::ExtensionSet;
use crate::{Checksum, Phase};

/// Extensions that announce acceptance of a zero checksum.
const ZERO: ExtensionSet =
    ExtensionSet::ZERO_CHECKSUM_DTLS.union(ExtensionSet::ZERO_CHECKSUM_MEMORY);

impl Tcb {
    /// The checksum mode of the next packet. Until the association is established, packets may
    /// contain INIT or COOKIE ECHO, which need their CRC32c. From then on the peer's announcement
    /// decides (RFC 9653 §5.2), as long as the peer surely knows the association: a peer that lost
    /// its state answers as out of the blue (RFC 9260 §8.4), and only to packets it can verify.
    pub(in crate::assoc) fn sealing(&self, endpoint: Checksum) -> Checksum {
        let is_known = self.paths.errors() == 0
            && !matches!(self.phase, Phase::ShutdownSent | Phase::ShutdownAckSent);
        if is_known && self.extensions.handshake.is_none() && self.agreed.intersects(ZERO) {
            Checksum::Offloaded
        } else {
            endpoint
        }
    }

    /// Whether we announced that packets with a zero checksum are accepted (RFC 9653 §5.3).
    pub(crate) const fn takes_zero_checksum(&self) -> bool {
        self.announced.intersects(ZERO)
    }
}
