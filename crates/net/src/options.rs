//! The types of the fields of [`Options`](crate::Options) and of
//! [`EndpointOptions`].

pub use sheave_engine::{
    AcknowledgementPolicy, AddressChanges, Admission, Authentication, AuthenticationOptions,
    BufferSizes, BufferSplitting, Bundling, ChunkChecksum, Coalescing, ConcurrentTransfer,
    CongestionAlgorithm, Coupling, DecreaseTrigger, DeliverySacks, EarlyData, EndpointOptions,
    ExplicitCongestion, Failover, FastRecoveryAtTimeout, FastRetransmissions, FirstHeartbeat,
    FollowAddresses, Heartbeats, Interleaving, KeyMethods, KeyRoles, LearnedAddresses,
    LossDetection, LossRecovery, MessageParts, MtuProbes, Multipath, OptionDeclaration,
    OptionGroup, OptionUnit, Pacing, PacketDropReports, PartialReliability, PathMtuDiscovery,
    PathScheduler, PathTuning, PeerRequests, ProtectedRestart, Protection, Reconfiguration,
    RestartPorts, RetransmissionPath, RtoGains, SackStart, SelectiveAcks, Shard, SourceShare,
    SpuriousTimeouts, UNLIMITED, WindowRules, ZeroChecksum, nearest_name,
};
