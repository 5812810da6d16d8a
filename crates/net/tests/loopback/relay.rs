use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::pair::localhost;

/// A box between a client and a server that passes UDP datagrams on, as a NAT does: the server
/// sees the client behind a port of the relay.
pub(crate) struct Relay {
    front: UdpSocket,
    back: Arc<Mutex<UdpSocket>>,
    last: Arc<Mutex<Vec<u8>>>,
    /// Datagrams of the server that are passed on before it falls silent.
    answers: Arc<AtomicUsize>,
    server: SocketAddr,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Relay {
    /// A relay at 127.0.0.`last` towards `server`.
    pub(crate) fn new(last: u8, server: SocketAddr) -> Self {
        let open = || {
            let socket = UdpSocket::bind((localhost(last), 0)).unwrap();
            socket
                .set_read_timeout(Some(Duration::from_millis(5)))
                .unwrap();
            socket
        };
        let mut relay = Self {
            front: open(),
            back: Arc::new(Mutex::new(open())),
            last: Arc::default(),
            answers: Arc::new(AtomicUsize::new(usize::MAX)),
            server,
            stop: Arc::default(),
            threads: Vec::new(),
        };
        let client = Arc::new(Mutex::new(None));
        relay.threads = vec![relay.forth(Arc::clone(&client)), relay.back(client)];
        relay
    }

    /// The port that clients send to.
    pub(crate) fn port(&self) -> u16 {
        self.front.local_addr().unwrap().port()
    }

    /// The port that the server sees.
    pub(crate) fn outer_port(&self) -> u16 {
        self.back.lock().unwrap().local_addr().unwrap().port()
    }

    /// Takes another port towards the server.
    pub(crate) fn rebind(&self) {
        let fresh = UdpSocket::bind(self.front.local_addr().map(|a| (a.ip(), 0)).unwrap()).unwrap();
        fresh
            .set_read_timeout(Some(Duration::from_millis(5)))
            .unwrap();
        *self.back.lock().unwrap() = fresh;
    }

    /// Lets so many more datagrams of the server through and no other.
    pub(crate) fn pass_answers(&self, count: usize) {
        self.answers.store(count, Ordering::Relaxed);
    }

    /// The client's last packet with one byte changed, from yet another port of the relay.
    pub(crate) fn forge(&self) -> u16 {
        let forger =
            UdpSocket::bind(self.front.local_addr().map(|a| (a.ip(), 0)).unwrap()).unwrap();
        let mut packet = self.last.lock().unwrap().clone();
        *packet.last_mut().unwrap() ^= 1;
        forger.send_to(&packet, self.server).unwrap();
        forger.local_addr().unwrap().port()
    }

    fn forth(&self, client: Arc<Mutex<Option<SocketAddr>>>) -> JoinHandle<()> {
        let (front, back) = (self.front.try_clone().unwrap(), Arc::clone(&self.back));
        let (last, stop, server) = (Arc::clone(&self.last), Arc::clone(&self.stop), self.server);
        thread::spawn(move || {
            let mut buffer = [0; 65_536];
            while !stop.load(Ordering::Relaxed) {
                let Ok((len, from)) = front.recv_from(&mut buffer) else {
                    continue;
                };
                *client.lock().unwrap() = Some(from);
                *last.lock().unwrap() = buffer[..len].to_vec();
                let _ = back.lock().unwrap().send_to(&buffer[..len], server);
            }
        })
    }

    fn back(&self, client: Arc<Mutex<Option<SocketAddr>>>) -> JoinHandle<()> {
        let (front, back) = (self.front.try_clone().unwrap(), Arc::clone(&self.back));
        let (stop, answers) = (Arc::clone(&self.stop), Arc::clone(&self.answers));
        thread::spawn(move || {
            let mut buffer = [0; 65_536];
            while !stop.load(Ordering::Relaxed) {
                let socket = back.lock().unwrap().try_clone().unwrap();
                let received = socket.recv(&mut buffer);
                // A port that was left meanwhile leads nowhere.
                let port = |socket: &UdpSocket| socket.local_addr().unwrap().port();
                if port(&socket) != port(&back.lock().unwrap()) {
                    continue;
                }
                if let (Ok(len), Some(to)) = (received, *client.lock().unwrap()) {
                    let left = answers.load(Ordering::Relaxed);
                    if left == 0 {
                        continue;
                    }
                    answers.fetch_sub(1, Ordering::Relaxed);
                    let _ = front.send_to(&buffer[..len], to);
                }
            }
        })
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
