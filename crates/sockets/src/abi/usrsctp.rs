//! The library usrsctp on a 64-bit Linux machine: `usrsctp.h` and the machine's own headers.

use sheave_engine::{Extension, StreamScheduler};

use super::layout::layouts;
use super::names::{ControlType as C, OptionName as O};
use super::{
    CauseOrder, Families, Layout, Levels, MessageFlags, NotificationNumbers, SendFlags, Struct,
    System, Tables, linux,
};
use crate::settings::EventType as E;

/// `AF_CONN`.
const CONNECTION: u16 = 123;

pub(super) static TABLES: Tables = tables("usrsctp", Families::Internet(2, 10));
pub(super) static CONNECTION_TABLES: Tables =
    tables("usrsctp, AF_CONN", Families::Connection(CONNECTION));

const fn tables(name: &'static str, families: Families) -> Tables {
    Tables {
        name,
        system: System::FreeBsd,
        families,
        levels: Levels {
            socket: 1,
            ip: 0,
            ipv6: 41,
            sctp: 132,
        },
        options: OPTIONS,
        socket_options: linux::SOCKET_OPTIONS,
        control_types: CONTROL_TYPES,
        message_flags: MessageFlags {
            peek: 0x02,
            dont_wait: 0x40,
            end_of_record: 0x80,
            control_truncated: 0x08,
            notification: 0x2000,
            protected: 0,
            error_queue: 0,
        },
        send_flags: SendFlags {
            unordered: 0x0400,
            address_override: 0x0800,
            abort: 0x0200,
            sack_immediately: 0x4000,
            send_all: 0x1000,
            end: 0x0100,
            end_of_record: 0x2000,
            complete: 0x0020,
            notification: 0x0010,
            policies: 0x000f,
            timed: 1,
            priority: 2,
            retransmissions: 3,
        },
        notifications: NotificationNumbers {
            types: EVENTS,
            first: 1,
            new_key: 1,
            no_authentication: 2,
            free_key: 3,
            causes: CauseOrder::OfTheMachine,
            supports: SUPPORTS,
        },
        schedulers: SCHEDULERS,
        layouts: layout,
    }
}

/// usrsctp has no ancillary data; the equivalent arguments are passed as ancillary data with
/// FreeBSD's numbers.
static CONTROL_TYPES: &[(i32, C)] = &[
    (1, C::Init),
    (2, C::SndRcv),
    (4, C::SndInfo),
    (5, C::RcvInfo),
    (6, C::NxtInfo),
    (7, C::PrInfo),
    (8, C::AuthInfo),
    (9, C::DestinationV4),
    (10, C::DestinationV6),
];

/// `SCTP_SS_DEFAULT` is also round robin.
static SCHEDULERS: &[(u32, StreamScheduler)] = &[
    (0, StreamScheduler::RoundRobin),
    (1, StreamScheduler::RoundRobin),
    (2, StreamScheduler::RoundRobinPerPacket),
    (3, StreamScheduler::Priority),
    (4, StreamScheduler::FairBandwidth),
    (5, StreamScheduler::FirstCome),
];

static EVENTS: &[(u16, E)] = &[
    (1, E::AssocChange),
    (2, E::PeerAddrChange),
    (3, E::RemoteError),
    (4, E::SendFailed),
    (5, E::Shutdown),
    (6, E::Adaptation),
    (7, E::PartialDelivery),
    (8, E::Authentication),
    (9, E::StreamReset),
    (10, E::SenderDry),
    (11, E::NotificationsStopped),
    (12, E::AssocReset),
    (13, E::StreamChange),
    (14, E::SendFailedEvent),
];

static SUPPORTS: &[(Option<Extension>, u8)] = &[
    (Some(Extension::PartialReliability), 1),
    (Some(Extension::Authentication), 2),
    (Some(Extension::AddressChanges), 3),
    (Some(Extension::Interleaving), 6),
    (None, 4),
    (Some(Extension::Reconfiguration), 5),
];

static OPTIONS: &[(i32, O)] = &[
    (0x01, O::RtoInfo),
    (0x02, O::AssocInfo),
    (0x03, O::InitMsg),
    (0x04, O::NoDelay),
    (0x05, O::AutoClose),
    (0x06, O::SetPeerPrimaryAddr),
    (0x07, O::PrimaryAddr),
    (0x08, O::AdaptationLayer),
    (0x09, O::DisableFragments),
    (0x0a, O::PeerAddrParams),
    (0x0b, O::DefaultSendParam),
    (0x0c, O::Events),
    (0x0d, O::MappedV4),
    (0x0e, O::MaxSeg),
    (0x0f, O::DelayedSack),
    (0x10, O::FragmentInterleave),
    (0x11, O::PartialDeliveryPoint),
    (0x12, O::AuthChunk),
    (0x13, O::AuthKey),
    (0x14, O::HmacIdent),
    (0x15, O::AuthActiveKey),
    (0x16, O::AuthDeleteKey),
    (0x18, O::AutoAsconf),
    (0x19, O::MaxBurst),
    (0x1a, O::Context),
    (0x1b, O::ExplicitEor),
    (0x1c, O::ReusePort),
    (0x1d, O::AuthDeactivateKey),
    (0x1e, O::Event),
    (0x1f, O::RecvRcvInfo),
    (0x20, O::RecvNxtInfo),
    (0x21, O::DefaultSndInfo),
    (0x22, O::DefaultPrInfo),
    (0x23, O::PeerAddrThresholds),
    (0x24, O::RemoteUdpEncapsPort),
    (0x25, O::EcnSupported),
    (0x26, O::PrSupported),
    (0x27, O::AuthSupported),
    (0x28, O::AsconfSupported),
    (0x29, O::ReconfigSupported),
    (0x30, O::NrSackSupported),
    (0x31, O::PacketDropSupported),
    (0x100, O::Status),
    (0x101, O::PeerAddrInfo),
    (0x102, O::PeerAuthChunks),
    (0x103, O::LocalAuthChunks),
    (0x104, O::AssocNumber),
    (0x105, O::AssocIdList),
    (0x107, O::PrStreamStatus),
    (0x108, O::PrAssocStatus),
    (0x900, O::EnableStreamReset),
    (0x901, O::ResetStreams),
    (0x902, O::ResetAssoc),
    (0x903, O::AddStreams),
    (0x1203, O::StreamScheduler),
    (0x1204, O::StreamSchedulerValue),
    (0x1206, O::InterleavingSupported),
    (0x8001, O::BindxAdd),
    (0x8002, O::BindxRemove),
    (0x8003, O::PeerAddrs),
    (0x8004, O::LocalAddrs),
];

layouts! {
    _ => linux::layout;
    AssocParams 20 {
        Assoc 0 4, PeerRwnd 4 4, LocalRwnd 8 4, CookieLife 12 4, MaxRetrans 16 2, Destinations 18 2,
    }
    Primary 136 { Address 0 128, Assoc 128 4 }
    PeerAddrParams 152 {
        Address 0 128, Assoc 128 4, Interval 132 4, PathMtu 136 4, Flags 140 4, FlowLabel 144 4,
        MaxRetrans 148 2, Dscp 150 1,
    }
    PeerAddrInfo 152 {
        Address 0 128, Assoc 128 4, State 132 4, Cwnd 136 4, Srtt 140 4, Rto 144 4, PathMtu 148 4,
    }
    PeerAddrThresholds 136 {
        Address 0 128, Assoc 128 4, MaxRetrans 132 2, PotentiallyFailed 134 2,
    }
    DefaultPrInfo 12 { Policy 0 2, Value 4 4, Assoc 8 4 }
    UdpEncaps 136 { Address 0 128, Assoc 128 4, Port 132 2 }
    PeerAddrChange 152 {
        Type 0 2, Flags 2 2, Length 4 4, Address 8 128, State 136 4, Error 140 4, Assoc 144 4,
    }
    PartialDeliveryEvent 24 {
        Type 0 2, Flags 2 2, Length 4 4, Indication 8 4, Stream 12 4, Ssn 16 4, Assoc 20 4,
    }
}
