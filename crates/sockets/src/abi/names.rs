//! Names for the numbers of an operating system.

use sheave_engine::Extension;

use crate::settings::EventType;
use crate::timestamps::TimestampForm;

/// An option of level `IPPROTO_SCTP` (RFC 6458 §8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionName {
    RtoInfo,
    AssocInfo,
    InitMsg,
    NoDelay,
    AutoClose,
    SetPeerPrimaryAddr,
    PrimaryAddr,
    AdaptationLayer,
    DisableFragments,
    PeerAddrParams,
    DefaultSendParam,
    Events,
    MappedV4,
    MaxSeg,
    Status,
    PeerAddrInfo,
    DelayedSack,
    Context,
    FragmentInterleave,
    ExplicitEor,
    PartialDeliveryPoint,
    MaxBurst,
    AuthChunk,
    HmacIdent,
    AuthKey,
    AuthActiveKey,
    AuthDeleteKey,
    PeerAuthChunks,
    LocalAuthChunks,
    AssocNumber,
    AssocIdList,
    AutoAsconf,
    PeerAddrThresholds,
    PeerAddrThresholdsV2,
    RecvRcvInfo,
    RecvNxtInfo,
    DefaultSndInfo,
    AuthDeactivateKey,
    ReusePort,
    BindxAdd,
    BindxRemove,
    PeelOff,
    PeelOffFlags,
    ConnectxOld,
    Connectx,
    Connectx3,
    PeerAddrs,
    LocalAddrs,
    AssocStats,
    PrSupported,
    DefaultPrInfo,
    PrAssocStatus,
    PrStreamStatus,
    ReconfigSupported,
    NrSackSupported,
    PacketDropSupported,
    EnableStreamReset,
    ResetStreams,
    ResetAssoc,
    AddStreams,
    StreamScheduler,
    StreamSchedulerValue,
    InterleavingSupported,
    Event,
    AsconfSupported,
    AuthSupported,
    EcnSupported,
    ExposePotentiallyFailed,
    RemoteUdpEncapsPort,
    ProbeInterval,
}

/// An option of level `SOL_SOCKET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketOption {
    /// An option that is kept and given back, and means nothing here.
    Kept,
    /// A place to peek at, which sockets of SCTP have not.
    PeekOffset,
    Timestamp(TimestampForm),
    ReuseAddr,
    Type,
    Error,
    SendBuffer,
    ReceiveBuffer,
    SendBufferForce,
    ReceiveBufferForce,
    Linger,
    ReceiveTimeout,
    SendTimeout,
    AcceptConn,
    Protocol,
    Domain,
}

/// The type of a piece of ancillary data (RFC 6458 §5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlType {
    Init,
    SndRcv,
    SndInfo,
    RcvInfo,
    NxtInfo,
    PrInfo,
    AuthInfo,
    DestinationV4,
    DestinationV6,
}

/// The levels of socket options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Levels {
    pub(crate) socket: i32,
    pub(crate) ip: i32,
    pub(crate) ipv6: i32,
    pub(crate) sctp: i32,
}

/// The flags of `sendmsg` and `recvmsg`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageFlags {
    pub(crate) peek: i32,
    pub(crate) dont_wait: i32,
    pub(crate) end_of_record: i32,
    pub(crate) control_truncated: i32,
    pub(crate) notification: i32,
    /// Asks for errors instead of messages (`MSG_ERRQUEUE`); 0 where there is no such flag.
    pub(crate) error_queue: i32,
}

/// The flags in `sinfo_flags` and `snd_flags` (RFC 6458 §5.3.2, §5.3.4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendFlags {
    pub(crate) unordered: u16,
    pub(crate) address_override: u16,
    pub(crate) abort: u16,
    pub(crate) sack_immediately: u16,
    pub(crate) send_all: u16,
    pub(crate) end: u16,
    /// `SCTP_EOR` (RFC 6458 §8.1.26): the message ends with these bytes; 0 where there is no such flag.
    pub(crate) end_of_record: u16,
    /// The next message is there to its end (RFC 6458 §5.3.6); 0 where nothing says so.
    pub(crate) complete: u16,
    /// `SCTP_NOTIFICATION` (RFC 6458 §5.3.6): the next thing to read is a notification.
    pub(crate) notification: u16,
    pub(crate) policies: u16,
    pub(crate) timed: u16,
    pub(crate) retransmissions: u16,
    pub(crate) priority: u16,
}

/// An operating system, where rules differ and not only numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    FreeBsd,
}

/// The numbers in notifications (RFC 6458 §6).
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotificationNumbers {
    pub(crate) types: &'static [(u16, EventType)],
    /// The first of the states of associations, changes of paths and flags of failed messages.
    pub(crate) first: u64,
    pub(crate) new_key: u32,
    pub(crate) free_key: u32,
    pub(crate) no_authentication: u32,
    pub(crate) causes: CauseOrder,
    /// The numbers in `sac_info` of an association that is up (RFC 6458 §6.1.1), and the extension
    /// that each stands for; several buffers for parts of messages are none, and are there always.
    pub(crate) supports: &'static [(Option<Extension>, u8)],
}

/// The order of the bytes of an error cause in a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CauseOrder {
    AsInPackets,
    OfTheMachine,
}
