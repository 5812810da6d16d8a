use std::io::{self, IoSliceMut};
use std::iter;
use std::mem;
use std::net::{IpAddr, SocketAddr, SocketAddrV6};
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use quinn_udp::{EcnCodepoint, RecvMeta, UdpSockRef, UdpSocketState};
use sheave_engine::wire::Verifier;
use sheave_engine::{Checksum, Datagram, Ecn, Fragmentation, Integrity, PeerAddress, Transmit};

use super::dtls::{Arrival, Opened};
#[cfg(target_os = "linux")]
use super::filter::{self, HeaderAt};
#[cfg(target_os = "linux")]
use super::icmp::{self, IcmpReport};
use super::raw;
use super::stranger::is_hello_of_dtls;
use super::system::System;
use crate::address;
use crate::sys::{self, IntOption};

/// Datagrams, or joined trains of them, taken in by one system call. More would only push the
/// first ones out of the cache before they are looked at.
const BATCH: usize = 8;

/// Bytes of the largest datagram or joined train.
const LARGEST: usize = 65_536;

/// Signals in a row that a send survives.
const INTERRUPTIONS: usize = 16;

/// The headers around the SCTP packet in what the socket sends and receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// The kernel handles the UDP header.
    Udp,
    /// Raw IPv4: the IP header comes in with the packet.
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
    /// The fragmentation setting that the kernel was last told.
    fragmentation: Mutex<Fragmentation>,
}

/// Whether the kernel splits trains that we send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offloaded {
    IfPossible,
    Never,
}

impl Socket {
    /// Takes over a bound socket.
    pub(super) fn new(
        socket: socket2::Socket,
        local: IpAddr,
        framing: Framing,
    ) -> io::Result<Self> {
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        allow_fragments(&socket, local)?;
        // Without it the network's ICMP errors are not read: then probes alone tell.
        #[cfg(target_os = "linux")]
        let _ = match local {
            IpAddr::V4(_) => sys::set(&socket, IntOption::ErrorsV4),
            IpAddr::V6(_) => sys::set(&socket, IntOption::ErrorsV6),
        };
        // Without it flow labels are the kernel's choice.
        #[cfg(target_os = "linux")]
        if local.is_ipv6() {
            let _ = sys::set(&socket, IntOption::FlowLabels(1));
        }
        // Nobody reads the time stamps that come with the batched receive, and beside them the
        // ECN bits of joined packets would not fit.
        #[cfg(target_os = "linux")]
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

    /// The MTU of its interface, bytes, where that is known.
    pub(super) fn mtu(&self) -> Option<u16> {
        self.mtu
    }

    /// The UDP port that it is bound to.
    pub(super) fn port(&self) -> io::Result<u16> {
        let address = self.socket.local_addr()?;
        Ok(address.as_socket().map_or(0, |address| address.port()))
    }

    /// Asks for buffers of that many bytes, beyond the system's limit where that is allowed.
    pub(super) fn set_buffers(&self, bytes: usize) {
        // What was granted is read back and reported.
        #[cfg(target_os = "linux")]
        {
            // The kernel doubles the number, for its own overhead.
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

    /// Sends and receives one packet per call from now on.
    pub(super) fn refuse_offload(&mut self) {
        self.offload = Offloaded::Never;
        #[cfg(target_os = "linux")]
        if self.framing == Framing::Udp {
            let _ = sys::set(&self.socket, IntOption::UdpGro(0));
        }
    }

    /// Receive buffer that the kernel granted, bytes, its overhead included.
    pub(crate) fn receive_buffer(&self) -> usize {
        self.socket.recv_buffer_size().unwrap_or(0)
    }

    /// Packets dropped because the receive buffer was full.
    pub(crate) fn drops(&self) -> u64 {
        sys::drops(&self.socket).unwrap_or(0)
    }

    /// Packets that one send may have.
    pub(crate) fn max_segments(&self) -> usize {
        match self.offload {
            Offloaded::IfPossible => self.state.max_gso_segments(),
            Offloaded::Never => 1,
        }
    }

    /// From now on loses what is sent and received.
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
            // The socket is bound to the one address.
            src_ip: None,
        };
        self.set_fragmentation(fragmentation)?;
        match self.try_send(system, &transmit, marking.dscp) {
            // The kernel tells of an earlier packet, and has not sent this one.
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

    /// Has routers, and the kernel, fragment what is sent, or not. It seldom changes.
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

    /// Takes the reports about sent packets: the oldest of them, as far as they matter.
    #[cfg(target_os = "linux")]
    pub(super) fn take_icmp_reports(&self, mut on_socket_error: impl FnMut(IcmpReport)) {
        let mut quoted = [0; 128];
        // An empty queue ends it; and a flood has to wait.
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

    /// Receives what waits, at most a batch.
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

    /// Lets in only packets to SCTP ports within `ranges`. UDP sockets need no filter: nobody
    /// shares their port.
    #[cfg(target_os = "linux")]
    pub(super) fn set_ports(&self, ranges: &[RangeInclusive<u16>]) -> io::Result<()> {
        let at = match self.framing {
            Framing::Udp => return Ok(()),
            Framing::RawV4 => HeaderAt::AfterIpv4,
            Framing::RawV6 => HeaderAt::Start,
        };
        filter::attach(&self.socket, at, ranges)
    }

    /// Lets everything in: the driver drops what is not ours.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn set_ports(&self, _ranges: &[RangeInclusive<u16>]) -> io::Result<()> {
        Ok(())
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Lets packets be fragmented: where the engine does not find out the path MTU itself, a path that
/// is narrower than the initial path MTU must carry packets in pieces instead of none.
fn allow_fragments(socket: &socket2::Socket, local: IpAddr) -> io::Result<()> {
    match local {
        IpAddr::V4(_) => sys::set(socket, IntOption::FragmentV4),
        IpAddr::V6(_) => {
            sys::set(socket, IntOption::DontFragmentV6(0))?;
            sys::set(socket, IntOption::FragmentV6)
        }
    }
}

/// Has packets be lost rather than fragmented, for the engine to find out what gets through
/// (RFC 8899 §3): whatever the kernel believes of the path.
#[cfg(target_os = "linux")]
fn forbid_fragments(socket: &socket2::Socket, local: IpAddr) -> io::Result<()> {
    match local {
        IpAddr::V4(_) => sys::set(socket, IntOption::ProbeV4),
        IpAddr::V6(_) => {
            sys::set(socket, IntOption::ProbeV6)?;
            sys::set(socket, IntOption::DontFragmentV6(1))
        }
    }
}

/// Elsewhere the engine is not asked to find out path MTUs unless the user wants it.
#[cfg(not(target_os = "linux"))]
fn forbid_fragments(_socket: &socket2::Socket, _local: IpAddr) -> io::Result<()> {
    Ok(())
}

/// Whether an error of a send may be that of an earlier packet, which the network complained of.
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

/// Room for what one system call receives, and what it received.
pub(crate) struct Batch {
    bytes: Vec<u8>,
    metas: [RecvMeta; BATCH],
    filled: usize,
    local: Option<(IpAddr, Framing)>,
    /// The packets that were in records, instead of those that came.
    opened: Option<Vec<Opened>>,
    /// The integrity of each packet; empty before [`verify`](Self::verify).
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
    /// Whether the socket may have more than fitted.
    pub(crate) fn is_full(&self) -> bool {
        self.filled == BATCH
    }

    /// Whether it holds so much that more has mostly come meanwhile.
    pub(crate) fn is_large(&self) -> bool {
        self.packets() >= BATCH
    }

    /// Bytes of the packets in it.
    pub(crate) fn bytes(&self) -> usize {
        let received = self.metas.iter().take(self.filled);
        received.map(|meta| meta.len).sum()
    }

    /// Packets in it.
    pub(super) fn packets(&self) -> usize {
        let packets = |meta: &RecvMeta| meta.len.div_ceil(meta.stride.max(1));
        self.metas[..self.filled].iter().map(packets).sum()
    }

    /// Has `open` take the packets out of the records that came.
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

    /// The senders of datagrams that begin a handshake of DTLS, and our addresses.
    pub(super) fn hellos_of_dtls(&self) -> impl Iterator<Item = (IpAddr, SocketAddr)> {
        let local = self.local.filter(|(_, framing)| *framing == Framing::Udp);
        let received = self.bytes.chunks_exact(LARGEST).zip(&self.metas);
        let hellos = received
            .take(self.filled)
            .filter(|(bytes, meta)| is_hello_of_dtls(bytes.get(..meta.len).unwrap_or_default()));
        hellos.filter_map(move |(_, meta)| Some((local?.0, meta.addr)))
    }

    /// Verifies the packets' checksums, unless that is left to others.
    pub(crate) fn verify(&mut self, checksum: Checksum) {
        let mut known = mem::take(&mut self.known);
        known.clear();
        match checksum {
            Checksum::Computed => {
                let mut verifier = Verifier::default();
                let packets = self.unverified();
                known.extend(
                    packets.map(|packet| Integrity::found_by(&mut verifier, packet.payload)),
                );
            }
            Checksum::Offloaded => {}
        }
        self.known = known;
    }

    /// The packets, as the engine takes them, and what is known of them.
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

    /// A packet that came in a record.
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

    /// The packets that the kernel joined into one buffer.
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
