mod custom;
mod declaration;
mod declare;
mod endpoint;
mod form;
mod nearest;
mod parts;
mod profile;
mod table;
mod text;

pub use self::custom::CustomPolicies;
pub use self::declaration::{OptionDeclaration, OptionGroup};
pub use self::endpoint::EndpointOptions;
pub use self::form::OptionUnit;
pub use self::nearest::{edit_distance, nearest_name};
pub use self::profile::Profile;
pub use self::table::Options;
use crate::value::extension::ExtensionSet;
use crate::{
    AddressChanges, Authentication, ChunkChecksum, EarlyData, ExplicitCongestion, Interleaving,
    LossRecovery, Marking, PacketDropReports, PartialReliability, Protection, Reconfiguration,
    SelectiveAcks, ZeroChecksum,
};

impl Options {
    /// The extensions offered to the peer.
    pub(crate) fn extensions(&self) -> ExtensionSet {
        use ExtensionSet as E;
        let rows = [
            (E::GO_BACK_N, self.loss_recovery == LossRecovery::GoBackN),
            (E::CHUNK_CHECKSUM, self.chunk_checksum == ChunkChecksum::On),
            (E::EARLY_WINDOW, self.early_data == EarlyData::FirstWindow),
            (E::ECN, self.ecn == ExplicitCongestion::On),
            (
                E::ZERO_CHECKSUM_DTLS,
                self.zero_checksum == ZeroChecksum::Dtls,
            ),
            (
                E::ZERO_CHECKSUM_MEMORY,
                self.zero_checksum == ZeroChecksum::Memory,
            ),
            (
                E::RECONFIGURATION,
                self.reconfiguration != Reconfiguration::Off,
            ),
            (
                E::AUTHENTICATION,
                self.authentication != Authentication::Off,
            ),
            (
                E::ADDRESS_CHANGES,
                self.address_changes != AddressChanges::Off,
            ),
            (
                E::PARTIAL_RELIABILITY,
                self.partial_reliability == PartialReliability::On,
            ),
            (
                E::PACKET_DROP_REPORTS,
                self.packet_drop_reports == PacketDropReports::On,
            ),
            (E::INTERLEAVING, self.interleaving == Interleaving::On),
            (E::I_FORWARD_TSN, self.interleaving == Interleaving::On),
            (
                E::NR_SACK,
                self.selective_acks == SelectiveAcks::NonRenegable,
            ),
        ];
        let offered = rows.into_iter().filter(|(_, is_on)| *is_on);
        offered.fold(E::NONE, |all, (extension, _)| all.union(extension))
    }

    /// The extensions in use with a peer that offers `theirs`.
    pub(crate) fn agreed(&self, theirs: ExtensionSet) -> ExtensionSet {
        let both = self.extensions().intersection(theirs);
        let authenticated = both.contains(ExtensionSet::AUTHENTICATION);
        let protected = self.protection == Protection::Strict;
        if self.address_changes == AddressChanges::On && !authenticated && !protected {
            // RFC 5061 §4.2.7: who lists ASCONF lists AUTH.
            return both.without(ExtensionSet::ADDRESS_CHANGES);
        }
        both
    }

    /// The IP markings of packets on paths without overrides.
    pub(crate) fn marking(&self) -> Marking {
        Marking {
            dscp: self.dscp,
            flow_label: self.flow_label,
        }
    }
}
