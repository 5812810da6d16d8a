//! Explicit congestion notification on real sockets, through a box that marks packets.

use std::io::IoSliceMut;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use quinn_udp::{EcnCodepoint, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use sheave::config::Offload;
use sheave::options::{ExplicitCongestion, PathMtuDiscovery};
use sheave::{Config, Endpoint, Options, Target};

use crate::pair::{LONG, PORT, endpoint, localhost, next, number_of, numbered, quick};

/// Number of ECN-capable packets of which one is marked.
const EVERY: usize = 50;

/// Passes datagrams between one client and a server, and marks some of those that may be.
struct Router {
    address: SocketAddr,
    capable: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Router {
    /// A router at 127.0.0.`last` in front of `server`.
    fn new(last: u8, server: SocketAddr) -> Self {
        let socket = UdpSocket::bind((localhost(last), 0)).unwrap();
        let address = socket.local_addr().unwrap();
        let (capable, stop) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (seen, ended) = (Arc::clone(&capable), Arc::clone(&stop));
        let thread = thread::spawn(move || pass(&socket, server, &seen, &ended));
        Self {
            address,
            capable,
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn pass(socket: &UdpSocket, server: SocketAddr, capable: &AtomicUsize, stop: &AtomicBool) {
    let state = UdpSocketState::new(UdpSockRef::from(socket)).unwrap();
    let mut client = server;
    let mut bytes = vec![0; 65_536];
    let mut metas = [RecvMeta::default()];
    while !stop.load(Ordering::Relaxed) {
        let mut slices = [IoSliceMut::new(&mut bytes)];
        if state
            .recv(UdpSockRef::from(socket), &mut slices, &mut metas)
            .is_err()
        {
            thread::sleep(Duration::from_micros(100));
            continue;
        }
        let [meta] = metas;
        let destination = if meta.addr == server {
            client
        } else {
            client = meta.addr;
            server
        };
        for packet in bytes[..meta.len].chunks(meta.stride.max(1)) {
            let ecn = match meta.ecn {
                Some(EcnCodepoint::Ect0)
                    if capable
                        .fetch_add(1, Ordering::Relaxed)
                        .is_multiple_of(EVERY) =>
                {
                    Some(EcnCodepoint::Ce)
                }
                ecn => ecn,
            };
            let transmit = Transmit {
                destination,
                ecn,
                contents: packet,
                segment_size: None,
                src_ip: None,
            };
            let _ = state.try_send(UdpSockRef::from(socket), &transmit);
        }
    }
}

/// Sends 1000 messages through a router. How many packets were ECN-capable, marked on arrival, and
/// cuts of the window.
fn transfer(lasts: [u8; 3], ecn: ExplicitCongestion) -> (usize, u64, u64) {
    let options = Options {
        ecn,
        // The packets are counted.
        path_mtu_discovery: PathMtuDiscovery::Off,
        ..quick()
    };
    // Of joined packets the router's socket would not see the marks: time stamps take the room.
    let config = Config {
        offload: Offload::Off,
        ..Config::udp([localhost(lasts[0])], 0)
    };
    let (client, server) = (Endpoint::bind(config).unwrap(), endpoint(&[lasts[1]]));
    let address = SocketAddr::new(localhost(lasts[1]), server.udp_port().unwrap());
    let router = Router::new(lasts[2], address);
    let listener = server.listen(PORT, options.clone()).unwrap();
    let target = Target::over_udp([router.address.ip()], router.address.port(), PORT);
    let near = client
        .connect_timeout(target.with_options(options), LONG)
        .unwrap();
    let far = listener.accept_timeout(LONG).unwrap();
    let sender = near.clone();
    let sending = thread::spawn(move || {
        for number in 0..1000 {
            sender.send(numbered(0, number, 1400)).unwrap();
        }
    });
    for number in 0..1000 {
        assert_eq!(number_of(&next(&far).message.payload), number);
    }
    sending.join().unwrap();
    let capable = router.capable.load(Ordering::Relaxed);
    let received = far.stats().unwrap().marks_received;
    let cuts = near.stats().unwrap().mark_cuts;
    // They say goodbye while there is a way.
    drop((near, far, client, server));
    (capable, received, cuts)
}

#[test]
fn marks_on_the_way_reach_the_sender() {
    let (capable, received, cuts) = transfer([61, 62, 63], ExplicitCongestion::On);
    assert!(capable >= 900, "{capable} ECN-capable packets");
    assert!(received > 0, "{received} of {capable}");
    assert!(cuts > 0 && cuts <= received, "{cuts} for {received}");
}

#[test]
fn nothing_is_ecn_capable_unless_chosen() {
    let seen = transfer([64, 65, 66], ExplicitCongestion::Off);
    assert_eq!(seen, (0, 0, 0));
}
