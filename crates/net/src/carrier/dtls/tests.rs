use std::cell::RefCell;

use sheave_engine::Ecn;

use super::*;
use crate::dtls::DtlsVersion;

const CLIENT: (IpAddr, u16) = (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 9001);
const SERVER: (IpAddr, u16) = (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 9002);

/// One-way delay of a datagram.
const DELAY: Duration = Duration::from_millis(10);

/// An end, with the packets it has decrypted.
struct End {
    connections: Connections,
    address: (IpAddr, u16),
    opened: Vec<Vec<u8>>,
}

/// Two endpoints in virtual time; `is_lost` decides by number which datagrams are lost.
struct Ends {
    now: Instant,
    client: End,
    server: End,
    alias: IpAddr,
    /// Datagrams in flight: arrival time, whether for the server, contents.
    on_their_way: Vec<(Instant, bool, Vec<u8>)>,
    sent: u64,
    is_lost: fn(u64, u64) -> bool,
    seed: u64,
}

impl End {
    fn new(version: DtlsVersion, address: (IpAddr, u16)) -> Self {
        let dtls = Dtls::with_certificate(Identity::generate().unwrap()).with_version(version);
        Self {
            connections: Connections::new(&dtls, 10).unwrap(),
            address,
            opened: Vec::new(),
        }
    }
}

/// Datagrams that a call hands to its callback, beside its result.
fn said<R>(call: impl FnOnce(SendDatagram<'_>) -> R) -> (R, Vec<Vec<u8>>) {
    let said = RefCell::new(Vec::new());
    let result = call(&|_, _, datagram| said.borrow_mut().push(datagram.to_vec()));
    (result, said.into_inner())
}

impl Ends {
    /// Creates a client that has started a handshake with a packet queued.
    fn new(version: DtlsVersion, is_lost: fn(u64, u64) -> bool, seed: u64) -> Self {
        let (client, server) = (End::new(version, CLIENT), End::new(version, SERVER));
        let mut ends = Self {
            now: Instant::now(),
            alias: LOCAL,
            client,
            server,
            on_their_way: Vec::new(),
            sent: 0,
            is_lost,
            seed,
        };
        ends.open();
        ends
    }

    /// Two ends whose first packet has crossed.
    fn established(version: DtlsVersion) -> Self {
        let mut ends = Self::new(version, |_, _| false, 0);
        while ends.server.opened.is_empty() && ends.step() {}
        ends
    }

    /// Restarts the client without closing the connection.
    fn forget_client(&mut self, version: DtlsVersion) {
        self.client = End::new(version, CLIENT);
        self.open();
    }

    /// Starts a connection at the client, with a packet queued.
    fn open(&mut self) {
        let connections = &self.client.connections;
        let (opened, said) = said(|send| connections.open(self.now, CLIENT.0, SERVER.into(), send));
        self.alias = opened.unwrap();
        self.emit(true, said);
        self.send(b"INIT");
    }

    /// Sends a packet from the client.
    fn send(&mut self, packet: &[u8]) {
        let mut said = Vec::new();
        let train = (packet, packet.len());
        let _ = self
            .client
            .connections
            .send(self.now, self.alias, train, |records| {
                said.push(records.bytes.to_vec());
            });
        self.emit(true, said);
    }

    fn emit(&mut self, to_server: bool, datagrams: Vec<Vec<u8>>) {
        for datagram in datagrams {
            self.sent += 1;
            if !(self.is_lost)(self.sent, self.seed) {
                self.on_their_way
                    .push((self.now + DELAY, to_server, datagram));
            }
        }
    }

    /// Advances to the next event; returns whether there was one.
    fn step(&mut self) -> bool {
        let timeouts = [&self.client, &self.server].map(|end| end.connections.next_timeout());
        let arrivals = self.on_their_way.iter().map(|(at, ..)| *at);
        let Some(next) = arrivals.chain(timeouts.into_iter().flatten()).min() else {
            return false;
        };
        self.now = self.now.max(next);
        let now = self.now;
        let all = std::mem::take(&mut self.on_their_way);
        let (due, later) = all.into_iter().partition(|(at, ..)| *at <= now);
        self.on_their_way = later;
        for (_, at_server, datagram) in due {
            self.arrive(at_server, datagram);
        }
        for to_server in [true, false] {
            let end = if to_server {
                &self.client
            } else {
                &self.server
            };
            let ((), said) = said(|send| end.connections.handle_timeouts(now, send));
            self.emit(to_server, said);
        }
        true
    }

    fn arrive(&mut self, at_server: bool, mut datagram: Vec<u8>) {
        let (end, from) = match at_server {
            true => (&mut self.server, CLIENT),
            false => (&mut self.client, SERVER),
        };
        let mut opened = Vec::new();
        let mut arrival = Arrival {
            buffer: 0,
            local: end.address.0,
            remote: from.into(),
            ecn: Ecn::default(),
            stride: datagram.len(),
            bytes: &mut datagram,
        };
        let connections = &end.connections;
        let ((), said) =
            said(|send| connections.receive(self.now, &mut arrival, send, &mut opened));
        let packets = opened.into_iter();
        end.opened
            .extend(packets.map(|one| datagram[one.packet].to_vec()));
        self.emit(!at_server, said);
    }
}

const VERSIONS: [DtlsVersion; 3] = [DtlsVersion::Newest, DtlsVersion::V1_2, DtlsVersion::V1_3];

#[test]
fn a_packet_that_waits_for_the_handshake_does_not_stop_it() {
    for version in VERSIONS {
        let mut ends = Ends::new(version, |number, _| number == 1, 0);
        while ends.server.opened.is_empty() && ends.step() {}
        assert_eq!(ends.server.opened, [b"INIT"], "{version:?}");
    }
}

#[test]
fn a_peer_that_closes_its_connection_is_told_of() {
    for version in VERSIONS {
        let mut ends = Ends::established(version);
        let ((), said) = said(|send| ends.client.connections.close_all(ends.now, send));
        ends.emit(true, said);
        while ends.step() {}
        let failures = ends.server.connections.take_failures();
        let errors: Vec<_> = failures.into_iter().map(|failure| failure.error).collect();
        assert_eq!(errors, [DtlsError::ClosedByPeer], "{version:?}");
        assert_eq!(ends.server.connections.len(), 0, "{version:?}");
    }
}

/// The client restarts at the same port.
#[test]
fn a_client_that_lost_its_memory_is_let_in_again() {
    for version in VERSIONS {
        let mut ends = Ends::established(version);
        ends.forget_client(version);
        while ends.server.opened.len() < 2 && ends.step() {}
        assert_eq!(ends.server.opened.len(), 2, "{version:?}");
    }
}

/// The close of a restarted client's old connection arrives after its new ClientHello.
#[test]
fn a_close_that_the_next_hello_has_overtaken_ends_the_old_connection_alone() {
    for version in VERSIONS {
        let mut ends = Ends::established(version);
        while ends.step() {}
        let old = std::mem::replace(&mut ends.client, End::new(version, CLIENT));
        ends.open();
        ends.now += DELAY / 2;
        let ((), said) = said(|send| old.connections.close_all(ends.now, send));
        ends.emit(true, said);
        while ends.server.opened.len() < 2 && ends.step() {}
        assert_eq!(ends.server.opened.len(), 2, "{version:?}");
        assert_eq!(ends.server.connections.len(), 1, "{version:?}");
    }
}

/// The server restarts and ignores the client's records until the client notices.
#[test]
fn a_server_that_lost_its_memory_is_found_again() {
    for version in VERSIONS {
        let mut ends = Ends::established(version);
        while ends.step() {}
        ends.server = End::new(version, SERVER);
        let forgotten = ends.alias;
        for _ in 0..10 {
            ends.open();
            assert_eq!(ends.alias, forgotten, "it may only be slow");
            while ends.step() {}
            ends.now += Duration::from_secs(1);
        }
        ends.open();
        assert_ne!(ends.alias, forgotten, "{version:?}");
        while ends.server.opened.is_empty() && ends.step() {}
        assert_eq!(ends.server.opened, [b"INIT"], "{version:?}");
    }
}

/// An off-path attacker that forges a client's hellos, without seeing the answers, changes nothing.
#[test]
fn forged_hellos_leave_a_connection_alone() {
    for version in VERSIONS {
        let mut ends = Ends::established(version);
        let own = ends.alias;
        for _ in 0..5 {
            let client = std::mem::replace(&mut ends.client, End::new(version, CLIENT));
            ends.open();
            ends.client = client;
            ends.alias = own;
            while ends.step() {}
            ends.send(b"genuine");
            while ends.step() {}
            assert_eq!(ends.server.opened.pop().unwrap(), b"genuine");
        }
        assert!(ends.server.connections.take_failures().is_empty());
        assert_eq!(ends.server.connections.len(), 1, "{version:?}");
    }
}

/// Hashes both numbers (SplitMix64).
fn mix(number: u64, seed: u64) -> u64 {
    let mut z = (seed << 20 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// With a third of all datagrams lost, each handshake completes or times out; none stalls, and
/// nearly all complete. The same holds for the next handshake of a restarted client.
#[test]
fn handshakes_over_a_way_that_loses_every_third_datagram_end() {
    const SEEDS: u64 = 40;
    const LIVES: u64 = 3;
    for version in VERSIONS {
        let mut late = 0;
        for seed in 0..SEEDS {
            let is_lost = |number, seed| mix(number, seed).is_multiple_of(3);
            let mut ends = Ends::new(version, is_lost, seed);
            for life in 0..LIVES {
                if life > 0 {
                    ends.forget_client(version);
                }
                let began = ends.now;
                let is_up = |ends: &Ends| {
                    let client = ends.client.connections.table().by_alias(ends.alias);
                    client.is_some_and(|client| client.lock().is_established())
                };
                while !is_up(&ends) && ends.client.connections.end_of(ends.alias).is_none() {
                    assert!(ends.step(), "{version:?}, seed {seed}: it stands still");
                }
                let took = ends.now - began;
                assert!(
                    took <= session::HANDSHAKE + DELAY,
                    "{version:?}, seed {seed}: {took:?}"
                );
                late += u64::from(!is_up(&ends));
            }
        }
        assert!(late * 10 <= SEEDS * LIVES, "{version:?}: {late}");
    }
}
