use std::io::{self, IoSliceMut};
use std::iter;
use std::mem;
use std::net::{IpAddr, SocketAddr, SocketAddrV6};
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use quinn_udp::{EcnCodepoint, RecvMeta, UdpSockRef, UdpSocketState};
use sheave_engine::{Checksum, Datagram, Ecn, Fragmentation, Integrity, PeerAddress, Transmit};

use super::dtls::{Arrival, Opened};
#[cfg(linux)]
use super::filter::{self, HeaderAt};
#[cfg(linux)]
use super::icmp::{self, IcmpReport};
use super::raw;
use super::stranger::is_hello_of_dtls;
use super::system::System;
use crate::address;
use crate::sys::{self, IntOption};

/// Maximum datagrams or joined trains received per system call. More would evict the first ones
/// from the cache before they are processed.
const BATCH: usize = 8;

/// Size of the largest datagram or joined train, bytes.
const LARGEST: usize = 65_536;

/// Consecutive interruptions by signals that a send tolerates.
const INTERRUPTIONS: usize = 16;

/// Headers around the SCTP packet in the socket's datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// The kernel handles the UDP header.
    Udp,
    /// Raw IPv4: received packets include the IP header.
    RawV4,
    /// Raw IPv6: the kernel handles the IP header.
    RawV6,
}

/// A socket, bound to one local address.
#[derive(Debug)]
pub(crate) struct Socket {
    socket: socket2::Socket,
    state: UdpSocketState,
    local: IpAddr,
    framing: Framing,
    offload: Offloaded,
    mtu: Option<u16>,
    unplugged: AtomicBool,
    /// The fragmentation setting last set in the kernel.
    fragmentation: Mutex<Fragmentation>,
}

/// Whether the kernel splits sent trains (GSO).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offloaded {
    IfPossible,
    Never,
}

impl Socket {
    /// Wraps a bound socket.
    pub(super) fn new(
        socket: socket2::Socket,
        local: IpAddr,
        framing: Framing,
    ) -> io::Result<Self> {
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        allow_fragments(&socket, local)?;
        // Without this option, ICMP errors are not read, and only probes detect problems.
        #[cfg(linux)]
        let _ = match local {
            IpAddr::V4(_) => sys::set(&socket, IntOption::ErrorsV4),
            IpAddr::V6(_) => sys::set(&socket, IntOption::ErrorsV6),
        };
        // Without this option, the kernel chooses flow labels.
        #[cfg(linux)]
        if local.is_ipv6() {
            let _ = sys::set(&socket, IntOption::FlowLabels(1));
        }
        // The timestamps of the batched receive are unused, and with them the ECN bits of joined
        // packets would not fit.
        #[cfg(linux)]
        let _ = sys::set(&socket, IntOption::Timestamps(0));
        let offload = match framing {
            Framing::Udp => Offloaded::IfPossible,
            Framing::RawV4 | Framing::RawV6 => Offloaded::Never,
        };
        Ok(Self {
            socket,
            state,
            local,
            framing,
            offload,
            mtu: address::interface_mtu(local),
            unplugged: AtomicBool::new(false),
            fragmentation: Mutex::new(Fragmentation::Allowed),
        })
    }

    pub(crate) fn local(&self) -> IpAddr {
        self.local
    }

    /// MTU of the interface, bytes, if known.
    pub(super) fn mtu(&self) -> Option<u16> {
        self.mtu
    }

    /// UDP port of the socket.
    pub(super) fn port(&self) -> io::Result<u16> {
        let address = self.socket.local_addr()?;
        Ok(address.as_socket().map_or(0, |address| address.port()))
    }

    /// Requests buffers of `bytes`, beyond the system's limit if permitted.
    pub(super) fn set_buffers(&self, bytes: usize) {
        // The granted size is read back and reported.
        #[cfg(linux)]
        {
            // The kernel doubles the value to include its overhead.
            let half = libc::c_int::try_from(bytes / 2).unwrap_or(libc::c_int::MAX / 2);
            if sys::set(&self.socket, IntOption::ForceReceiveBuffer(half)).is_ok()
                && sys::set(&self.socket, IntOption::ForceSendBuffer(half)).is_ok()
            {
                return;
            }
        }
        let _ = self.socket.set_recv_buffer_size(bytes / 2);
        let _ = self.socket.set_send_buffer_size(bytes / 2);
    }

    /// Disables GSO and GRO: one packet per call.
    pub(super) fn refuse_offload(&mut self) {
        self.offload = Offloaded::Never;
        #[cfg(linux)]
        if self.framing == Framing::Udp {
            let _ = sys::set(&self.socket, IntOption::UdpGro(0));
        }
    }

    /// Granted receive buffer, bytes, including the kernel's overhead.
    pub(crate) fn receive_buffer(&self) -> usize {
        self.socket.recv_buffer_size().unwrap_or(0)
    }

    /// Packets dropped because of a full receive buffer.
    pub(crate) fn drops(&self) -> u64 {
        sys::drops(&self.socket).unwrap_or(0)
    }

    /// Maximum packets per send.
    pub(crate) fn max_segments(&self) -> usize {
        match self.offload {
            Offloaded::IfPossible => self.state.max_gso_segments(),
            Offloaded::Never => 1,
        }
    }

    /// Drops all further packets in both directions.
    pub(super) fn unplug(&self) {
        self.unplugged.store(true, Ordering::Relaxed);
    }

    /// Undoes [`unplug`](Self::unplug).
    pub(super) fn plug_in(&self) {
        self.unplugged.store(false, Ordering::Relaxed);
    }

    fn is_unplugged(&self) -> bool {
        self.unplugged.load(Ordering::Relaxed)
    }

    /// Sends one packet, or several of `segment` bytes each (the last may be shorter).
    pub(crate) fn send(
        &self,
        system: &dyn System,
        transmit: &Transmit,
        bytes: &[u8],
        segment: usize,
    ) -> io::Result<()> {
        if self.is_unplugged() {
            return Err(io::ErrorKind::NetworkDown.into());
        }
        let port = match (self.framing, transmit.remote.encapsulation) {
            (Framing::Udp, Some(port)) => port,
            (Framing::RawV4 | Framing::RawV6, None) => 0,
            _ => return Err(io::ErrorKind::InvalidInput.into()),
        };
        let (fragmentation, marking) = (transmit.fragmentation, transmit.marking);
        let destination = match transmit.remote.ip {
            IpAddr::V4(_) => SocketAddr::new(transmit.remote.ip, port),
            IpAddr::V6(ip) => SocketAddrV6::new(ip, port, marking.flow_label.to_be(), 0).into(),
        };
        let transmit = quinn_udp::Transmit {
            destination,
            ecn: codepoint(transmit.ecn),
            contents: bytes,
            segment_size: (bytes.len() > segment).then_some(segment),
            // The socket is bound to one address.
            src_ip: None,
        };
        self.set_fragmentation(fragmentation)?;
        match self.try_send(system, &transmit, marking.dscp) {
            // The error is about an earlier packet; this one was not sent.
            Err(error) if is_of_another(&error) => self.try_send(system, &transmit, marking.dscp),
            done => done,
        }
    }

    fn try_send(
        &self,
        system: &dyn System,
        transmit: &quinn_udp::Transmit<'_>,
        dscp: u8,
    ) -> io::Result<()> {
        for _ in 0..INTERRUPTIONS {
            let sent = system.send(&self.socket, &self.state, transmit, dscp);
            match sent {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
        Err(io::ErrorKind::Interrupted.into())
    }

    /// Sets whether routers and the kernel may fragment packets; a rare change.
    fn set_fragmentation(&self, wanted: Fragmentation) -> io::Result<()> {
        let mut current = (self.fragmentation.lock()).unwrap_or_else(PoisonError::into_inner);
        if *current != wanted {
            match wanted {
                Fragmentation::Allowed => allow_fragments(&self.socket, self.local)?,
                Fragmentation::Forbidden => forbid_fragments(&self.socket, self.local)?,
            }
            *current = wanted;
        }
        Ok(())
    }

    /// Takes the oldest relevant errors about sent packets.
    #[cfg(linux)]
    pub(super) fn take_icmp_reports(&self, mut on_socket_error: impl FnMut(IcmpReport)) {
        let mut quoted = [0; 128];
        // Ends at an empty queue; a flood is left for later.
        for _ in 0..64 {
            match sys::error_queue::take(&self.socket, &mut quoted) {
                Ok(Some(error)) => {
                    if let Some(report) = icmp::report(&error, self.framing, &quoted) {
                        on_socket_error(report);
                    }
                }
                Ok(None) | Err(_) => return,
            }
        }
    }

    /// Receives at most one batch.
    pub(crate) fn receive(&self, system: &dyn System, batch: &mut Batch) -> io::Result<()> {
        batch.filled = 0;
        let mut chunks = batch.bytes.chunks_exact_mut(LARGEST);
        let mut slices: [IoSliceMut<'_>; BATCH] =
            std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        batch.filled = system.receive(
            UdpSockRef::from(&self.socket),
            &self.state,
            &mut slices,
            &mut batch.metas,
        )?;
        batch.local = Some((self.local, self.framing));
        if self.is_unplugged() {
            batch.filled = 0;
        }
        Ok(())
    }

    /// Restricts a raw socket to packets to SCTP ports within `ranges`. UDP sockets need no filter,
    /// since their port is exclusive.
    #[cfg(linux)]
    pub(super) fn set_ports(&self, ranges: &[RangeInclusive<u16>]) -> io::Result<()> {
        let at = match self.framing {
            Framing::Udp => return Ok(()),
            Framing::RawV4 => HeaderAt::AfterIpv4,
            Framing::RawV6 => HeaderAt::Start,
        };
        filter::attach(&self.socket, at, ranges)
    }

    /// Does nothing: the driver drops foreign packets.
    #[cfg(not(linux))]
    pub(super) fn set_ports(&self, _ranges: &[RangeInclusive<u16>]) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Permits fragmentation: without path MTU discovery, a path narrower than the initial path MTU
/// must carry packets in fragments rather than none.
fn allow_fragments(socket: &socket2::Socket, local: IpAddr) -> io::Result<()> {
    match local {
        IpAddr::V4(_) => sys::set(socket, IntOption::FragmentV4),
        IpAddr::V6(_) => {
            sys::set(socket, IntOption::DontFragmentV6(0))?;
            sys::set(socket, IntOption::FragmentV6)
        }
    }
}

/// Forbids fragmentation, whatever path MTU the kernel assumes, so that the engine can probe (RFC
/// 8899 §3).
#[cfg(linux)]
fn forbid_fragments(socket: &socket2::Socket, local: IpAddr) -> io::Result<()> {
    match local {
        IpAddr::V4(_) => sys::set(socket, IntOption::ProbeV4),
        IpAddr::V6(_) => {
            sys::set(socket, IntOption::ProbeV6)?;
            sys::set(socket, IntOption::DontFragmentV6(1))
        }
    }
}

/// Does nothing: on this system, path MTU discovery is off unless the user enables it.
#[cfg(not(linux))]
fn forbid_fragments(_socket: &socket2::Socket, _local: IpAddr) -> io::Result<()> {
    Ok(())
}

/// Whether a send error may be a pending ICMP error about an earlier packet.
fn is_of_another(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
    ) || matches!(
        error.raw_os_error(),
        Some(libc::EMSGSIZE | libc::ENOPROTOOPT | libc::EPROTO)
    )
}

/// Whether a packet was refused for want of a route or of an interface that is up.
pub(super) fn has_no_route(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
    )
}

/// Buffers for one receiving system call, and the received datagrams.
pub(crate) struct Batch {
    bytes: Vec<u8>,
    metas: [RecvMeta; BATCH],
    filled: usize,
    local: Option<(IpAddr, Framing)>,
    /// Decrypted packets, which replace the received ones.
    opened: Option<Vec<Opened>>,
    /// Integrity of each packet; empty before [`verify`](Self::verify).
    known: Vec<Integrity>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            bytes: vec![0; BATCH * LARGEST],
            metas: [RecvMeta::default(); BATCH],
            filled: 0,
            local: None,
            opened: None,
            known: Vec::new(),
        }
    }
}

impl Batch {
    /// Whether the batch is full, so that the socket may have more.
    pub(crate) fn is_full(&self) -> bool {
        self.filled == BATCH
    }

    /// Whether the batch is so large that more packets have probably arrived.
    pub(crate) fn is_large(&self) -> bool {
        self.packets() >= BATCH
    }

    /// Total size of the packets, bytes.
    pub(crate) fn bytes(&self) -> usize {
        let received = self.metas.iter().take(self.filled);
        received.map(|meta| meta.len).sum()
    }

    /// Number of packets.
    pub(super) fn packets(&self) -> usize {
        let packets = |meta: &RecvMeta| meta.len.div_ceil(meta.stride.max(1));
        self.metas[..self.filled].iter().map(packets).sum()
    }

    /// Replaces the received records by the packets that `open` decrypts.
    pub(super) fn open(&mut self, mut open: impl FnMut(&mut Arrival<'_>, &mut Vec<Opened>)) {
        let mut opened = self.opened.take().unwrap_or_default();
        opened.clear();
        if let Some((local, Framing::Udp)) = self.local {
            let received = self.bytes.chunks_exact_mut(LARGEST).zip(&self.metas);
            for (buffer, (bytes, meta)) in received.take(self.filled).enumerate() {
                let mut arrival = Arrival {
                    buffer,
                    local,
                    remote: meta.addr,
                    ecn: ecn(meta.ecn),
                    bytes: &mut bytes[..meta.len],
                    stride: meta.stride,
                };
                open(&mut arrival, &mut opened);
            }
        }
        self.opened = Some(opened);
    }

    /// Local and remote addresses of datagrams that begin a DTLS handshake.
    pub(super) fn hellos_of_dtls(&self) -> impl Iterator<Item = (IpAddr, SocketAddr)> {
        let local = self.local.filter(|(_, framing)| *framing == Framing::Udp);
        let received = self.bytes.chunks_exact(LARGEST).zip(&self.metas);
        let hellos = received
            .take(self.filled)
            .filter(|(bytes, meta)| is_hello_of_dtls(bytes.get(..meta.len).unwrap_or_default()));
        hellos.filter_map(move |(_, meta)| Some((local?.0, meta.addr)))
    }

    /// Verifies the packets' checksums, unless checksums are offloaded.
    pub(crate) fn verify(&mut self, checksum: Checksum) {
        let mut known = mem::take(&mut self.known);
        known.clear();
        match checksum {
            Checksum::Computed => {
                known.extend(
                    self.unverified()
                        .map(|packet| Integrity::of(packet.payload)),
                );
            }
            Checksum::Offloaded => {}
        }
        self.known = known;
    }

    /// The packets as engine datagrams, with their integrity.
    pub(crate) fn datagrams(&self) -> impl Iterator<Item = (Datagram<'_>, Integrity)> {
        let known = self.known.iter().copied();
        (self.unverified()).zip(known.chain(iter::repeat(Integrity::Unknown)))
    }

    fn unverified(&self) -> impl Iterator<Item = Datagram<'_>> {
        let received = self.bytes.chunks_exact(LARGEST).zip(&self.metas);
        let plain = match self.opened {
            Some(_) => 0,
            None => self.filled,
        };
        let plain = received
            .take(plain)
            .flat_map(move |(bytes, meta)| self.split(&bytes[..meta.len], meta));
        let opened = self.opened.iter().flatten();
        plain.chain(opened.filter_map(|opened| self.opened_datagram(opened)))
    }

    /// A decrypted packet as a datagram.
    fn opened_datagram(&self, opened: &Opened) -> Option<Datagram<'_>> {
        let start = opened.buffer * LARGEST;
        let range = start + opened.packet.start..start + opened.packet.end;
        Some(Datagram {
            local: super::dtls::LOCAL,
            remote: opened.remote,
            ecn: opened.ecn,
            payload: self.bytes.get(range)?,
        })
    }

    /// Splits a buffer into the packets that the kernel joined (GRO).
    fn split<'a>(
        &'a self,
        bytes: &'a [u8],
        meta: &'a RecvMeta,
    ) -> impl Iterator<Item = Datagram<'a>> {
        bytes.chunks(meta.stride.max(1)).filter_map(move |packet| {
            let (local, framing) = self.local?;
            let (payload, encapsulation, ecn) = match framing {
                Framing::Udp => (packet, Some(meta.addr.port()), ecn(meta.ecn)),
                Framing::RawV4 => raw::strip_ipv4(packet).map(|(p, ecn)| (p, None, ecn))?,
                Framing::RawV6 => (packet, None, ecn(meta.ecn)),
            };
            Some(Datagram {
                local,
                remote: PeerAddress {
                    ip: meta.addr.ip(),
                    encapsulation,
                },
                ecn,
                payload,
            })
        })
    }
}

fn codepoint(ecn: Ecn) -> Option<EcnCodepoint> {
    match ecn {
        Ecn::NotEct => None,
        Ecn::Ect0 => Some(EcnCodepoint::Ect0),
        Ecn::Ect1 => Some(EcnCodepoint::Ect1),
        Ecn::Ce => Some(EcnCodepoint::Ce),
    }
}

pub(super) fn ecn(codepoint: Option<EcnCodepoint>) -> Ecn {
    match codepoint {
        None => Ecn::NotEct,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}
