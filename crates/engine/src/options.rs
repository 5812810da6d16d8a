mod congestion;
mod custom;
mod declaration;
mod declare;
mod endpoint;
mod form;
mod losses;
mod nearest;
mod parts;
mod profile;
mod table;
mod text;

use core::time::Duration;

pub use self::congestion::{CongestionAlgorithm, DecreaseTrigger, WindowRules};
pub use self::custom::CustomPolicies;
pub use self::declaration::{OptionDeclaration, OptionGroup};
pub use self::endpoint::{EndpointOptions, SourceShare};
pub use self::form::OptionUnit;
pub use self::losses::{
    FastRecoveryAtTimeout, FastRetransmissions, LossDetection, LossRecovery, SpuriousTimeouts,
};
pub use self::nearest::{edit_distance, nearest_name};
pub use self::profile::Profile;
pub use self::table::Options;
use crate::extensions::ExtensionSet;
use crate::{
    AddressChanges, Authentication, ChunkChecksum, ExplicitCongestion, PartialReliability,
    Reconfiguration,
};

/// The number of attempts that never ends, for options that count attempts: `unlimited` as text.
pub const UNLIMITED: u32 = u32::MAX;

/// When small messages wait for company (RFC 9260 §6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Coalescing {
    /// A message is sent as soon as the windows allow it.
    #[default]
    NoDelay,
    /// Nagle's rule: less than a full packet waits while data is outstanding.
    Nagle,
}

/// Whether a chunk that fills a packet shares one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Bundling {
    /// A packet is filled up with whatever comes next, if need be with a part of a large message
    /// (RFC 9260 §6.10).
    #[default]
    Always,
    /// The next fragment of a message that fills packets leaves in a packet of its own; only
    /// smaller chunks are bundled ("full packets" of the data centre papers).
    SpareFullChunks,
}

/// Whether user data leaves before the association is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EarlyData {
    /// No user data: COOKIE ECHO leaves without DATA.
    #[default]
    Off,
    /// Data handed over before the peer's INIT ACK came fills up the packet with the COOKIE ECHO (RFC
    /// 9260 §5.1 D), no other. If that is not answered the COOKIE ECHO leaves again alone, and the data
    /// once the association is up: the path may carry no packet of that length. Not where the peer
    /// wants chunks authenticated, nor with concurrent multipath transfer.
    WithCookie,
    /// A first congestion window of data, in packets that all begin with the COOKIE ECHO, so that any of
    /// them sets the association up: what TCP sends with its first ACK. RFC 9260 §5.1
    /// allows one packet before COOKIE ACK; more, up to twelve, leave where the peer's INIT ACK says
    /// that it takes them, by a parameter of the private type 0x9E04. Other peers get
    /// [`WithCookie`](Self::WithCookie). Each packet has less room by the cookie, some 100 bytes of
    /// ours.
    FirstWindow,
}

/// Acknowledgement of the first packets of an association, and of those after a gap or a SACK that
/// waited in vain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SackStart {
    /// Acknowledged like any others, but for the very first packet, which is acknowledged at once.
    #[default]
    Delayed,
    /// Each of 16 is acknowledged at once, so that a small window grows without waiting for the SACK
    /// of an odd packet.
    Quick,
}

/// Whether other messages may come between the parts of one that is handed over in parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MessageParts {
    /// Messages of other streams may: each part names its stream.
    #[default]
    Mixed,
    /// None may, for programs that know messages by their ends alone: levels 0 and 1 of
    /// `SCTP_FRAGMENT_INTERLEAVE` (RFC 6458 §8.1.20). Interleaved data (RFC 8260) comes mixed all the
    /// same.
    Together,
}

/// Whether a message has to fit what is free of the send buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Admission {
    /// A message enters that fits; one that is larger than the buffer, once half of it is free.
    #[default]
    WhenItFits,
    /// Any message enters while the buffer is not full, as with Linux's sockets: whoever finds room
    /// for one byte may send as much as a message can have.
    WhileNotFull,
}

/// Whether reading, as well as arrival, causes SACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DeliverySacks {
    /// Only where reading has opened a narrow window by a quarter of the buffer: one SACK for one
    /// trigger.
    #[default]
    WhenWindowOpens,
    /// Whenever a message was read: the stacks that the data centre papers began with.
    Always,
}

/// Whether the constants of the retransmission timeout adapt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RtoGains {
    /// RTO.Alpha and RTO.Beta are as configured (RFC 9260 §6.3.1).
    #[default]
    Fixed,
    /// Both gains double with each round trip that differs from SRTT by more than twice RTTVAR,
    /// up to fourfold, and halve with each that differs by less than half of RTTVAR, down to half
    /// of the configured ones. Ours; the paper "multihoming failure avoidance" asks for such a
    /// thing without saying how.
    Adaptive,
}

/// Whether idle paths are probed (RFC 9260 §8.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heartbeats {
    /// Each idle path is probed every HB.interval plus RTO, with jitter of half an RTO each way.
    Every(Duration),
    /// Only unconfirmed addresses are probed.
    Off,
}

impl Heartbeats {
    /// Whether the heartbeat of an idle end reaches its peer before the peer's dead-peer time is over,
    /// with a quarter of that time left for repetitions. Without heartbeats nothing is promised.
    #[must_use]
    pub fn come_within(self, dead_peer_timeout: Duration) -> bool {
        match self {
            Self::Every(interval) => interval <= dead_peer_timeout / 4 * 3,
            Self::Off => true,
        }
    }
}

/// The beginning of the periods after each of which a path is probed if it was not used in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FirstHeartbeat {
    /// When the association is up, or the path was last probed for another reason: the first
    /// heartbeat leaves HB.interval plus RTO after that, if the path is idle from then on.
    #[default]
    AfterInterval,
    /// At a random moment of the HB.interval that follows, so that many associations that are set up,
    /// or come back, at once do not beat together. The first heartbeat of an idle path leaves up to
    /// one HB.interval later; the following ones keep their distance.
    AtRandom,
}

impl Options {
    /// The extensions that are offered to the peer.
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

    /// The extensions to use with a peer that has `theirs`.
    pub(crate) fn agreed(&self, theirs: ExtensionSet) -> ExtensionSet {
        let both = self.extensions().intersection(theirs);
        let authenticated = both.contains(ExtensionSet::AUTHENTICATION);
        if self.address_changes == AddressChanges::On && !authenticated {
            // RFC 5061 §4.2.7: who lists ASCONF lists AUTH.
            return both.without(ExtensionSet::ADDRESS_CHANGES);
        }
        both
    }
}
