//! SCTP as a sans-I/O engine (RFC 9260).
//!
//! One [`Endpoint`] owns its associations and is driven by the four calls of [`Node`], in any
//! order; extra calls are harmless. It has no clock, thread, lock or socket: whoever carries its
//! packets (real sockets, a simulator, a test) passes the time in and takes packets and events out.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod acknowledgement;
mod address;
mod assoc;
mod buffer_sizes;
mod checksum;
mod collision;
mod congestion;
mod contents;
mod cookie;
mod delivery_rate;
mod endpoint;
mod error;
mod event;
mod extensions;
mod group;
pub mod handover;
mod inbound;
mod marking;
mod memory;
mod message;
mod node;
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
mod routes;
mod rto;
mod scheduler;
mod scope;
mod shard;
mod standing_queue;
mod stats;
mod tag_rules;
mod time;
mod timers;

pub use acknowledgement::{
    AckTiming, Acknowledge, AcknowledgementPolicy, ArrivalOrder, CloneAcknowledge,
    CustomAcknowledgement, DataArrival,
};
pub use address::{Ecn, PeerAddress};
pub use assoc::extensions::address_changes::{AddressChange, AddressChangeError, AddressChanges};
pub use assoc::extensions::authentication::{
    Authentication, AuthenticationChange, AuthenticationOptions, ChunkSet, HmacAlgorithm, KeyError,
    KeyId, SharedKey, Unauthenticated,
};
pub use assoc::extensions::chunk_checksum::ChunkChecksum;
pub use assoc::extensions::ecn::ExplicitCongestion;
pub use assoc::extensions::interleaving::Interleaving;
pub use assoc::extensions::multipath::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, PathScheduler, RetransmissionPath,
};
pub use assoc::extensions::nr_sack::SelectiveAcks;
pub use assoc::extensions::packet_drop::PacketDropReports;
pub use assoc::extensions::partial::{Abandonments, PartialReliability, Policy, Reliability};
pub use assoc::extensions::path_mtu::PathMtuDiscovery;
pub use assoc::extensions::reconfiguration::{
    PeerRequests, Reconfiguration, ReconfigurationError, ReconfigurationFailure, StreamDirection,
};
pub use assoc::extensions::restart_ports::RestartPorts;
pub use assoc::extensions::zero_checksum::ZeroChecksum;
pub use buffer_sizes::BufferSizes;
pub use checksum::{Checksum, Integrity, Unsealed};
pub use congestion::{
    Ack, Bbr, CloneControl, CongestionControl, CongestionSignals, Coupled, Cubic, Cumulative,
    CustomCongestion, Dctcp, EarlyDecrease, EcnDiscrimination, HighSpeed, Loss, NewPath, NewReno,
    Rate, Recovery, Siblings,
};
pub use delivery_rate::{Excess, Flown, Limit, RateSample};
pub use endpoint::{
    Assoc, AssocId, Connect, Endpoint, ErrorWarning, Icmp, IcmpError, Inits, Inspection,
};
pub use error::{
    ConnectError, ListenError, OptionError, PathError, SendError, ShutdownError, StreamError,
};
pub use event::{CloseReason, Event, PathChange, SendFailure};
pub use extensions::Extension;
pub use handover::{ExportError, ImportError, Obstacle};
pub use marking::Marking;
pub use message::{Acknowledgement, Delivery, Message, Origin, Part, Received, SendOptions};
pub use node::{Datagram, Fragmentation, Node, Transmit};
pub use options::{
    Admission, Bundling, Coalescing, CongestionAlgorithm, CustomPolicies, DecreaseTrigger,
    DeliverySacks, EarlyData, EndpointOptions, FastRecoveryAtTimeout, FastRetransmissions,
    FirstHeartbeat, Heartbeats, LossDetection, LossRecovery, MessageParts, OptionDeclaration,
    OptionGroup, OptionUnit, Options, Profile, RtoGains, SackStart, SourceShare, SpuriousTimeouts,
    UNLIMITED, WindowRules, edit_distance, nearest_name,
};
pub use pacing::Pacing;
pub use path::{MtuProbes, PathTuning};
pub use routes::Routes;
pub use scheduler::{CloneSchedule, CustomScheduler, HasMore, Schedule, StreamScheduler};
pub use shard::Shard;
pub use sheave_wire as wire;
pub use stats::{AssocStats, EndpointStats, PathState, PathStats, Phase};
pub use time::Time;
