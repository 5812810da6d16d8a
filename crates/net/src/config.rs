//! The configuration of an endpoint.

mod text;

use std::fmt;
use std::net::IpAddr;
use std::num::NonZero;
use std::time::Duration;

use sheave_engine::{EndpointOptions, FollowAddresses};

/// The UDP port that SCTP encapsulation usually takes (RFC 6951 §5.1).
const USUAL_UDP_PORT: u16 = 9899;

/// The configuration of an endpoint.
#[derive(Clone, Debug)]
pub struct Config {
    /// The local addresses; each is one end of a path. Empty means all usable addresses of this
    /// machine: those of the interfaces that are up, without link-local ones. An association with
    /// a loopback peer then uses the loopback addresses alone, any other one the rest.
    pub local: Vec<IpAddr>,
    /// The carrier of the packets; default UDP at port 9899.
    pub carrier: CarrierKind,
    /// Whether the packets travel in [DTLS](crate::dtls) records, and how the ends prove who they
    /// are; default not. Goes with UDP.
    #[cfg(feature = "dtls")]
    pub dtls: Option<crate::dtls::Dtls>,
    /// Limits that hold for all associations together.
    pub endpoint: EndpointOptions,
    /// Bytes of kernel buffer asked for per socket and direction; default 8 MiB. The kernel may
    /// grant less, see [`CarrierStats::receive_buffer`].
    pub socket_buffer: usize,
    /// Whether the kernel may split and join trains of packets; default automatic.
    pub offload: Offload,
    /// Established associations that may wait for `accept` per listener; further ones are
    /// aborted. Default 4096.
    pub backlog: usize,
    /// Threads that receive, verify and send the endpoint's packets; default 1. More of them let
    /// one association use several processors; many associations are better spread by
    /// [`Shards`](crate::Shards), which share nothing.
    pub workers: NonZero<usize>,
    /// Time for which the thread that polls for packets stays awake after the last packet and looks
    /// for the next, which saves the time of waking up and costs a processor; default 0. Where that
    /// finds nothing, ever fewer waits begin so.
    pub busy_poll: Duration,
    /// Whether a successor may bind the UDP port, too; default no.
    pub port_sharing: PortSharing,
    /// Time for which the last handle to an endpoint, when dropped, waits for associations to
    /// finish closing; what remains is aborted. Default 10 s.
    pub linger: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            local: Vec::new(),
            carrier: CarrierKind::default(),
            #[cfg(feature = "dtls")]
            dtls: None,
            endpoint: EndpointOptions::default(),
            socket_buffer: 8 << 20,
            offload: Offload::default(),
            backlog: 4096,
            workers: NonZero::<usize>::MIN,
            busy_poll: Duration::ZERO,
            port_sharing: PortSharing::Exclusive,
            linger: Duration::from_secs(10),
        }
    }
}

impl Config {
    /// Over UDP at `port` of these addresses (none: all usable ones); port 0 lets the system
    /// choose.
    #[must_use]
    pub fn udp(local: impl IntoIterator<Item = IpAddr>, port: u16) -> Self {
        Self {
            local: local.into_iter().collect(),
            carrier: CarrierKind::Udp { port },
            ..Self::default()
        }
    }

    /// Over DTLS, at UDP port `port` of these addresses (none: all usable ones); port 0 lets the
    /// system choose.
    #[cfg(feature = "dtls")]
    #[must_use]
    pub fn dtls(
        local: impl IntoIterator<Item = IpAddr>,
        port: u16,
        dtls: crate::dtls::Dtls,
    ) -> Self {
        Self {
            dtls: Some(dtls),
            ..Self::udp(local, port)
        }
    }

    /// Over IP protocol 132 of these addresses (none: all usable ones).
    #[must_use]
    pub fn raw_ip(local: impl IntoIterator<Item = IpAddr>) -> Self {
        Self {
            local: local.into_iter().collect(),
            carrier: CarrierKind::RawIp,
            ..Self::default()
        }
    }

    /// Lets associations follow the machine from network to network, where no address is named: the peer is told
    /// of each change if both ends have the option [`address_changes`](crate::Options::address_changes), else paths
    /// over UDP leave from another address, and a peer with [`learned_addresses`](crate::Options::learned_addresses)
    /// goes on. Linux tells of changes; over DTLS, and at addresses that [`Shards`](crate::Shards) share, there
    /// are none.
    #[must_use]
    pub fn follow_addresses(mut self) -> Self {
        self.endpoint.follow_addresses = FollowAddresses::On;
        self
    }
}

/// The kind of carrier for SCTP packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CarrierKind {
    /// UDP encapsulation (RFC 6951).
    Udp {
        /// The local UDP port, the same on every local address; 0 lets the system choose.
        port: u16,
    },
    /// IP protocol 132; needs the right to open raw sockets (`CAP_NET_RAW`).
    RawIp,
}

impl Default for CarrierKind {
    fn default() -> Self {
        Self::Udp {
            port: USUAL_UDP_PORT,
        }
    }
}

/// Whether two endpoints of one user may be bound to one UDP port for a while, so that one can take
/// the place of the other ([`Endpoint::bind_and_import`](crate::Endpoint::bind_and_import)) with no
/// moment at which nobody is bound: what came then would be answered with an ICMP message, for
/// which many a peer ends an association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PortSharing {
    /// The ports may not be shared.
    #[default]
    Exclusive,
    /// The ports may be shared, if both say so (`SO_REUSEPORT`). While both are bound, the kernel
    /// gives packets to either.
    WithSuccessor,
}

/// Whether the kernel may split and join trains of packets (UDP GSO and GRO).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Offload {
    /// Wherever the kernel offers it.
    #[default]
    Automatic,
    /// Packets go one per send and receive.
    Off,
}

/// Something about the machine that will surprise the user of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The kernel has an SCTP of its own that answers the packets of raw sockets with ABORT.
    KernelSctp,
    /// The kernel granted smaller socket buffers than asked for; a burst may overflow them.
    SmallSocketBuffer {
        /// Bytes asked for.
        asked: usize,
        /// Bytes granted.
        granted: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KernelSctp => f.write_str(
                "the kernel's own SCTP is loaded and answers packets on raw IP too: it will abort \
                 our associations; unload its module or use UDP encapsulation",
            ),
            Self::SmallSocketBuffer { asked, granted } => write!(
                f,
                "the kernel granted socket buffers of {granted} bytes instead of {asked}; raise \
                 net.core.rmem_max and net.core.wmem_max to avoid losses in bursts",
            ),
        }
    }
}

/// Counters of an endpoint's sockets, all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarrierStats {
    /// System calls that sent packets.
    pub send_calls: u64,
    /// Packets sent.
    pub packets_sent: u64,
    /// System calls that received packets.
    pub receive_calls: u64,
    /// Packets received.
    pub packets_received: u64,
    /// Packets that the kernel refused to send (no route, too large, buffer full for long).
    pub send_errors: u64,
    /// Packets that the kernel dropped because a socket's receive buffer was full (Linux).
    pub dropped: u64,
    /// Packets for ports that are not ours, dropped (raw IP alone).
    pub foreign: u64,
    /// DTLS connections, those whose handshake is not done included.
    pub dtls_connections: usize,
    /// Packets that came to this shard and were handed to the one they belong to.
    pub misdirected: u64,
    /// Receive buffer that the kernel granted per socket, bytes.
    pub receive_buffer: usize,
    /// Most packets that one system call may send in a train; 1 without GSO.
    pub max_segments: usize,
}
