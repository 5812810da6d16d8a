//! SCTP as a sans-I/O engine (RFC 9260).
//!
//! One [`Endpoint`] owns its associations and is driven by the four calls of [`Node`], in any
//! order; extra calls are harmless. It has no clock, thread, lock or socket: its driver (real
//! sockets, a simulator, a test) passes in the time and packets, and takes out packets and events.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod acknowledgement;
mod assoc;
mod buffer_sizes;
mod checksum;
mod collision;
mod congestion;
mod contents;
mod cookie;
mod delivery_rate;
mod endpoint;
mod flight;
mod group;
pub mod handover;
mod inbound;
mod memory;
mod node;
mod offer;
mod on_demand;
mod options;
mod out_of_the_blue;
mod outbound;
mod pacing;
mod path;
mod paths;
mod peer_parameters;
mod per_stream;
mod phase;
mod pool;
pub mod quantity;
mod replies;
mod rng;
mod rto;
mod scheduler;
mod scope;
mod shard;
mod standing_queue;
mod tag_rules;
mod timers;
mod value;

/// Hash of this crate's sources, 16 hexadecimal digits.
pub const SOURCE_HASH: &str = env!("SHEAVE_SOURCE_HASH");

pub use acknowledgement::{
    AckTiming, Acknowledge, AcknowledgementPolicy, ArrivalOrder, CloneAcknowledge,
    CustomAcknowledgement, DataArrival,
};
pub use assoc::extensions::protection::OVERHEAD as PROTECTION_OVERHEAD;
pub use buffer_sizes::BufferSizes;
pub use checksum::{Checksum, Integrity, Unsealed};
pub use congestion::{
    Ack, Bbr, CloneControl, CongestionAlgorithm, CongestionControl, CongestionSignals, Coupled,
    Cubic, Cumulative, CustomCongestion, Dctcp, DecreaseTrigger, EarlyDecrease, EcnDiscrimination,
    Excess, Flown, HighSpeed, Limit, Loss, NewPath, NewReno, Rate, RateSample, Recovery, Siblings,
    WindowRules,
};
pub use endpoint::{Assoc, Connect, Endpoint, ErrorWarning, Inits, Inspection, Shielded};
pub use handover::{ExportError, ImportError, Obstacle};
pub use node::{Datagram, Fragmentation, Icmp, IcmpError, Marking, Node, Transmit};
pub use options::{
    CustomPolicies, EndpointOptions, OptionDeclaration, OptionGroup, OptionUnit, Options, Profile,
    edit_distance, nearest_name,
};
pub use path::{MtuProbes, PathTuning};
pub use scheduler::{CloneSchedule, CustomScheduler, HasMore, Schedule, StreamScheduler};
pub use scope::WithLoopback;
pub use shard::Shard;
pub use sheave_wire as wire;
pub use value::address::{Ecn, PeerAddress};
pub use value::address_changes::{
    AddressChange, AddressChangeError, AddressChanges, FollowAddresses, LearnedAddresses,
};
pub use value::authentication::{
    Authentication, AuthenticationChange, AuthenticationOptions, ChunkSet, HmacAlgorithm, KeyError,
    KeyId, SharedKey, Unauthenticated,
};
pub use value::choice::{
    Admission, Bundling, ChunkChecksum, Coalescing, DeliverySacks, EarlyData, ExplicitCongestion,
    FirstHeartbeat, Heartbeats, Interleaving, MessageParts, Pacing, PacketDropReports,
    PathMtuDiscovery, RestartPorts, RtoGains, SackStart, SelectiveAcks, SourceShare, UNLIMITED,
    ZeroChecksum,
};
pub use value::error::{
    ConnectError, ListenError, OptionError, PathError, SendError, ShutdownError, StreamError,
};
pub use value::event::{CloseReason, Event, PathChange, SendFailure};
pub use value::extension::Extension;
pub use value::ids::AssocId;
pub use value::losses::{
    Failover, FastRecoveryAtTimeout, FastRetransmissions, LossDetection, LossRecovery,
    SpuriousTimeouts,
};
pub use value::message::{
    Acknowledgement, Delivery, Message, Origin, Part, Received, Redundancy, SendOptions,
};
pub use value::multipath::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, PathScheduler, RetransmissionPath,
};
pub use value::protection::{
    CipherLimits, Forged, KeyAgreement, KeyContext, KeyMethods, KeyRole, KeyRoles, KeyStats,
    ProtectedRestart, Protection, ProtectionChange, ProtectionError, ProtectionStats, RecordCipher,
    TAG_LEN,
};
pub use value::reconfiguration::{
    PeerRequests, Reconfiguration, ReconfigurationError, ReconfigurationFailure, StreamDirection,
};
pub use value::reliability::{Abandonments, PartialReliability, Policy, Reliability};
pub use value::routes::Routes;
pub use value::stats::{AssocStats, EndpointStats, PathState, PathStats, Phase, Traffic};
pub use value::time::Time;
