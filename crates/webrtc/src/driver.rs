//! UDP sockets and a clock for a connection, for programs without a loop of their own.

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

/// Bytes of a socket's buffers that are asked for.
const SOCKET_BUFFER: usize = 4 << 20;

/// Datagrams, or trains of them, read with one system call.
const BATCH: usize = 8;

/// Bytes of the longest train of datagrams.
const TRAIN: usize = 60_000;

/// Bytes of the longest UDP datagram, or train of them, received.
const LONGEST: usize = 65_535;

/// Rounds of reading before what there is to send is sent.
const ROUNDS: usize = 4;

/// Datagrams that arrive together and are answered before the next are looked at (RFC 9260 §6.2). One SACK
/// for all that wait would do for us, but a sender of no more than Max.Burst packets for a SACK (§6.1 D),
/// Chromium among them, would then never have more than four on the way.
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

/// Ends the wait of a [`UdpDriver`] from another thread.
#[derive(Clone, Debug)]
pub struct DriverWaker(Arc<UnixDatagram>);

impl DriverWaker {
    /// Ends the wait that is under way, or the next one.
    pub fn wake(&self) {
        // A full socket says the same.
        let _ = self.0.send(&[0]);
    }
}

/// A socket cannot be had.
#[derive(Debug)]
pub struct DriverError {
    /// The address.
    pub address: SocketAddr,
    /// What the system says.
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
    /// Binds a socket at each address; where there are none, at those of the machine's interfaces that
    /// other machines can reach, or else at 127.0.0.1. Port 0 picks a free one for each.
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

    /// The addresses of the sockets.
    #[must_use]
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets.iter().map(|socket| socket.address).collect()
    }

    /// A handle that ends waits.
    #[must_use]
    pub fn waker(&self) -> DriverWaker {
        self.waker.clone()
    }

    /// Sends what the connection has to send, waits `limit` at most until something comes or is due,
    /// and hands it over.
    ///
    /// # Errors
    /// The system refuses to wait.
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

    /// Sends what the connection has to send.
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

    /// Hands over what one system call reads from each socket.
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

/// The outcome of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    Sockets,
    Nothing,
}

/// Whether sockets hold more than was read.
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
        // The kernel gives what it allows.
        let _ = raw.set_recv_buffer_size(SOCKET_BUFFER);
        let _ = raw.set_send_buffer_size(SOCKET_BUFFER);
        raw.bind(&address.into())?;
        let io = UdpSocket::from(raw);
        let state = UdpSocketState::new(UdpSockRef::from(&io))?;
        let address = io.local_addr()?;
        Ok(Self { io, state, address })
    }

    /// Sends datagrams. One that the system refuses is lost: a probe that is too long, as a rule, or one
    /// to an address that cannot be reached.
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
            // Without segmentation in the kernel, one by one.
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

/// Sends datagrams from the socket that they are to leave from.
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

/// The addresses of interfaces that other machines can reach; 127.0.0.1 where there are none.
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
