mod handlers;

pub(in crate::assoc) use self::handlers::DropReports;
use crate::extensions::ExtensionSet;

/// Whether each end tells the other of packets that arrive with a wrong checksum
/// (draft-stewart-sctp-pktdrprep, which the SCTP of the BSDs has).
///
/// The sender then repeats what was in them at once, and leaves its windows as they are: the packet
/// was damaged, not dropped by a full queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PacketDropReports {
    /// Neither tells.
    #[default]
    Off,
    /// Both do, if the peer has it, too.
    On,
}

impl PacketDropReports {
    pub(crate) const fn extension(self) -> ExtensionSet {
        match self {
            Self::Off => ExtensionSet::NONE,
            Self::On => ExtensionSet::PACKET_DROP_REPORTS,
        }
    }
}
