//! Two endpoints with given keys, over a network in memory.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use serde_json::{Value, json};
use sheave_engine::wire::{ChunkType, Packet, StreamId, dtls};
use sheave_engine::{
    AssocId, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, Message, Node, Options,
    PeerAddress, Protection, ProtectionChange, SendOptions, Time,
};
use sheave_secure::{Begun, CipherSuite, Failure, PreShared, PreSharedKeys, TrafficKeys};

use super::vectors::python;

const PORT: u16 = 5000;

/// Bytes that differ from one direction to the other.
fn material(suite: CipherSuite, direction: u8) -> [Vec<u8>; 3] {
    let run = |from: u8, len: usize| (0..len).map(|n| from ^ (n as u8 * 7)).collect();
    let len = suite.key_len();
    [
        run(direction, len),
        run(direction + 1, 12),
        run(direction + 2, len),
    ]
}

fn keys(suite: CipherSuite) -> PreSharedKeys {
    let of = |direction| {
        let [key, iv, sn_key] = material(suite, direction);
        TrafficKeys::new(suite, &key, &iv, &sn_key).expect("right lengths")
    };
    PreSharedKeys {
        client: of(10),
        server: of(20),
    }
}

struct Host {
    endpoint: Endpoint,
    manager: PreShared,
    assoc: Option<AssocId>,
    enforced: bool,
    failure: Option<Failure>,
    received: Vec<Message>,
}

/// Host 0 connects to host 1.
struct Pair {
    now: Time,
    hosts: [Host; 2],
    parcels: BTreeMap<(Time, usize), (usize, Vec<u8>)>,
    /// Every packet that was sent, and by whom.
    sent: Vec<(usize, Vec<u8>)>,
    /// The number of packets of which one is lost.
    lost: usize,
    /// A change of packets by somebody on the way.
    meddle: fn(&mut Vec<u8>),
}

fn address(host: usize) -> IpAddr {
    Ipv4Addr::new(10, 0, 0, host as u8 + 1).into()
}

impl Pair {
    fn new(suite: CipherSuite, lost: usize) -> Self {
        let options = Options {
            protection: Protection::Strict,
            ..Options::default()
        };
        let host = |place: usize, begun| Host {
            endpoint: Endpoint::new(
                vec![address(place)],
                EndpointOptions::default(),
                [place as u8 + 1; 32],
            ),
            manager: PreShared::new(keys(suite), begun),
            assoc: None,
            enforced: false,
            failure: None,
            received: Vec::new(),
        };
        let mut pair = Self {
            now: Time::ZERO,
            hosts: [host(0, Begun::Here), host(1, Begun::There)],
            parcels: BTreeMap::new(),
            sent: Vec::new(),
            lost,
            meddle: |_| (),
        };
        let listening = pair.hosts[1].endpoint.listen(PORT, options.clone());
        listening.expect("a free port");
        let connect = Connect {
            local_port: Some(PORT),
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress::native(address(1))],
            options,
        };
        let begun = pair.hosts[0].endpoint.connect(Time::ZERO, connect);
        pair.hosts[0].assoc = Some(begun.expect("an association"));
        pair
    }

    fn send(&mut self, from: usize, message: &Message) -> bool {
        let now = self.now;
        let host = &mut self.hosts[from];
        let Some(mut assoc) = host.assoc.and_then(|id| host.endpoint.assoc(id)) else {
            return false;
        };
        let sent = assoc.send(now, message.clone(), SendOptions::default());
        sent.is_ok()
    }

    fn run(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            for place in 0..2 {
                self.serve(place);
                self.collect(place);
            }
            let parcel = self.parcels.first_key_value().map(|((due, _), _)| *due);
            let timers = self.hosts.iter();
            let timers = timers.filter_map(|host| host.endpoint.poll_timeout());
            let Some(next) = timers.chain(parcel).min().filter(|next| *next <= end) else {
                break self.now = end;
            };
            self.now = self.now.max(next);
            while let Some(first) = self.parcels.first_entry() {
                if first.key().0 > self.now {
                    break;
                }
                let (to, payload) = first.remove();
                let datagram = Datagram {
                    local: address(to),
                    remote: PeerAddress::native(address(1 - to)),
                    ecn: Ecn::NotEct,
                    payload: &payload,
                };
                self.hosts[to].endpoint.handle_datagram(self.now, datagram);
                self.serve(to);
            }
            for host in &mut self.hosts {
                host.endpoint.handle_timeout(self.now);
            }
        }
    }

    /// Shows the manager of a host what has happened.
    fn serve(&mut self, place: usize) {
        let host = &mut self.hosts[place];
        while let Some((id, event)) = host.endpoint.poll_event() {
            host.assoc = Some(id);
            host.enforced |= event == Event::Protection(ProtectionChange::Enforced);
            let Some(mut assoc) = host.endpoint.assoc(id) else {
                continue;
            };
            let handled = host.manager.handle_event(self.now, &mut assoc, &event);
            handled.expect("an event in order");
            while let Some(read) = assoc.receive(self.now) {
                match host.manager.handle_message(&mut assoc, read.message) {
                    Ok(taken) => host.received.extend(taken),
                    Err(failure) => host.failure = Some(failure),
                }
            }
        }
    }

    fn collect(&mut self, place: usize) {
        let mut buffer = Vec::new();
        let host = &mut self.hosts[place];
        while let Some(transmit) = host.endpoint.poll_transmit(self.now, &mut buffer, 8) {
            let segment = transmit.segment_size.unwrap_or(buffer.len());
            for packet in buffer.chunks(segment) {
                let number = self.sent.len();
                self.sent.push((place, packet.to_vec()));
                if number % self.lost != self.lost - 1 {
                    let due = self.now + Duration::from_millis(10);
                    let mut packet = packet.to_vec();
                    (self.meddle)(&mut packet);
                    self.parcels.insert((due, number), (1 - place, packet));
                }
            }
        }
    }

    /// The protected packets and the keys of who sent them, in the form of the vectors.
    fn as_vectors(&mut self, suite: CipherSuite) -> Value {
        let role = |host: &mut Host| {
            let mut assoc = host.endpoint.assoc(host.assoc.expect("one")).expect("one");
            let mut shield = assoc.protection().expect("protection");
            shield.agreement().expect("an agreement").role
        };
        let roles = self.hosts.each_mut().map(role);
        let mut counts = [0; 2];
        let protected = self.sent.iter().filter_map(|(place, packet)| {
            if packet[12] != ChunkType::DTLS.0 {
                return None;
            }
            let direction = match roles[*place] {
                sheave_engine::KeyRole::Client => 10,
                sheave_engine::KeyRole::Server => 20,
            };
            let [key, iv, sn_key] = material(suite, direction).map(|bytes| hex(&bytes));
            let sequence = counts[*place];
            counts[*place] += 1;
            Some(json!({
                "suite": hex(&suite.id()), "key": key, "iv": iv, "sn_key": sn_key,
                "epoch": 3, "restart": 0, "sequence": sequence, "chunks": null,
                "header": format!("{}00000000", hex(&packet[..8])), "packet": hex(packet),
            }))
        });
        json!({ "packets": protected.collect::<Vec<_>>() })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("room");
        text
    })
}

#[test]
fn associations_come_up_protected_and_carry_messages_with_every_suite_whatever_is_lost() {
    for (suite, lost) in CipherSuite::ALL.into_iter().zip([usize::MAX, 7, 5]) {
        let mut pair = Pair::new(suite, lost);
        pair.run(Duration::from_secs(60));
        assert!(pair.hosts.iter().all(|host| host.enforced), "{suite:?}");
        let begun = pair.sent.len();
        let message = Message::new(StreamId(3), vec![7; 60_000]);
        assert!(pair.send(0, &message) && pair.send(1, &message));
        pair.run(Duration::from_secs(60));
        for host in &pair.hosts {
            assert_eq!(host.received, std::slice::from_ref(&message), "{suite:?}");
        }
        for (_, packet) in &pair.sent[begun..] {
            assert_eq!(packet[12], ChunkType::DTLS.0);
            assert!(Packet::parse(packet).is_ok_and(|packet| packet.checksum_is_valid()));
        }
    }
}

#[test]
fn an_idle_end_learns_that_protection_is_established_though_nobody_sends() {
    for lost in 3..9 {
        let mut pair = Pair::new(CipherSuite::Aes128Gcm, lost);
        pair.run(Duration::from_secs(600));
        assert!(pair.hosts.iter().all(|host| host.enforced), "one of {lost}");
        assert!(pair.hosts.iter().all(|host| host.received.is_empty()));
    }
}

#[test]
fn a_parameter_that_somebody_on_the_way_has_changed_is_found() {
    let mut pair = Pair::new(CipherSuite::Aes128Gcm, usize::MAX);
    // The restart bit in whichever INIT: it changes neither roles nor keys.
    pair.meddle = |packet| {
        if packet[12] == ChunkType::INIT.0 {
            let at = packet
                .windows(4)
                .position(|four| four == [0x80, 0x06, 0, 10]);
            packet[at.expect("the parameter") + 8] ^= dtls::RESTART_BIT;
            packet[8..12].fill(0);
            sheave_engine::wire::seal(packet);
        }
    };
    pair.run(Duration::from_secs(10));
    let failures = pair.hosts.each_ref().map(|host| host.failure);
    assert_eq!(failures, [Some(Failure::Message); 2]);
}

#[test]
fn the_independent_script_opens_every_packet_that_we_send() {
    let folder = std::env::temp_dir().join(format!("sheave-secure-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for suite in CipherSuite::ALL {
        let mut pair = Pair::new(suite, 11);
        pair.run(Duration::from_secs(30));
        assert!(pair.send(0, &Message::new(StreamId(1), vec![9; 20_001])));
        pair.run(Duration::from_secs(30));
        let vectors = pair.as_vectors(suite);
        assert!(
            vectors["packets"]
                .as_array()
                .is_some_and(|all| all.len() > 20)
        );
        let file = folder.join(format!("{suite:?}.json"));
        std::fs::write(&file, vectors.to_string()).expect("room");
        python(&["check", file.to_str().expect("text")]);
    }
    std::fs::remove_dir_all(&folder).expect("the folder");
}
