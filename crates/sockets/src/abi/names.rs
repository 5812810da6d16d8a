//! Symbolic names of system-specific numbers.

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
    DtlsLocalConfig,
    DtlsConfig,
    DtlsLocalParameter,
    DtlsPeerParameter,
    DtlsSendKeys,
    DtlsAddReceiveKeys,
    DtlsDeleteReceiveKeys,
    DtlsEnforce,
    DtlsReplayWindow,
    DtlsStats,
}

/// An option of level `SOL_SOCKET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketOption {
    /// An option that is stored and returned, without effect.
    Kept,
    /// `SO_PEEK_OFF`, which SCTP sockets do not support.
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

/// A type of ancillary data (RFC 6458 §5.3).
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

/// Levels of socket options.
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
    /// The message came in protected packets alone (`MSG_PROTECTED`); 0 if the system has no such flag.
    pub(crate) protected: i32,
    /// Reads the error queue (`MSG_ERRQUEUE`); 0 if the system has no such flag.
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
    /// `SCTP_EOR` (RFC 6458 §8.1.26): these bytes end the message; 0 if the system has no such
    /// flag.
    pub(crate) end_of_record: u16,
    /// The next message is complete (RFC 6458 §5.3.6); 0 if the system has no such flag.
    pub(crate) complete: u16,
    /// `SCTP_NOTIFICATION` (RFC 6458 §5.3.6): the next item is a notification.
    pub(crate) notification: u16,
    pub(crate) policies: u16,
    pub(crate) timed: u16,
    pub(crate) retransmissions: u16,
    pub(crate) priority: u16,
}

/// The operating system whose rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Linux,
    FreeBsd,
}

impl System {
    /// The value of this system.
    pub(crate) const fn pick<T: Copy>(self, linux: T, free_bsd: T) -> T {
        match self {
            Self::Linux => linux,
            Self::FreeBsd => free_bsd,
        }
    }
}

/// Numbers in notifications (RFC 6458 §6).
#[derive(Clone, Copy, Debug)]
pub(crate) struct NotificationNumbers {
    pub(crate) types: &'static [(u16, EventType)],
    /// The first number of association states, path changes and failure flags.
    pub(crate) first: u64,
    pub(crate) new_key: u32,
    pub(crate) free_key: u32,
    pub(crate) no_authentication: u32,
    pub(crate) causes: CauseOrder,
    /// Numbers in `sac_info` of an established association (RFC 6458 §6.1.1) and their extensions;
    /// `None` for the multi-buffer feature, which is always present.
    pub(crate) supports: &'static [(Option<Extension>, u8)],
}

/// Byte order of error causes in notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CauseOrder {
    AsInPackets,
    OfTheMachine,
}
