use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use sheave_sim::engine::Ecn;

/// Datagrams or trains received per system call.
const BATCH: usize = 8;
/// Bytes of the largest datagram or joined train.
const LARGEST: usize = 65_536;
/// Requested kernel buffer size per direction, bytes.
const BUFFER: usize = 8 << 20;

/// A UDP socket that sends and receives trains of datagrams.
pub(crate) struct Socket {
    socket: UdpSocket,
    state: UdpSocketState,
}

/// Buffers for one receiving system call.
pub(crate) struct Batch(Vec<u8>);

impl Batch {
    pub(crate) fn new() -> Self {
        Self(vec![0; BATCH * LARGEST])
    }
}

/// A received datagram.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Received<'a> {
    pub(crate) from: SocketAddr,
    /// Destination address of the datagram.
    pub(crate) at: Option<IpAddr>,
    pub(crate) ecn: Ecn,
    pub(crate) payload: &'a [u8],
}

impl Socket {
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
        // A smaller buffer only means more losses in bursts.
        let _ = state.set_recv_buffer_size(UdpSockRef::from(&socket), BUFFER);
        let _ = state.set_send_buffer_size(UdpSockRef::from(&socket), BUFFER);
        Ok(Self { socket, state })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Most datagrams in one train.
    pub(crate) fn longest_train(&self) -> usize {
        self.state.max_gso_segments()
    }

    /// Receives at most one batch; `false` if nothing was waiting.
    pub(crate) fn receive(
        &self,
        batch: &mut Batch,
        mut taker: impl FnMut(Received<'_>),
    ) -> io::Result<bool> {
        let mut metas = [RecvMeta::default(); BATCH];
        let filled = {
            let mut chunks = batch.0.chunks_exact_mut(LARGEST);
            let mut slices: [IoSliceMut<'_>; BATCH] =
                std::array::from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
            let socket = UdpSockRef::from(&self.socket);
            match self.state.recv(socket, &mut slices, &mut metas) {
                Ok(filled) => filled,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        };
        for (bytes, meta) in batch.0.chunks_exact(LARGEST).zip(&metas).take(filled) {
            let train = bytes.get(..meta.len).unwrap_or_default();
            // An empty datagram counts, too.
            let empty = train.is_empty().then_some(train);
            for payload in empty.into_iter().chain(train.chunks(meta.stride.max(1))) {
                taker(Received {
                    from: meta.addr,
                    at: meta.dst_ip,
                    ecn: ecn(meta.ecn),
                    payload,
                });
            }
        }
        Ok(true)
    }

    /// Sends datagrams of `segment` bytes each; the last may be shorter.
    pub(crate) fn send(
        &self,
        to: SocketAddr,
        from: Option<IpAddr>,
        ecn: Ecn,
        bytes: &[u8],
        segment: usize,
    ) -> io::Result<()> {
        let transmit = Transmit {
            destination: to,
            ecn: codepoint(ecn),
            contents: bytes,
            segment_size: (bytes.len() > segment).then_some(segment),
            src_ip: from,
        };
        let socket = UdpSockRef::from(&self.socket);
        self.state.try_send(socket, &transmit)
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
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

fn ecn(codepoint: Option<EcnCodepoint>) -> Ecn {
    match codepoint {
        None => Ecn::NotEct,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}
