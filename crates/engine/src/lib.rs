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
mod address_changes;
mod assoc;
mod authentication;
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
mod interleaving;
mod marks;
mod memory;
mod message;
mod multipath;
mod node;
mod on_demand;
mod options;
mod out_of_the_blue;
mod outbound;
mod pacing;
mod packet_drop_reports;
mod partial;
mod path;
mod path_mtu_discovery;
mod paths;
mod peer_parameters;
mod per_stream;
mod phase;
mod pool;
pub mod quantity;
mod reconfiguration;
mod replies;
mod restart_ports;
mod rng;
mod rto;
mod scheduler;
mod scope;
mod selective_acks;
mod shard;
mod standing_queue;
mod stats;
mod tag_rules;
mod time;
mod timers;
mod zero_checksum;

pub use acknowledgement::{
    AckTiming, Acknowledge, AcknowledgementPolicy, ArrivalOrder, CloneAcknowledge,
    CustomAcknowledgement, DataArrival,
};
pub use address::{Ecn, PeerAddress};
pub use address_changes::{AddressChange, AddressChangeError, AddressChanges};
pub use authentication::{
    Authentication, AuthenticationChange, AuthenticationOptions, ChunkSet, HmacAlgorithm, KeyError,
    KeyId, SharedKey, Unauthenticated,
};
pub use buffer_sizes::BufferSizes;
pub use checksum::{Checksum, Integrity, Unsealed};
pub use congestion::{
    Ack, Bbr, CloneControl, CongestionControl, CongestionSignals, Coupled, Cubic, Cumulative,
    CustomCongestion, Dctcp, EarlyDecrease, EcnDiscrimination, HighSpeed, Loss, NewPath, NewReno,
    Rate, Recovery, Siblings,
};
pub use delivery_rate::{Excess, Flown, Limit, RateSample};
pub use endpoint::{Assoc, AssocId, Connect, Endpoint, ErrorWarning, Icmp, IcmpError, Inspection};
pub use error::{
    ConnectError, ListenError, OptionError, PathError, SendError, ShutdownError, StreamError,
};
pub use event::{CloseReason, Event, PathChange, SendFailure};
pub use handover::{ExportError, ImportError, Obstacle};
pub use interleaving::Interleaving;
pub use message::{Acknowledgement, Delivery, Message, Part, Received, SendOptions};
pub use multipath::{
    BufferSplitting, ConcurrentTransfer, Coupling, Multipath, PathScheduler, RetransmissionPath,
};
pub use node::{Datagram, Fragmentation, Node, Transmit};
pub use options::{
    Bundling, ChunkChecksum, Coalescing, CongestionAlgorithm, CustomPolicies, DecreaseTrigger,
    DeliverySacks, EndpointOptions, ExplicitCongestion, FastRetransmissions, Heartbeats,
    LossDetection, LossRecovery, OptionDeclaration, OptionGroup, OptionUnit, Options, Profile,
    RtoGains, SourceShare, WindowRules,
};
pub use pacing::Pacing;
pub use packet_drop_reports::PacketDropReports;
pub use partial::{Abandonments, PartialReliability, Policy, Reliability};
pub use path_mtu_discovery::PathMtuDiscovery;
pub use reconfiguration::{
    PeerRequests, Reconfiguration, ReconfigurationError, ReconfigurationFailure, StreamDirection,
};
pub use restart_ports::RestartPorts;
pub use scheduler::{CloneSchedule, CustomScheduler, HasMore, Schedule, StreamScheduler};
pub use selective_acks::SelectiveAcks;
pub use shard::Shard;
pub use sheave_wire as wire;
pub use stats::{AssocStats, EndpointStats, PathState, PathStats, Phase};
pub use time::Time;
pub use zero_checksum::ZeroChecksum;
