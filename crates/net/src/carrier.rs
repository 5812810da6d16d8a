//! The carrier of packets: one socket per local address, for UDP encapsulation or raw IP, and DTLS
//! over UDP.

mod crossing;
#[cfg(feature = "dtls")]
pub(crate) mod dtls;
#[cfg(not(feature = "dtls"))]
#[path = "carrier/no_dtls.rs"]
pub(crate) mod dtls;
#[cfg(linux)]
mod filter;
mod icmp;
mod marked;
mod neighbours;
mod ports;
mod raw;
mod records;
mod socket;
mod steering;
mod stranger;
mod system;
mod udp;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::event::PollFd;
use sheave_engine::wire::ChunkType;
use sheave_engine::{
    Ecn, Fragmentation, Marking, PathMtuDiscovery, PeerAddress, Transmit, ZeroChecksum,
};

use crate::config::{CarrierKind, Offload, Warning};
use crate::dtls::RECORD_OVERHEAD;
use crate::error::BindError;
use crate::stats::CarrierStats;
use crate::{Config, Options, address};
use dtls::Connections;
use icmp::IcmpQueue;
pub(crate) use icmp::IcmpReport;
use neighbours::Neighbours;
pub(crate) use ports::Ports;
pub(crate) use socket::{Batch, Socket};
pub(crate) use steering::shard_of_init;
pub(crate) use system::{Real, System};

/// Packets of 1472 bytes (1500 with IPv4 and UDP headers) that fit the largest UDP datagram that
/// the kernel splits.
const TRAIN: usize = 44;

/// Offset of the first chunk's type, after the common header.
const CHUNK_TYPE: usize = 12;

/// Size of the largest datagram that the kernel splits, bytes.
const TRAIN_BYTES: usize = 65_507;

/// The smallest path MTU that the engine works with, bytes.
const SMALLEST_MTU: u16 = 576;

/// Maximum addresses added to an endpoint after binding.
const LATER: usize = 64;

/// An endpoint's sockets and DTLS connections.
#[derive(Debug)]
pub(crate) struct Carrier {
    sockets: Vec<Socket>,
    /// Sockets of addresses added after binding, filled from the front.
    later: [OnceLock<Socket>; LATER],
    addresses: Vec<IpAddr>,
    config: Config,
    system: Arc<dyn System>,
    udp_port: Option<u16>,
    dtls: Option<Connections>,
    counters: Counters,
    icmp: IcmpQueue,
    neighbours: Neighbours,
}

/// The result of handing packets to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The packets were sent, or the kernel refused them and they count as lost.
    Done,
    /// The socket's buffer is full; resume from byte `sent` when the socket is writable.
    Blocked {
        /// Bytes of the train that were sent.
        sent: usize,
    },
}

#[derive(Debug, Default)]
struct Counters {
    send_calls: AtomicU64,
    packets_sent: AtomicU64,
    receive_calls: AtomicU64,
    packets_received: AtomicU64,
    send_errors: AtomicU64,
    foreign: AtomicU64,
    misdirected: AtomicU64,
}

impl Carrier {
    /// Opens the sockets that `config` requests, on the given system.
    pub(crate) fn bind_on(config: &Config, system: Arc<dyn System>) -> Result<Self, BindError> {
        let wanted = wanted_addresses(config).map_err(|error| BindError::System {
            what: "list the addresses of this machine",
            error,
        })?;
        let skip = match config.local.is_empty() {
            true => Unbindable::Skip,
            false => Unbindable::Refuse,
        };
        let (sockets, udp_port) = match config.carrier {
            CarrierKind::Udp { port } => {
                let (sockets, port) = udp::bind(&wanted, port, config, skip)?;
                (sockets, Some(port))
            }
            CarrierKind::RawIp => (raw::bind(&wanted, config, skip)?, None),
        };
        if sockets.is_empty() {
            return Err(BindError::NoAddress);
        }
        let dtls = dtls::connections(config)?;
        Ok(Self {
            addresses: sockets.iter().map(Socket::local).collect(),
            sockets,
            later: [const { OnceLock::new() }; LATER],
            config: config.clone(),
            system,
            udp_port,
            dtls,
            counters: Counters::default(),
            icmp: IcmpQueue::default(),
            neighbours: Neighbours::default(),
        })
    }

    /// Opens another socket, at `ip` and the same UDP port.
    pub(crate) fn add(&self, ip: IpAddr) -> Result<(), BindError> {
        if self.position(ip).is_some() {
            return Ok(());
        }
        let sockets = match self.udp_port {
            Some(port) => udp::bind(&[ip], port, &self.config, Unbindable::Refuse)?.0,
            None => raw::bind(&[ip], &self.config, Unbindable::Refuse)?,
        };
        for mut socket in sockets {
            for place in &self.later {
                match place.set(socket) {
                    Ok(()) => return Ok(()),
                    Err(back) => socket = back,
                }
            }
        }
        Err(BindError::System {
            what: "hold more addresses",
            error: io::ErrorKind::OutOfMemory.into(),
        })
    }

    /// Iterates over the sockets; a socket's position never changes.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = &Socket> {
        let later = self.later.iter().map_while(OnceLock::get);
        self.sockets.iter().chain(later)
    }

    pub(crate) fn socket(&self, position: usize) -> Option<&Socket> {
        self.sockets().nth(position)
    }

    pub(crate) fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }

    pub(crate) fn usable_addresses(&self) -> io::Result<Vec<IpAddr>> {
        wanted_addresses(&self.config)
    }

    /// Local addresses for the engine.
    pub(crate) fn engine_addresses(&self) -> Vec<IpAddr> {
        match self.dtls {
            Some(_) => vec![dtls::LOCAL],
            None => self.addresses.clone(),
        }
    }

    pub(crate) fn udp_port(&self) -> Option<u16> {
        self.udp_port
    }

    /// Maximum packets per train.
    pub(crate) fn max_segments(&self) -> usize {
        let largest = self.sockets().map(Socket::max_segments).max();
        largest.unwrap_or(1).min(TRAIN)
    }

    /// Whether a socket is bound to `ip`.
    #[cfg(linux)]
    pub(crate) fn has(&self, ip: IpAddr) -> bool {
        self.position(ip).is_some()
    }

    /// Position of the socket that sends from `local`.
    fn position(&self, local: IpAddr) -> Option<usize> {
        self.sockets().position(|socket| socket.local() == local)
    }

    /// Position of the socket that sends a train.
    pub(crate) fn position_for(&self, transmit: &Transmit) -> Option<usize> {
        match &self.dtls {
            Some(dtls) => self.position(dtls.local(transmit.remote.ip)?),
            None => self.position(transmit.local),
        }
    }

    /// Sends a train, or the rest of one. Errors other than a full buffer count as packet loss,
    /// which the protocol repairs.
    pub(crate) fn send(&self, transmit: &Transmit, bytes: &[u8]) -> Sent {
        let Some(dtls) = &self.dtls else {
            return self.send_datagrams(transmit, bytes);
        };
        let packets = transmit.segment_size.unwrap_or(bytes.len()).max(1);
        let mut begun = 0;
        let sent = dtls.send(
            self.system.now(),
            transmit.remote.ip,
            (bytes, packets),
            |records| {
                let datagrams = Transmit {
                    local: records.local,
                    remote: PeerAddress::encapsulated(records.remote.ip(), records.remote.port()),
                    segment_size: Some(records.segment),
                    ..*transmit
                };
                let sent = self.send_datagrams(&datagrams, records.bytes);
                // The rest is sealed again; this only uses up record numbers.
                let left = match sent {
                    Sent::Done => records.bytes.len(),
                    Sent::Blocked { sent } => sent,
                };
                begun += left.div_ceil(records.segment) * packets;
                sent
            },
        );
        match sent {
            Some(Sent::Blocked { .. }) => Sent::Blocked {
                sent: begun.min(bytes.len()),
            },
            Some(Sent::Done) | None => Sent::Done,
        }
    }

    fn send_datagrams(&self, transmit: &Transmit, bytes: &[u8]) -> Sent {
        let segment = transmit.segment_size.unwrap_or(bytes.len()).max(1);
        let mut sockets = self.sockets();
        let Some(socket) = sockets.find(|socket| socket.local() == transmit.local) else {
            self.lose(bytes.len().div_ceil(segment));
            return Sent::Done;
        };
        let mut sent = 0;
        while sent < bytes.len() {
            let room = (TRAIN_BYTES / segment).clamp(1, socket.max_segments());
            let end = bytes.len().min(sent + room * segment);
            let part = &bytes[sent..end];
            let packets = part.len().div_ceil(segment);
            add(&self.counters.send_calls, 1);
            match socket.send(&*self.system, transmit, part, segment) {
                Ok(()) => add(&self.counters.packets_sent, packets),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Sent::Blocked { sent };
                }
                // A train may fail although each packet alone would not: the driver lacks GSO, or
                // packets need fragmentation on this path.
                Err(error) if packets > 1 && !socket::has_no_route(&error) => {
                    self.send_singly(socket, transmit, part, segment);
                }
                Err(error) => self.fail(&error, transmit, part, packets),
            }
            sent = end;
        }
        Sent::Done
    }

    fn send_singly(&self, socket: &Socket, transmit: &Transmit, train: &[u8], segment: usize) {
        for packet in train.chunks(segment) {
            add(&self.counters.send_calls, 1);
            match socket.send(&*self.system, transmit, packet, segment) {
                Ok(()) => add(&self.counters.packets_sent, 1),
                Err(error) => self.fail(&error, transmit, packet, 1),
            }
        }
    }

    /// Handles packets that the kernel refused; reports the first to the engine if it exceeds the
    /// interface's MTU, or if there is no way to send it.
    fn fail(&self, error: &io::Error, transmit: &Transmit, first: &[u8], packets: usize) {
        self.lose(packets);
        if quinn_udp::is_msg_size_err(error)
            && let Some(mtu) = address::interface_mtu(transmit.local)
        {
            let report = IcmpReport::too_long(transmit.remote.ip, mtu, first);
            self.icmp.add(report);
        } else if socket::has_no_route(error) {
            let report = IcmpReport::unreachable(transmit.remote.ip, first);
            self.icmp.add(report);
        }
    }

    /// Takes the ICMP reports received since the last call.
    #[inline]
    pub(crate) fn take_icmp_reports(&self) -> Vec<IcmpReport> {
        self.icmp.take()
    }

    /// Reads ICMP errors about packets that a socket sent.
    #[cfg(linux)]
    pub(crate) fn read_icmp_reports(&self, position: usize) {
        if let Some(socket) = self.socket(position) {
            socket.take_icmp_reports(|report| self.icmp.add(report));
        }
    }

    /// Does nothing: only Linux has the error queue.
    #[cfg(not(linux))]
    pub(crate) fn read_icmp_reports(&self, _position: usize) {}

    /// Makes the kernel distribute packets over the shards on these addresses; all shards must be
    /// bound, in order.
    #[cfg(linux)]
    pub(crate) fn spread(&self, shards: u16) -> io::Result<()> {
        let attach = |socket| steering::attach(socket, shards);
        self.sockets.iter().try_for_each(attach)
    }

    /// Does nothing: the kernel distributes packets as it likes, and the drivers pass them on.
    #[cfg(not(linux))]
    pub(crate) fn spread(&self, _shards: u16) -> io::Result<()> {
        Ok(())
    }

    /// Sends a datagram that contains no SCTP packet.
    fn send_datagram(&self, local: IpAddr, remote: SocketAddr, datagram: &[u8]) {
        let transmit = Transmit {
            local,
            remote: PeerAddress::encapsulated(remote.ip(), remote.port()),
            ecn: Ecn::NotEct,
            segment_size: None,
            fragmentation: Fragmentation::Allowed,
            marking: Marking::default(),
        };
        // A datagram that finds no room is lost; DTLS retransmits it.
        let _ = self.send_datagrams(&transmit, datagram);
    }

    /// Drops all packets from and to this local address.
    pub(crate) fn unplug(&self, local: IpAddr) {
        if let Some(socket) = self.sockets().find(|socket| socket.local() == local) {
            socket.unplug();
        }
    }

    /// Undoes [`unplug`](Self::unplug).
    pub(crate) fn plug_in(&self, local: IpAddr) {
        if let Some(socket) = self.sockets().find(|socket| socket.local() == local) {
            socket.plug_in();
        }
    }

    /// Returns the options with path MTUs adapted to the interfaces of `local` (all if empty):
    /// fragments, and trains that the kernel refuses to split, would slow every packet. If the
    /// kernel supports sending without fragmentation, path MTU discovery is enabled unless the user
    /// set it.
    pub(crate) fn fit(&self, mut options: Options, local: &[IpAddr]) -> Options {
        let concerned = |socket: &&Socket| local.is_empty() || local.contains(&socket.local());
        let sockets = self.sockets().filter(concerned);
        let interface = sockets.filter_map(Socket::mtu).min();
        let interface = interface.map_or(u16::MAX, |mtu| mtu.max(SMALLEST_MTU));
        let overhead = self.overhead(local);
        let interface = (interface.saturating_sub(overhead)).max(SMALLEST_MTU);
        if overhead > 0 {
            let shorter = options.initial_pmtu.saturating_sub(overhead);
            options.initial_pmtu = shorter.max(SMALLEST_MTU);
            // RFC 9653 §6: DTLS detects corruption better than CRC32c.
            if options.zero_checksum == ZeroChecksum::Off {
                options.zero_checksum = ZeroChecksum::Dtls;
            }
        }
        options.initial_pmtu = options.initial_pmtu.min(interface);
        options.path_mtu_discovery = match options.path_mtu_discovery {
            PathMtuDiscovery::Automatic if cfg!(linux) => PathMtuDiscovery::Plpmtud {
                max: (PathMtuDiscovery::USUAL_MAX - overhead).min(interface),
            },
            PathMtuDiscovery::Plpmtud { max } => PathMtuDiscovery::Plpmtud {
                max: max.min(interface),
            },
            as_is => as_is,
        };
        options
    }

    /// Overhead per packet that the engine does not count, bytes: the DTLS record, and the
    /// difference between IPv6 and IPv4 headers, since connections have IPv4 aliases.
    fn overhead(&self, local: &[IpAddr]) -> u16 {
        if self.dtls.is_none() {
            return 0;
        }
        let mut concerned = self
            .addresses
            .iter()
            .filter(|ip| local.is_empty() || local.contains(ip));
        match concerned.any(IpAddr::is_ipv6) {
            true => RECORD_OVERHEAD + dtls::LONGER_HEADER,
            false => RECORD_OVERHEAD,
        }
    }

    /// Counts packets that could not be sent as lost.
    pub(crate) fn lose(&self, packets: usize) {
        add(&self.counters.send_errors, packets);
    }

    /// Whether a received packet is for this stack; counts it if not. Over raw IP, another stack
    /// may own ports that this endpoint does not. If there is no other stack, an INIT to a closed
    /// port is accepted, so that it is answered with an ABORT (RFC 9260 §8.4).
    pub(crate) fn takes(&self, ports: &Ports, packet: &[u8]) -> bool {
        let is_ours = || destination_port(packet).is_some_and(|port| ports.contains(port));
        let is_init = || packet.get(CHUNK_TYPE) == Some(&ChunkType::INIT.0);
        let own = || self.sockets().map(AsFd::as_fd);
        let takes =
            self.udp_port.is_some() || is_ours() || is_init() && !self.neighbours.are_here(own());
        if !takes {
            add(&self.counters.foreign, 1);
        }
        takes
    }

    /// Counts a packet that arrived at the wrong shard.
    pub(crate) fn count_misdirected(&self) {
        add(&self.counters.misdirected, 1);
    }

    /// Receives at most one batch from a socket.
    pub(crate) fn receive(&self, position: usize, batch: &mut Batch) -> io::Result<()> {
        add(&self.counters.receive_calls, 1);
        if let Some(socket) = self.socket(position) {
            socket.receive(&*self.system, batch)?;
        }
        add(&self.counters.packets_received, batch.packets());
        Ok(())
    }

    /// Sleeps until a descriptor is ready, or for `span`; returns the number of ready ones.
    pub(crate) fn poll(&self, polled: &mut [PollFd<'_>], span: Duration) -> usize {
        // An interrupted sleep only ends early.
        self.system.poll(polled, span).unwrap_or(0)
    }

    /// Restricts raw IP sockets to packets to these SCTP ports.
    pub(crate) fn set_ports(&self, ports: &Ports) {
        let ranges = ports.ranges();
        for socket in self.sockets() {
            // Without the filter, all packets are received, and the driver drops foreign ones.
            let _ = socket.set_ports(&ranges);
        }
    }

    pub(crate) fn warnings(&self, config: &Config) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.udp_port.is_none() && raw::kernel_speaks_sctp() {
            warnings.push(Warning::KernelSctp);
        }
        let granted = self.sockets().map(Socket::receive_buffer).min();
        if let Some(granted) = granted.filter(|&granted| granted < config.socket_buffer) {
            warnings.push(Warning::SmallSocketBuffer {
                asked: config.socket_buffer,
                granted,
            });
        }
        warnings
    }

    pub(crate) fn stats(&self) -> CarrierStats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CarrierStats {
            send_calls: read(&self.counters.send_calls),
            packets_sent: read(&self.counters.packets_sent),
            receive_calls: read(&self.counters.receive_calls),
            packets_received: read(&self.counters.packets_received),
            send_errors: read(&self.counters.send_errors),
            dropped: self.sockets().map(Socket::drops).sum(),
            foreign: read(&self.counters.foreign),
            misdirected: read(&self.counters.misdirected),
            dtls_connections: self.dtls.as_ref().map_or(0, Connections::len),
            receive_buffer: self
                .sockets()
                .map(Socket::receive_buffer)
                .min()
                .unwrap_or(0),
            max_segments: self.max_segments(),
        }
    }
}

/// Treatment of an address that cannot be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unbindable {
    /// Skip the address, which was found on an interface.
    Skip,
    /// Fail, since the user named the address.
    Refuse,
}

impl Unbindable {
    /// Whether the bind can go on without the address after `error`.
    fn forgives(self, error: &io::Error) -> bool {
        let absent = matches!(
            error.kind(),
            io::ErrorKind::AddrNotAvailable | io::ErrorKind::Unsupported
        );
        self == Self::Skip && absent
    }
}

/// The destination port of an SCTP packet.
pub(crate) fn destination_port(packet: &[u8]) -> Option<u16> {
    let bytes = packet.get(2..4)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}

/// The addresses that `config` names; if none, this machine's usable addresses.
fn wanted_addresses(config: &Config) -> io::Result<Vec<IpAddr>> {
    match config.local.as_slice() {
        [] => address::usable(),
        given => Ok(given.to_vec()),
    }
}

/// Applies the socket settings of `config`.
fn tune(socket: &mut Socket, config: &Config) {
    socket.set_buffers(config.socket_buffer);
    if config.offload == Offload::Off {
        socket.refuse_offload();
    }
}

fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(u64::try_from(count).unwrap_or(0), Ordering::Relaxed);
}

#[cfg(test)]
mod tests;
