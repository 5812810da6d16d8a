//! Real sockets with an emulator between them.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use sheave_emulate::{EmulateError, Emulator, Running};
use sheave_sim::scenario::read_network;

const PATIENCE: Duration = Duration::from_secs(60);

/// Tolerated lateness of the best of several datagrams on a busy machine: small enough to show
/// directions that are swapped or delays that are added up.
const LATE: Duration = Duration::from_millis(25);

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    socket
}

/// A server behind a link with these properties, and the address for clients.
fn behind(link: &str) -> (UdpSocket, SocketAddr, Running) {
    let network = read_network(link).expect("a link");
    let mut emulator = Emulator::new(&network, 1).expect("a network");
    let server = socket();
    let to = server.local_addr().expect("an address");
    let listen = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    let front = emulator.add_relay(listen, to).expect("a relay");
    (server, front, Running::start(emulator).expect("a thread"))
}

fn receive(socket: &UdpSocket) -> (Vec<u8>, SocketAddr) {
    let mut bytes = vec![0; 65_536];
    let (len, from) = socket.recv_from(&mut bytes).expect("a datagram");
    bytes.truncate(len);
    (bytes, from)
}

/// Bytes that the emulator's thread writes.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_capture_has_the_packets_of_its_direction() {
    let network = read_network(r#"delay = "1 ms""#).expect("a link");
    let mut emulator = Emulator::new(&network, 1).expect("a network");
    let written: [Written; 2] = Default::default();
    emulator.capture(0, written.each_ref().map(|one| Box::new(one.clone()) as _));
    let server = socket();
    let to = server.local_addr().expect("an address");
    let listen = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    let front = emulator.add_relay(listen, to).expect("a relay");
    let working = Running::start(emulator).expect("a thread");
    let client = socket();
    client.send_to(b"forth and", front).expect("sent");
    let (_, from) = receive(&server);
    server.send_to(b"home again", from).expect("sent");
    receive(&client);
    working.end().expect("it worked");
    let [there, back] = written.map(|one| one.0.lock().expect("no panic").clone());
    let has = |bytes: &[u8], text: &[u8]| bytes.windows(text.len()).any(|some| some == text);
    assert!(has(&there, b"forth and") && !has(&there, b"home again"));
    assert!(has(&back, b"home again") && !has(&back, b"forth and"));
}

#[test]
fn both_directions_take_their_own_time() {
    let link = r#"delay = "40 ms"
        back = { delay = "10 ms" }"#;
    let (server, front, working) = behind(link);
    let client = socket();
    // A busy machine may be late, but never early; the best of several datagrams is exact.
    let mut best = [Duration::MAX; 2];
    for _ in 0..10 {
        let began = Instant::now();
        client.send_to(b"there", front).expect("sent");
        let (_, from) = receive(&server);
        best[0] = best[0].min(began.elapsed());
        let began = Instant::now();
        server.send_to(b"back", from).expect("sent");
        assert_eq!(receive(&client), (b"back".to_vec(), front));
        best[1] = best[1].min(began.elapsed());
    }
    for (best, due) in best.into_iter().zip([40, 10]) {
        let due = Duration::from_millis(due);
        assert!(due <= best && best < due + LATE, "{best:?}");
    }
    let report = working.end().expect("it works");
    assert_eq!(report.clients, 1);
    assert_eq!(report.links[0].there.stats.delivered, 10);
    assert_eq!(report.links[0].back.stats.delivered, 10);
}

#[test]
fn every_client_gets_its_own_answers() {
    let (server, front, working) = behind("delay = \"1 ms\"");
    let clients: Vec<UdpSocket> = (0..40).map(|_| socket()).collect();
    for (number, client) in (0_u8..).zip(&clients) {
        client.send_to(&[number], front).expect("sent");
    }
    let mut places = std::collections::BTreeSet::new();
    for _ in &clients {
        let (bytes, from) = receive(&server);
        // The server sees the client's own address.
        assert_eq!(from.ip(), IpAddr::from(Ipv4Addr::LOCALHOST));
        places.insert(from);
        server.send_to(&[bytes[0], 100], from).expect("sent");
    }
    assert_eq!(places.len(), 40);
    for (number, client) in (0_u8..).zip(&clients) {
        assert_eq!(receive(client).0, [number, 100]);
    }
    assert_eq!(working.end().expect("it works").clients, 40);
}

#[test]
fn damage_is_in_the_payload_and_a_damaged_header_loses_the_datagram() {
    let (server, front, working) = behind("corruption = { errors = \"100 %\", flips = 1 }");
    let client = socket();
    let mut seen = 0;
    for _ in 0..200 {
        client.send_to(&[0; 72], front).expect("sent");
    }
    // Nothing more arrives, even after longer than the emulator may be blocked.
    server
        .set_read_timeout(Some(Duration::from_secs(4)))
        .expect("a timeout");
    let mut bytes = [0; 100];
    while let Ok(len) = server.recv(&mut bytes) {
        let flipped: u32 = bytes[..len].iter().map(|byte| byte.count_ones()).sum();
        assert_eq!((len, flipped), (72, 1));
        seen += 1;
    }
    let report = working.end().expect("it works");
    let there = report.links[0].there;
    // A fifth of the bits belong to the IP header, less than a tenth to the UDP header.
    assert!((100..190).contains(&seen), "{seen}");
    assert_eq!(there.stats.corrupted, seen + report.losses.misdirected);
    assert_eq!(there.lost() + there.stats.corrupted, 200);
}

#[test]
fn datagrams_of_all_lengths_arrive_in_order() {
    let (server, front, working) = behind("rate = \"1 Gbit/s\"");
    let client = socket();
    let lens = [1200, 1200, 1200, 0, 1, 700, 700, 1200, 60_000, 3];
    for len in lens {
        client.send_to(&vec![7; len], front).expect("sent");
    }
    for len in lens {
        assert_eq!(receive(&server).0, vec![7; len]);
    }
    assert_eq!(working.end().expect("it works").losses.unsent, 0);
}

#[test]
fn a_link_has_one_relay() {
    let network = read_network("").expect("a perfect link");
    let mut emulator = Emulator::new(&network, 1).expect("a network");
    let any = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    emulator.add_relay(any, any).expect("the first");
    let second = emulator.add_relay(any, any);
    assert!(matches!(second, Err(EmulateError::NoWay { ways: 1 })));
}

/// A sender that waits for its data to arrive, since socket buffers on a busy machine are small.
#[test]
fn a_long_stream_passes_whole() {
    const COUNT: u64 = 10_000;
    const AHEAD: u64 = 50;
    let (server, front, working) = behind("delay = \"1 ms\"");
    let client = socket();
    let began = Instant::now();
    for number in 0..COUNT + AHEAD {
        if number < COUNT {
            client.send_to(&[1; 1250], front).expect("sent");
        }
        if number >= AHEAD {
            assert_eq!(receive(&server).0.len(), 1250);
        }
    }
    let mbit = COUNT as f64 * 1e-2 / began.elapsed().as_secs_f64();
    let report = working.end().expect("it works");
    println!("{mbit:.0} Mbit/s, {:?}", report.losses);
    assert_eq!(report.links[0].there.stats.delivered, COUNT);
}
