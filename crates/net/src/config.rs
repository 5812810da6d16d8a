//! The configuration of an endpoint.

mod text;

use std::fmt;
use std::net::IpAddr;
use std::num::NonZero;
use std::time::Duration;

use sheave_engine::{EndpointOptions, FollowAddresses};

/// UDP port assigned to SCTP encapsulation (RFC 6951 §5.1).
const USUAL_UDP_PORT: u16 = 9899;

/// The configuration of an endpoint.
#[derive(Clone, Debug)]
pub struct Config {
    /// Local addresses; each is one end of a path. Empty means all usable addresses of this
    /// machine: those of interfaces that are up, except link-local ones. An association with a
    /// loopback peer then uses only loopback addresses, any other only the rest.
    pub local: Vec<IpAddr>,
    /// Carrier of the packets; default UDP on port 9899.
    pub carrier: CarrierKind,
    /// [DTLS](crate::dtls) settings, including how the ends authenticate; `None`, the default,
    /// sends packets unencrypted. Requires UDP.
    #[cfg(feature = "dtls")]
    pub dtls: Option<crate::dtls::Dtls>,
    /// Settings for [protected packets](crate::secure); `None`, the default, sends packets
    /// unencrypted.
    #[cfg(feature = "secure")]
    pub secure: Option<crate::secure::Secure>,
    /// Limits on all associations together.
    pub endpoint: EndpointOptions,
    /// Kernel buffer requested per socket and direction, bytes; default 8 MiB. The kernel may grant
    /// less, see [`CarrierStats::receive_buffer`].
    pub socket_buffer: usize,
    /// Whether to use UDP GSO and GRO; default automatic.
    pub offload: Offload,
    /// Established associations that may wait for `accept` per listener; more are aborted. Default
    /// 4096.
    pub backlog: usize,
    /// Threads that receive, verify and send the endpoint's packets; default 1. More threads let
    /// one association use several processors; for many associations, prefer
    /// [`Shards`](crate::Shards), which share nothing.
    pub workers: NonZero<usize>,
    /// Time for which the polling thread spins after the last packet before it sleeps; default 0.
    /// Spinning saves the wake-up latency but occupies a processor. After spins that find nothing,
    /// fewer waits begin with one.
    pub busy_poll: Duration,
    /// Whether a successor may also bind the UDP port; default no.
    pub port_sharing: PortSharing,
    /// Time that associations get to close gracefully when an endpoint's last handle is dropped;
    /// the rest is aborted. Default 10 s.
    pub linger: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            local: Vec::new(),
            carrier: CarrierKind::default(),
            #[cfg(feature = "dtls")]
            dtls: None,
            #[cfg(feature = "secure")]
            secure: None,
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
    /// Configures UDP on `port` of these local addresses (none: all usable ones); port 0 lets the
    /// system choose.
    #[must_use]
    pub fn udp(local: impl IntoIterator<Item = IpAddr>, port: u16) -> Self {
        Self {
            local: local.into_iter().collect(),
            carrier: CarrierKind::Udp { port },
            ..Self::default()
        }
    }

    /// Configures DTLS over UDP on `port` of these local addresses (none: all usable ones); port 0
    /// lets the system choose.
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

    /// Protects the packets of every association on all its paths; others are refused.
    #[cfg(feature = "secure")]
    #[must_use]
    pub fn secure(mut self, secure: crate::secure::Secure) -> Self {
        self.secure = Some(secure);
        self
    }

    /// Configures raw IP, protocol 132, on these local addresses (none: all usable ones).
    #[must_use]
    pub fn raw_ip(local: impl IntoIterator<Item = IpAddr>) -> Self {
        Self {
            local: local.into_iter().collect(),
            carrier: CarrierKind::RawIp,
            ..Self::default()
        }
    }

    /// Lets associations follow the machine between networks, if `local` is empty.
    /// If both ends have the option [`address_changes`](crate::Options::address_changes), the peer
    /// is notified of each change; otherwise paths over UDP leave from the new address, and a peer
    /// with [`learned_addresses`](crate::Options::learned_addresses) continues the association.
    /// Address changes are detected on Linux only, and neither over DTLS nor with
    /// [`Shards`](crate::Shards).
    #[must_use]
    pub fn follow_addresses(mut self) -> Self {
        self.endpoint.follow_addresses = FollowAddresses::On;
        self
    }
}

/// Carrier of SCTP packets: UDP or raw IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CarrierKind {
    /// UDP encapsulation (RFC 6951).
    Udp {
        /// The local UDP port, the same on every local address; 0 lets the system choose.
        port: u16,
    },
    /// IP protocol 132; needs permission to open raw sockets (`CAP_NET_RAW`).
    RawIp,
}

impl Default for CarrierKind {
    fn default() -> Self {
        Self::Udp {
            port: USUAL_UDP_PORT,
        }
    }
}

/// Whether two endpoints of one user may bind the same UDP port, so that one can replace the other
/// ([`Endpoint::bind_and_import`](crate::Endpoint::bind_and_import)) without leaving the port
/// unbound. A packet to an unbound port would be answered with an ICMP error, after which many
/// peers end the association.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PortSharing {
    /// The port is not shared.
    #[default]
    Exclusive,
    /// The port is shared if both endpoints set this (`SO_REUSEPORT`). While both are bound, the
    /// kernel may give a packet to either.
    WithSuccessor,
}

/// Use of UDP GSO and GRO, by which one system call sends or receives several packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Offload {
    /// Used if the kernel supports it.
    #[default]
    Automatic,
    /// A packet per send and receive.
    Off,
}

/// Warning about the machine's configuration, found while binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The kernel's own SCTP is active and answers packets for raw sockets with ABORT.
    KernelSctp,
    /// The kernel granted smaller socket buffers than requested; a burst may overflow them.
    SmallSocketBuffer {
        /// Bytes requested.
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

/// Counters summed over an endpoint's sockets.
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
    /// Packets that the kernel refused to send: no route, too large, or send buffer full for too
    /// long.
    pub send_errors: u64,
    /// Packets that the kernel dropped because a socket's receive buffer was full (Linux).
    pub dropped: u64,
    /// Packets to ports not in use here, dropped (raw IP only).
    pub foreign: u64,
    /// DTLS connections, including unfinished handshakes.
    pub dtls_connections: usize,
    /// Packets that arrived at this shard but belonged to another one, to which they were passed
    /// on.
    pub misdirected: u64,
    /// Receive buffer granted per socket, bytes.
    pub receive_buffer: usize,
    /// Maximum number of packets sent per system call; 1 without GSO.
    pub max_segments: usize,
}
