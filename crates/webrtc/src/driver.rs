//! UDP sockets and a clock for a connection, for programs without an event loop.

mod train;

use std::fmt;
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn_udp::{RecvMeta, UdpSockRef, UdpSocketState};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, Protocol, Socket as RawSocket, Type};

use self::train::Train;
use crate::{PeerConnection, Transmit};

/// Requested size of socket buffers, bytes.
const SOCKET_BUFFER: usize = 4 << 20;

/// Datagrams or trains read per system call.
const BATCH: usize = 8;

/// Longest train of datagrams, bytes.
const TRAIN: usize = 60_000;

/// Longest received UDP datagram or train, bytes.
const LONGEST: usize = 65_535;

/// Reads per socket before outgoing datagrams are sent.
const ROUNDS: usize = 4;

/// Datagrams handled before replies are sent (RFC 9260 §6.2). One SACK for everything received
/// would be enough for us; but a sender limited to Max.Burst packets per SACK (§6.1 D), such as
/// Chromium, would then never have more than four packets in flight.
const ANSWERED: usize = 2;

/// The sockets of a [`PeerConnection`].
pub struct UdpDriver {
    sockets: Vec<Socket>,
    bell: UnixDatagram,
    waker: DriverWaker,
    buffer: Vec<u8>,
    room: Vec<u8>,
    train: Train,
}

struct Socket {
    io: UdpSocket,
    state: UdpSocketState,
    address: SocketAddr,
}

/// Interrupts a [`UdpDriver`]'s wait from another thread.
#[derive(Clone, Debug)]
pub struct DriverWaker(Arc<UnixDatagram>);

impl DriverWaker {
    /// Ends the current wait, or else the next one.
    pub fn wake(&self) {
        // If the socket is full, a wake-up is already pending.
        let _ = self.0.send(&[0]);
    }
}

/// A socket could not be opened.
#[derive(Debug)]
pub struct DriverError {
    /// The address.
    pub address: SocketAddr,
    /// The system's error.
    pub source: io::Error,
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UDP {}: {}", self.address, self.source)
    }
}

impl std::error::Error for DriverError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

impl UdpDriver {
    /// Binds one socket per address. If `addresses` is empty, binds to the interface addresses that
    /// other machines can reach, or to 127.0.0.1 if there are none. Port 0 picks a free port for
    /// each.
    ///
    /// # Errors
    /// See [`DriverError`].
    pub fn bind(addresses: &[IpAddr], port: u16) -> Result<Self, DriverError> {
        let own;
        let addresses = if addresses.is_empty() {
            own = interfaces();
            &own
        } else {
            addresses
        };
        let sockets = addresses.iter().map(|&ip| {
            let address = SocketAddr::new(ip, port);
            Socket::bind(address).map_err(|source| DriverError { address, source })
        });
        let sockets: Vec<Socket> = sockets.collect::<Result<_, _>>()?;
        let (bell, waker) = pair().map_err(|source| DriverError {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            source,
        })?;
        Ok(Self {
            sockets,
            bell,
            waker: DriverWaker(Arc::new(waker)),
            buffer: Vec::new(),
            room: vec![0; BATCH * LONGEST],
            train: Train::default(),
        })
    }

    /// The bound addresses.
    #[must_use]
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets.iter().map(|socket| socket.address).collect()
    }

    /// A handle that interrupts waits.
    #[must_use]
    pub fn waker(&self) -> DriverWaker {
        self.waker.clone()
    }

    /// Sends pending datagrams, waits up to `limit` for a datagram or a timeout, and handles it.
    ///
    /// # Errors
    /// Waiting failed.
    pub fn turn(&mut self, connection: &mut PeerConnection, limit: Duration) -> io::Result<()> {
        let now = Instant::now();
        connection.handle_timeout(now);
        self.flush(connection);
        let due = connection.poll_timeout();
        let due = due.map_or(limit, |due| due.saturating_duration_since(now));
        if self.wait(due.min(limit))? == Ready::Sockets {
            for _ in 0..ROUNDS {
                if self.receive(connection) == Left::Nothing {
                    break;
                }
            }
        }
        connection.handle_timeout(Instant::now());
        self.flush(connection);
        Ok(())
    }

    /// Sends pending datagrams.
    pub fn flush(&mut self, connection: &mut PeerConnection) {
        let length = usize::from(connection.pmtu().unwrap_or(1500)) + 128;
        let most = (TRAIN / length).max(1);
        loop {
            let now = Instant::now();
            let Some(transmit) = connection.poll_transmit(now, &mut self.buffer, most) else {
                return;
            };
            send(&self.sockets, &transmit, &self.buffer);
        }
    }

    fn wait(&self, limit: Duration) -> io::Result<Ready> {
        let all = self.sockets.iter().map(|socket| socket.io.as_fd());
        let mut all: Vec<PollFd<'_>> = [self.bell.as_fd()]
            .into_iter()
            .chain(all)
            .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
            .collect();
        let limit = Timespec::try_from(limit).unwrap_or_default();
        match poll(&mut all, Some(&limit)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(Ready::Nothing),
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut ready = all.iter().map(|fd| !fd.revents().is_empty());
        if ready.next() == Some(true) {
            while self.bell.recv(&mut [0; 8]).is_ok() {}
        }
        Ok(match ready.any(|is_ready| is_ready) {
            true => Ready::Sockets,
            false => Ready::Nothing,
        })
    }

    /// Handles the datagrams that one system call reads from each socket.
    fn receive(&mut self, connection: &mut PeerConnection) -> Left {
        let (mut any, mut left) = (0, Left::Nothing);
        let Self {
            sockets,
            buffer,
            room,
            train,
            ..
        } = self;
        for socket in &*sockets {
            let mut slices: Vec<IoSliceMut<'_>> = room
                .chunks_exact_mut(LONGEST)
                .map(IoSliceMut::new)
                .collect();
            let mut metas = [RecvMeta::default(); BATCH];
            let received = socket
                .state
                .recv(UdpSockRef::from(&socket.io), &mut slices, &mut metas);
            let Ok(count) = received else {
                continue;
            };
            if count == BATCH.min(quinn_udp::BATCH_SIZE) {
                left = Left::Perhaps;
            }
            let now = Instant::now();
            for (slice, meta) in slices.iter().zip(&metas[..count]) {
                let bytes = slice.get(..meta.len).unwrap_or_default();
                for datagram in bytes.chunks(meta.stride.max(1)) {
                    connection.handle_datagram(now, socket.address, meta.addr, datagram);
                    any += 1;
                    if usize::is_multiple_of(any, ANSWERED)
                        && let Some(transmit) = connection.poll_transmit(now, buffer, 1)
                    {
                        train.push(sockets, &transmit, buffer);
                    }
                }
            }
        }
        train.leave(sockets);
        left
    }
}

/// Result of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    Sockets,
    Nothing,
}

/// Whether sockets hold unread datagrams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Perhaps,
    Nothing,
}

impl Socket {
    fn bind(address: SocketAddr) -> io::Result<Self> {
        let raw = RawSocket::new(
            Domain::for_address(address),
            Type::DGRAM,
            Some(Protocol::UDP),
        )?;
        if address.is_ipv6() {
            raw.set_only_v6(true)?;
        }
        // The kernel may grant less.
        let _ = raw.set_recv_buffer_size(SOCKET_BUFFER);
        let _ = raw.set_send_buffer_size(SOCKET_BUFFER);
        raw.bind(&address.into())?;
        let io = UdpSocket::from(raw);
        let state = UdpSocketState::new(UdpSockRef::from(&io))?;
        let address = io.local_addr()?;
        Ok(Self { io, state, address })
    }

    /// Sends datagrams. A refused one counts as lost: usually a probe that is too long, or an
    /// unreachable destination.
    fn send(&self, destination: SocketAddr, contents: &[u8], segment_size: Option<usize>) {
        let transmit = quinn_udp::Transmit {
            destination,
            ecn: None,
            contents,
            segment_size,
            src_ip: None,
        };
        let send = || self.state.try_send(UdpSockRef::from(&self.io), &transmit);
        match send() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut room = [PollFd::new(&self.io, PollFlags::OUT)];
                let limit = Timespec {
                    tv_sec: 0,
                    tv_nsec: 10_000_000,
                };
                let _ = poll(&mut room, Some(&limit));
                let _ = send();
            }
            // Without segmentation offload in the kernel: one by one.
            Err(_) if segment_size.is_some() => {
                let length = segment_size.unwrap_or(contents.len());
                for datagram in contents.chunks(length.max(1)) {
                    self.send(destination, datagram, None);
                }
            }
            _ => {}
        }
    }
}

/// Sends datagrams from their source address's socket.
fn send(sockets: &[Socket], transmit: &Transmit, contents: &[u8]) {
    let socket = sockets.iter().find(|it| it.address == transmit.local);
    if let Some(socket) = socket {
        socket.send(transmit.remote, contents, transmit.segment_size);
    }
}

fn pair() -> io::Result<(UnixDatagram, UnixDatagram)> {
    let (bell, waker) = UnixDatagram::pair()?;
    bell.set_nonblocking(true)?;
    waker.set_nonblocking(true)?;
    Ok((bell, waker))
}

/// Interface addresses that other machines can reach; 127.0.0.1 if there are none.
fn interfaces() -> Vec<IpAddr> {
    let all = if_addrs::get_if_addrs().unwrap_or_default();
    let mut all: Vec<IpAddr> = all
        .into_iter()
        .filter(|interface| !interface.is_loopback() && !interface.is_link_local())
        .map(|interface| interface.ip())
        .collect();
    all.sort_unstable();
    all.dedup();
    if all.is_empty() {
        all.push(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    all
}
