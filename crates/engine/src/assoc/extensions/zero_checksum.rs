mod handlers;

use crate::extensions::ExtensionSet;

/// Whether packets go without a CRC32c where the peer takes them so, since something else finds
/// damage (RFC 9653).
///
/// Both ends must have chosen the same. INIT, INIT ACK and COOKIE ECHO have their CRC32c all the
/// same, and so has whatever belongs to no association, or may to the peer: what is sent while the
/// association closes, and while the peer does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ZeroChecksum {
    /// Every packet has one (RFC 9260 §6.8).
    #[default]
    Off,
    /// The packets travel in DTLS records, which are authenticated (error detection method 1,
    /// RFC 9653 §6; RFC 8261). The carrier must see to it.
    Dtls,
    /// The packets never leave the memory of this machine, or a network card checks them (error
    /// detection method 0xFFFF9E03, which is not registered: for measurements between endpoints of
    /// ours).
    Memory,
}

impl ZeroChecksum {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Off => ExtensionSet::NONE,
            Self::Dtls => ExtensionSet::ZERO_CHECKSUM_DTLS,
            Self::Memory => ExtensionSet::ZERO_CHECKSUM_MEMORY,
        }
    }
}
