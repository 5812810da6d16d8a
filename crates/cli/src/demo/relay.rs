//! A router between sender and receiver, one side of which can be unplugged.
//!
//! The relay has the same UDP port on four addresses. It forwards what sender and receiver send
//! there, and keeps source addresses so that each end sees the other's own addresses.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use quinn_udp::{RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use rustix::event::{PollFd, PollFlags, poll};

/// Datagrams of at least this size carry file bytes.
const DATA: usize = 600;
/// Kernel buffer of each socket.
const SOCKET_BUFFER: usize = 8 << 20;

/// Two networks, each with an address of the sender and one of the receiver.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The sender's addresses, one per network.
    pub sender: [IpAddr; 2],
    /// The receiver's addresses, one per network.
    pub receiver: [IpAddr; 2],
    /// The sender's UDP port.
    pub sender_port: u16,
    /// The receiver's UDP port.
    pub receiver_port: u16,
    /// The relay's UDP port.
    pub port: u16,
}

/// A running relay.
pub struct Relay {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// The event of unplugging the first network.
#[derive(Clone, Copy)]
pub struct Cut {
    /// When.
    pub at: Instant,
    /// Bytes forwarded on each network until then.
    pub passed: [u64; 2],
}

struct Shared {
    stop: AtomicBool,
    /// Bytes on the first network after which it is unplugged.
    cut_after: u64,
    cut: OnceLock<Cut>,
    /// Time of the first file bytes on the second network after the cut.
    resumed_at: OnceLock<Instant>,
    /// Bytes forwarded on each network.
    passed: [AtomicU64; 2],
    /// Datagrams dropped at the cut.
    dropped: AtomicU64,
}

/// A socket of the relay and the address that it represents.
struct Port {
    ip: IpAddr,
    socket: UdpSocket,
    state: UdpSocketState,
}

impl Relay {
    /// Starts the relay; after `cut_after` bytes on the first network, nothing passes there any
    /// more.
    ///
    /// # Errors
    /// A socket cannot be bound.
    pub fn start(layout: Layout, cut_after: u64) -> io::Result<Self> {
        let mut ports = Vec::new();
        for ip in layout.sender.into_iter().chain(layout.receiver) {
            let socket = UdpSocket::bind((ip, layout.port))?;
            let state = UdpSocketState::new(UdpSockRef::from(&socket))?;
            // A smaller buffer only means losses, which SCTP repairs.
            let _ = state.set_recv_buffer_size(UdpSockRef::from(&socket), SOCKET_BUFFER);
            let _ = state.set_send_buffer_size(UdpSockRef::from(&socket), SOCKET_BUFFER);
            ports.push(Port { ip, socket, state });
        }
        let shared = Arc::new(Shared {
            stop: AtomicBool::new(false),
            cut_after,
            cut: OnceLock::new(),
            resumed_at: OnceLock::new(),
            passed: Default::default(),
            dropped: AtomicU64::new(0),
        });
        let relaying = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("relay".to_owned())
            .spawn(move || run(&relaying, layout, &ports))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// The cut; `None` if it has not happened.
    pub fn cut(&self) -> Option<Cut> {
        self.shared.cut.get().copied()
    }

    /// Time from the cut to the first file bytes on the other network.
    pub fn gap(&self) -> Option<Duration> {
        let (cut, resumed) = (self.cut()?, self.shared.resumed_at.get()?);
        Some(resumed.saturating_duration_since(cut.at))
    }

    /// Bytes forwarded on each network so far.
    pub fn passed(&self) -> [u64; 2] {
        self.shared.passed()
    }

    /// Datagrams dropped on the unplugged network.
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Ordering::Relaxed)
    }
}

impl Shared {
    fn passed(&self) -> [u64; 2] {
        [0, 1].map(|network| self.passed[network].load(Ordering::Relaxed))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(shared: &Shared, layout: Layout, ports: &[Port]) {
    let mut buffer = vec![0; 1 << 16];
    let patience = rustix::time::Timespec {
        tv_sec: 0,
        tv_nsec: 50_000_000,
    };
    while !shared.stop.load(Ordering::Relaxed) {
        let mut fds = Vec::with_capacity(ports.len());
        fds.extend(
            ports
                .iter()
                .map(|port| PollFd::new(&port.socket, PollFlags::IN)),
        );
        if poll(&mut fds, Some(&patience)).is_err() {
            continue;
        }
        for (port, fd) in ports.iter().zip(&fds) {
            if !fd.revents().is_empty() {
                drain(shared, layout, ports, port, &mut buffer);
            }
        }
    }
}

/// Forwards datagrams waiting at one socket, in a bounded number of batches.
fn drain(shared: &Shared, layout: Layout, ports: &[Port], at: &Port, buffer: &mut [u8]) {
    for _ in 0..64 {
        let mut meta = [RecvMeta::default()];
        let received = at.state.recv(
            UdpSockRef::from(&at.socket),
            &mut [IoSliceMut::new(buffer)],
            &mut meta,
        );
        if received.is_err() {
            return;
        }
        let [meta] = meta;
        let Some(bytes) = buffer.get(..meta.len) else {
            return;
        };
        relay(shared, layout, ports, at.ip, &meta, bytes);
    }
}

fn relay(
    shared: &Shared,
    layout: Layout,
    ports: &[Port],
    to: IpAddr,
    meta: &RecvMeta,
    bytes: &[u8],
) {
    let from = meta.addr.ip();
    let port = match meta.addr.port() {
        port if port == layout.sender_port => layout.receiver_port,
        port if port == layout.receiver_port => layout.sender_port,
        _ => return,
    };
    let Some(exit) = ports.iter().find(|port| port.ip == from) else {
        return;
    };
    let is_first = |ip| ip == layout.sender[0] || ip == layout.receiver[0];
    let network = usize::from(!(is_first(from) || is_first(to)));
    let cut = shared.cut.get().is_some();
    if cut && network == 0 {
        shared.dropped.fetch_add(1, Ordering::Relaxed);
        return;
    }
    if cut && meta.stride.min(meta.len) >= DATA {
        let _ = shared.resumed_at.set(Instant::now());
    }
    shared.passed[network].fetch_add(bytes.len() as u64, Ordering::Relaxed);
    let transmit = Transmit {
        destination: SocketAddr::new(to, port),
        ecn: meta.ecn,
        contents: bytes,
        segment_size: (meta.stride > 0 && meta.stride < bytes.len()).then_some(meta.stride),
        src_ip: None,
    };
    let passed = shared.passed();
    if !cut && passed[0] >= shared.cut_after {
        let at = Instant::now();
        let _ = shared.cut.set(Cut { at, passed });
    }
    // A full queue drops datagrams, as in every router.
    let _ = exit
        .state
        .try_send(UdpSockRef::from(&exit.socket), &transmit);
}

#[cfg(test)]
mod tests;
