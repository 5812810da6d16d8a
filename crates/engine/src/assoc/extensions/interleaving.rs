mod handlers;

use crate::extensions::ExtensionSet;

/// Whether fragments of messages on different streams may alternate, so that a large message does
/// not hold up the others (RFC 8260).
///
/// Both ends must have chosen it; then user data travels in I-DATA, and the
/// [scheduler](crate::StreamScheduler) chooses a stream for each chunk instead of each message. One
/// that fills the receiver's buffer is handed over in parts, and so may be several at once, one of
/// each stream. Cannot be combined with [`ChunkChecksum::On`](crate::ChunkChecksum), which has a
/// chunk format of its own. Towards Linux leave it off: its fragments are numbered otherwise than
/// RFC 8260 §2.1 says (seen with 6.1), so that only messages of one chunk pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Interleaving {
    /// Fragments may not alternate: a message that was begun is sent to its end (RFC 9260 §6.9).
    #[default]
    Off,
    /// Fragments may alternate, if the peer agrees.
    On,
}

impl Interleaving {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Off => ExtensionSet::NONE,
            Self::On => ExtensionSet::INTERLEAVING.union(ExtensionSet::I_FORWARD_TSN),
        }
    }
}
