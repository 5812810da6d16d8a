//! Linux on a 64-bit machine: `linux/sctp.h`, `asm-generic/socket.h`.

use sheave_engine::StreamScheduler;

use super::layout::layouts;
use super::names::SocketOption as S;
use super::names::{ControlType as C, Levels, MessageFlags, OptionName as O, SendFlags};
use super::{CauseOrder, Families, Layout, NotificationNumbers, Struct, System, Tables};
use crate::settings::EventType as E;
use crate::timestamps::TimestampForm;

pub(super) static TABLES: Tables = Tables {
    name: "Linux",
    system: System::Linux,
    families: Families::Internet(2, 10),
    levels: Levels {
        socket: 1,
        ip: 0,
        ipv6: 41,
        sctp: 132,
    },
    options: OPTIONS,
    socket_options: SOCKET_OPTIONS,
    control_types: &[
        (0, C::Init),
        (1, C::SndRcv),
        (2, C::SndInfo),
        (3, C::RcvInfo),
        (4, C::NxtInfo),
        (5, C::PrInfo),
        (6, C::AuthInfo),
        (7, C::DestinationV4),
        (8, C::DestinationV6),
    ],
    message_flags: MessageFlags {
        peek: 0x02,
        dont_wait: 0x40,
        end_of_record: 0x80,
        control_truncated: 0x08,
        notification: 0x8000,
        protected: 0x1000_0000, // Ours.
        error_queue: 0x2000,
    },
    send_flags: SendFlags {
        unordered: 1,
        address_override: 2,
        abort: 4,
        sack_immediately: 8,
        send_all: 64,
        end: 0x200,
        end_of_record: 0,
        complete: 0,
        notification: 0x8000,
        policies: 0x30,
        timed: 0x10,
        retransmissions: 0x20,
        priority: 0x30,
    },
    notifications: NotificationNumbers {
        types: &[
            (0x8000, E::DataIo),
            (0x8001, E::AssocChange),
            (0x8002, E::PeerAddrChange),
            (0x8003, E::SendFailed),
            (0x8004, E::RemoteError),
            (0x8005, E::Shutdown),
            (0x8006, E::PartialDelivery),
            (0x8007, E::Adaptation),
            (0x8008, E::Authentication),
            (0x8009, E::SenderDry),
            (0x800a, E::StreamReset),
            (0x800b, E::AssocReset),
            (0x800c, E::StreamChange),
            (0x800d, E::SendFailedEvent),
        ],
        first: 0,
        new_key: 0,
        free_key: 1,
        no_authentication: 2,
        causes: CauseOrder::AsInPackets,
        supports: &[],
    },
    schedulers: SCHEDULERS,
    layouts: layout,
};

static SCHEDULERS: &[(u32, StreamScheduler)] = &[
    (0, StreamScheduler::FirstCome),
    (1, StreamScheduler::Priority),
    (2, StreamScheduler::RoundRobin),
];

static OPTIONS: &[(i32, O)] = &[
    (0, O::RtoInfo),
    (1, O::AssocInfo),
    (2, O::InitMsg),
    (3, O::NoDelay),
    (4, O::AutoClose),
    (5, O::SetPeerPrimaryAddr),
    (6, O::PrimaryAddr),
    (7, O::AdaptationLayer),
    (8, O::DisableFragments),
    (9, O::PeerAddrParams),
    (10, O::DefaultSendParam),
    (11, O::Events),
    (12, O::MappedV4),
    (13, O::MaxSeg),
    (14, O::Status),
    (15, O::PeerAddrInfo),
    (16, O::DelayedSack),
    (17, O::Context),
    (18, O::FragmentInterleave),
    (19, O::PartialDeliveryPoint),
    (20, O::MaxBurst),
    (21, O::AuthChunk),
    (22, O::HmacIdent),
    (23, O::AuthKey),
    (24, O::AuthActiveKey),
    (25, O::AuthDeleteKey),
    (26, O::PeerAuthChunks),
    (27, O::LocalAuthChunks),
    (28, O::AssocNumber),
    (29, O::AssocIdList),
    (30, O::AutoAsconf),
    (31, O::PeerAddrThresholds),
    (32, O::RecvRcvInfo),
    (33, O::RecvNxtInfo),
    (34, O::DefaultSndInfo),
    (35, O::AuthDeactivateKey),
    (36, O::ReusePort),
    (37, O::PeerAddrThresholdsV2),
    (100, O::BindxAdd),
    (101, O::BindxRemove),
    (102, O::PeelOff),
    (107, O::ConnectxOld),
    (108, O::PeerAddrs),
    (109, O::LocalAddrs),
    (110, O::Connectx),
    (111, O::Connectx3),
    (112, O::AssocStats),
    (113, O::PrSupported),
    (114, O::DefaultPrInfo),
    (115, O::PrAssocStatus),
    (116, O::PrStreamStatus),
    (117, O::ReconfigSupported),
    (118, O::EnableStreamReset),
    (119, O::ResetStreams),
    (120, O::ResetAssoc),
    (121, O::AddStreams),
    (122, O::PeelOffFlags),
    (123, O::StreamScheduler),
    (124, O::StreamSchedulerValue),
    (125, O::InterleavingSupported),
    (127, O::Event),
    (128, O::AsconfSupported),
    (129, O::AuthSupported),
    (130, O::EcnSupported),
    (131, O::ExposePotentiallyFailed),
    (132, O::RemoteUdpEncapsPort),
    (133, O::ProbeInterval),
    // draft-ietf-tsvwg-sctp-dtls-chunk-04 §7.7 gives no numbers: these are ours.
    (0x4100, O::DtlsLocalConfig),
    (0x4101, O::DtlsConfig),
    (0x4102, O::DtlsLocalParameter),
    (0x4103, O::DtlsPeerParameter),
    (0x4104, O::DtlsSendKeys),
    (0x4105, O::DtlsAddReceiveKeys),
    (0x4106, O::DtlsDeleteReceiveKeys),
    (0x4107, O::DtlsEnforce),
    (0x4108, O::DtlsReplayWindow),
    (0x4109, O::DtlsStats),
];

pub(super) static SOCKET_OPTIONS: &[(i32, S)] = &[
    (1, S::Kept), // SO_DEBUG
    (2, S::ReuseAddr),
    (3, S::Type),
    (4, S::Error),
    (5, S::Kept), // SO_DONTROUTE
    (6, S::Kept), // SO_BROADCAST
    (7, S::SendBuffer),
    (8, S::ReceiveBuffer),
    (9, S::Kept),  // SO_KEEPALIVE
    (10, S::Kept), // SO_OOBINLINE
    (12, S::Kept), // SO_PRIORITY
    (13, S::Linger),
    (15, S::Kept), // SO_REUSEPORT
    (16, S::Kept), // SO_PASSCRED
    (18, S::Kept), // SO_RCVLOWAT
    (19, S::Kept), // SO_SNDLOWAT
    (20, S::ReceiveTimeout),
    (21, S::SendTimeout),
    (25, S::Kept), // SO_BINDTODEVICE
    (29, S::Timestamp(TimestampForm::MICROS)),
    (30, S::AcceptConn),
    (32, S::SendBufferForce),
    (33, S::ReceiveBufferForce),
    (35, S::Timestamp(TimestampForm::NANOS)),
    (36, S::Kept), // SO_MARK
    (37, S::Kept), // SO_TIMESTAMPING
    (38, S::Protocol),
    (39, S::Domain),
    (40, S::Kept), // SO_RXQ_OVFL
    (42, S::PeekOffset),
    (46, S::Kept), // SO_BUSY_POLL
    (47, S::Kept), // SO_MAX_PACING_RATE
    (49, S::Kept), // SO_INCOMING_CPU
    (60, S::Kept), // SO_ZEROCOPY
    (62, S::Kept), // SO_BINDTOIFINDEX
    (63, S::Timestamp(TimestampForm::NEW_MICROS)),
    (64, S::Timestamp(TimestampForm::NEW_NANOS)),
    (65, S::Kept),           // SO_TIMESTAMPING_NEW
    (66, S::ReceiveTimeout), // SO_RCVTIMEO_NEW
    (67, S::SendTimeout),    // SO_SNDTIMEO_NEW
];

layouts! {
    InitMsg 8 { OutboundStreams 0 2, InboundStreams 2 2, Attempts 4 2, Timeout 6 2 }
    SndRcvInfo 32 {
        Stream 0 2, Ssn 2 2, Flags 4 2, Ppid 8 4, Context 12 4, TimeToLive 16 4, Tsn 20 4,
        CumulativeTsn 24 4, Assoc 28 4,
    }
    SndInfo 16 { Stream 0 2, Flags 2 2, Ppid 4 4, Context 8 4, Assoc 12 4 }
    RcvInfo 28 {
        Stream 0 2, Ssn 2 2, Flags 4 2, Ppid 8 4, Tsn 12 4, CumulativeTsn 16 4, Context 20 4,
        Assoc 24 4,
    }
    NxtInfo 16 { Stream 0 2, Flags 2 2, Ppid 4 4, Length 8 4, Assoc 12 4 }
    PrInfo 8 { Policy 0 2, Value 4 4 }
    AuthInfo 2 { Key 0 2 }
    AuthKey 8 { Assoc 0 4, Key 4 2, Length 6 2 }
    AuthKeyId 8 { Assoc 0 4, Key 4 2 }
    AuthChunks 8 { Assoc 0 4, Count 4 4 }
    RtoInfo 16 { Assoc 0 4, Initial 4 4, Max 8 4, Min 12 4 }
    AssocParams 20 {
        Assoc 0 4, MaxRetrans 4 2, Destinations 6 2, PeerRwnd 8 4, LocalRwnd 12 4, CookieLife 16 4,
    }
    Primary 132 { Assoc 0 4, Address 4 128 }
    PeerAddrParams 156 {
        Assoc 0 4, Address 4 128, Interval 132 4, MaxRetrans 136 2, PathMtu 138 4, SackDelay 142 4,
        Flags 146 4, FlowLabel 150 4, Dscp 154 1,
    }
    SackInfo 12 { Assoc 0 4, SackDelay 4 4, SackFrequency 8 4 }
    AssocValue 8 { Assoc 0 4, Value 4 4 }
    StreamValue 8 { Assoc 0 4, Stream 4 2, Value 6 2 }
    PeerAddrInfo 152 {
        Assoc 0 4, Address 4 128, State 132 4, Cwnd 136 4, Srtt 140 4, Rto 144 4, PathMtu 148 4,
    }
    Status 176 {
        Assoc 0 4, State 4 4, PeerRwnd 8 4, Unacknowledged 12 2, Pending 14 2, InboundStreams 16 2,
        OutboundStreams 18 2, FragmentationPoint 20 4,
    }
    // Linux fills in the last field of the second version in the first version as well.
    PeerAddrThresholds 144 {
        Assoc 0 4, Address 8 128, MaxRetrans 136 2, PotentiallyFailed 138 2, Switchover 140 2,
    }
    PeerAddrThresholdsV2 144 {
        Assoc 0 4, Address 8 128, MaxRetrans 136 2, PotentiallyFailed 138 2, Switchover 140 2,
    }
    PrStatus 24 { Assoc 0 4, Stream 4 2, Policy 6 2, Unsent 8 8, Sent 16 8 }
    DefaultPrInfo 12 { Assoc 0 4, Value 4 4, Policy 8 2 }
    ResetStreams 8 { Assoc 0 4, Flags 4 2, Count 6 2 }
    AddStreams 8 { Assoc 0 4, InboundStreams 4 2, OutboundStreams 6 2 }
    Event 8 { Assoc 0 4, Type 4 2, On 6 1 }
    UdpEncaps 144 { Assoc 0 4, Address 8 128, Port 136 2 }
    ProbeInterval 144 { Assoc 0 4, Address 8 128, Interval 136 4 }
    AssocStats 256 {
        Assoc 0 4, Address 8 128, Rto 136 8, SacksReceived 144 8, SacksSent 152 8,
        PacketsSent 160 8, PacketsReceived 168 8, Retransmissions 176 8, Early 184 8,
        Duplicates 192 8, Gaps 200 8, UnorderedSent 208 8, UnorderedReceived 216 8,
        DataSent 224 8, DataReceived 232 8, ControlSent 240 8, ControlReceived 248 8,
    }
    PlainEvent 8 { Type 0 2, Flags 2 2, Length 4 4 }
    AssocChange 20 {
        Type 0 2, Flags 2 2, Length 4 4, State 8 2, Error 10 2, OutboundStreams 12 2,
        InboundStreams 14 2, Assoc 16 4,
    }
    PeerAddrChange 148 {
        Type 0 2, Flags 2 2, Length 4 4, Address 8 128, State 136 4, Error 140 4, Assoc 144 4,
    }
    RemoteError 16 { Type 0 2, Flags 2 2, Length 4 4, Error 8 2, Assoc 12 4 }
    SendFailed 48 { Type 0 2, Flags 2 2, Length 4 4, Error 8 4, Value 12 32, Assoc 44 4 }
    SendFailedEvent 32 { Type 0 2, Flags 2 2, Length 4 4, Error 8 4, Value 12 16, Assoc 28 4 }
    ShutdownEvent 12 { Type 0 2, Flags 2 2, Length 4 4, Assoc 8 4 }
    AdaptationEvent 16 { Type 0 2, Flags 2 2, Length 4 4, Indication 8 4, Assoc 12 4 }
    PartialDeliveryEvent 24 {
        Type 0 2, Flags 2 2, Length 4 4, Indication 8 4, Assoc 12 4, Stream 16 4, Ssn 20 4,
    }
    AuthKeyEvent 20 {
        Type 0 2, Flags 2 2, Length 4 4, Key 8 2, Indication 12 4, Assoc 16 4,
    }
    SenderDryEvent 12 { Type 0 2, Flags 2 2, Length 4 4, Assoc 8 4 }
    StreamResetEvent 12 { Type 0 2, Flags 2 2, Length 4 4, Assoc 8 4 }
    AssocResetEvent 20 {
        Type 0 2, Flags 2 2, Length 4 4, Assoc 8 4, LocalTsn 12 4, RemoteTsn 16 4,
    }
    StreamChangeEvent 16 {
        Type 0 2, Flags 2 2, Length 4 4, Assoc 8 4, InboundStreams 12 2, OutboundStreams 14 2,
    }
}
