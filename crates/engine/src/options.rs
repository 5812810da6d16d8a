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
    AddressChanges, Authentication, ChunkChecksum, EarlyData, ExplicitCongestion, LossRecovery,
    Marking, PartialReliability, Protection, Reconfiguration,
};

impl Options {
    /// The extensions offered to the peer.
    pub(crate) fn extensions(&self) -> ExtensionSet {
        let loss_recovery = match self.loss_recovery {
            LossRecovery::Selective => ExtensionSet::NONE,
            LossRecovery::GoBackN => ExtensionSet::GO_BACK_N,
        };
        let chunk_checksum = match self.chunk_checksum {
            ChunkChecksum::Off => ExtensionSet::NONE,
            ChunkChecksum::On => ExtensionSet::CHUNK_CHECKSUM,
        };
        let early_data = match self.early_data {
            EarlyData::Off | EarlyData::WithCookie => ExtensionSet::NONE,
            EarlyData::FirstWindow => ExtensionSet::EARLY_WINDOW,
        };
        let ecn = match self.ecn {
            ExplicitCongestion::Off => ExtensionSet::NONE,
            ExplicitCongestion::On => ExtensionSet::ECN,
        };
        let zero_checksum = self.zero_checksum.extension();
        let reconfiguration = match self.reconfiguration {
            Reconfiguration::Off => ExtensionSet::NONE,
            Reconfiguration::On(_) => ExtensionSet::RECONFIGURATION,
        };
        let authentication = match self.authentication {
            Authentication::Off => ExtensionSet::NONE,
            Authentication::On(_) => ExtensionSet::AUTHENTICATION,
        };
        let address_changes = match self.address_changes {
            AddressChanges::Off => ExtensionSet::NONE,
            AddressChanges::On | AddressChanges::Unauthenticated => ExtensionSet::ADDRESS_CHANGES,
        };
        let partial_reliability = match self.partial_reliability {
            PartialReliability::Off => ExtensionSet::NONE,
            PartialReliability::On => ExtensionSet::PARTIAL_RELIABILITY,
        };
        loss_recovery
            .union(address_changes)
            .union(authentication)
            .union(chunk_checksum)
            .union(early_data)
            .union(ecn)
            .union(zero_checksum)
            .union(self.packet_drop_reports.extension())
            .union(reconfiguration)
            .union(partial_reliability)
            .union(self.interleaving.extension())
            .union(self.selective_acks.extension())
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
