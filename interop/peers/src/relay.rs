use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sheave_engine::wire::{Chunk, Packet};

use crate::{Impairment, Random, Side, Tape};

/// Longest wait for a datagram.
const PAUSE: Duration = Duration::from_millis(20);

/// Passes datagrams on between two UDP ports of 127.0.0.1, over impaired links, and keeps what was
/// sent.
pub struct Relay {
    /// The port that both must send to.
    pub port: u16,
    tape: Arc<Mutex<Tape>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    /// Joins the port of the left end and that of the right one.
    pub fn between(left: u16, right: u16, impairment: Impairment, seed: u64) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("127.0.0.1 is there");
        let port = socket.local_addr().expect("it is bound").port();
        let (tape, stop) = <(Arc<Mutex<Tape>>, Arc<AtomicBool>)>::default();
        let mut link = Link {
            socket,
            ports: [left, right],
            impairment,
            random: Random::new(seed),
            due: BTreeMap::new(),
            taken: 0,
        };
        let (kept, ended) = (Arc::clone(&tape), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            let mut bytes = vec![0; 65_536];
            while !ended.load(Ordering::Relaxed) {
                link.deliver();
                if let Some((from, packet)) = link.take(&mut bytes) {
                    let mut tape = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    tape.push(from, packet);
                }
            }
        });
        Self {
            port,
            tape,
            stop,
            thread: Some(thread),
        }
    }

    /// The packets sent so far.
    pub fn tape(&self) -> Tape {
        let tape = self.tape.lock().unwrap_or_else(PoisonError::into_inner);
        tape.clone()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The datagrams on their way.
struct Link {
    socket: UdpSocket,
    /// Ports of the left end and of the right one.
    ports: [u16; 2],
    impairment: Impairment,
    random: Random,
    due: BTreeMap<(Instant, u64), (u16, Vec<u8>)>,
    taken: u64,
}

impl Link {
    /// Puts on the network what has been on its way for long enough.
    fn deliver(&mut self) {
        while let Some(entry) = self.due.first_entry()
            && entry.key().0 <= Instant::now()
        {
            let (to, packet) = entry.remove();
            let to = SocketAddr::from((Ipv4Addr::LOCALHOST, to));
            // A port that nobody has any more loses what is sent to it.
            let _ = self.socket.send_to(&packet, to);
        }
    }

    /// Waits for a datagram until the next one is due.
    fn take<'a>(&mut self, bytes: &'a mut [u8]) -> Option<(Side, &'a [u8])> {
        let next = self.due.keys().next();
        let wait = next.map_or(PAUSE, |(at, _)| {
            at.saturating_duration_since(Instant::now())
        });
        let wait = wait.clamp(Duration::from_micros(100), PAUSE);
        self.socket.set_read_timeout(Some(wait)).ok()?;
        let (len, from) = self.socket.recv_from(bytes).ok()?;
        let (from, to) = match from.port() == self.ports[0] {
            true => (Side::Left, self.ports[1]),
            false => (Side::Right, self.ports[0]),
        };
        let (now, packet) = (Instant::now(), &bytes[..len]);
        let (due, taken) = (&mut self.due, &mut self.taken);
        let impairment = if is_last_word(packet) {
            Impairment::CLEAN
        } else {
            self.impairment
        };
        impairment.apply(&mut self.random, packet, |delay, copy| {
            *taken += 1;
            due.insert((now + delay, *taken), (to, copy));
        });
        Some((from, packet))
    }
}

/// Whether it ends an association: a program that has said so is gone, and would not say it again.
fn is_last_word(packet: &[u8]) -> bool {
    let chunks = Packet::parse(packet).map(|packet| packet.chunks());
    let is_last = |chunk: Chunk<'_>| matches!(chunk, Chunk::ShutdownComplete(_) | Chunk::Abort(_));
    chunks.is_ok_and(|chunks| chunks.flatten().any(is_last))
}
