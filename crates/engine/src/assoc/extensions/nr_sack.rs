mod handlers;

use crate::extensions::ExtensionSet;

/// Whether a receiver may drop what it has acknowledged beyond a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SelectiveAcks {
    /// The receiver may drop acknowledged data when memory runs short, and so the sender keeps all
    /// of it (RFC 9260 §6.2).
    #[default]
    Renegable,
    /// The receiver says that it drops nothing, if the peer does, too: NR-SACK in place of SACK
    /// (draft-natarajan-tsvwg-sctp-nrsack). The sender frees what is acknowledged so, and has room
    /// for new messages while a loss is being repaired. The receiver keeps an eighth of its buffer
    /// for what comes in order, and drops nothing. Without effect where both ends have
    /// [`LossRecovery::GoBackN`](crate::LossRecovery::GoBackN).
    NonRenegable,
}

impl SelectiveAcks {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Renegable => ExtensionSet::NONE,
            Self::NonRenegable => ExtensionSet::NR_SACK,
        }
    }
}
