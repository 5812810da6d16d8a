//! A key manager whose peer sends it what the input says: messages of a TLS handshake, as they are or changed, and
//! others. It must not panic, and must not take an association for protected unless the handshake was completed.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::Connection;
use sheave_engine::wire::dtls;
use sheave_engine::{
    Assoc, AssocId, Connect, Datagram, Ecn, Endpoint, EndpointOptions, Event, KeyMethods, KeyRole,
    KeyRoles, Node, Options, PeerAddress, Protection, ProtectionChange, Time,
};
use sheave_secure::{Identity, KeyManagement, KeyProgress, Names, TlsSettings, Trust};

const PORT: u16 = 5000;
/// Steps of an input that are taken at most.
const STEPS: usize = 200;

fn settings() -> &'static Arc<TlsSettings> {
    static SETTINGS: OnceLock<Arc<TlsSettings>> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let identity = Identity::generate(["sheave"]).expect("a certificate");
        let trust = Trust::default().fingerprints([identity.fingerprint()]);
        Arc::new(TlsSettings::new(identity, trust))
    })
}

fn address(place: usize) -> IpAddr {
    Ipv4Addr::new(10, 0, 0, place as u8 + 1).into()
}

/// The peer that the input plays connects to the end with a key manager.
struct Scene {
    now: Time,
    ends: [Endpoint; 2],
    peer: AssocId,
    manager: KeyManagement,
    connection: Connection,
    /// The latest message of the peer's TLS, without its epoch.
    records: Vec<u8>,
}

pub(crate) fn key_management(bytes: &[u8]) {
    let Some((&first, script)) = bytes.split_first() else {
        return;
    };
    let role = [KeyRole::Client, KeyRole::Server][usize::from(first & 1)];
    let mut scene = Scene::new(role);
    scene.exchange();
    let mut script = script.iter().copied();
    for _ in 0..STEPS {
        let Some(step) = script.next() else { break };
        scene.step(step, &mut script);
        scene.exchange();
    }
}

impl Scene {
    fn new(role: KeyRole) -> Self {
        let manager = KeyManagement::new(Arc::clone(settings()), Names::default());
        let mut ends = [0, 1].map(|place| {
            let options = EndpointOptions::default();
            Endpoint::new(vec![address(place)], options, [place as u8; 32])
        });
        let listening = ends[1].listen(PORT, manager.fit(Options::default()));
        listening.expect("a free port");
        let connect = Connect {
            local_port: None,
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress::native(address(1))],
            options: Options {
                protection: Protection::Strict,
                key_methods: KeyMethods(vec![dtls::METHOD_TLS]),
                key_roles: match role {
                    KeyRole::Client => KeyRoles::Client,
                    KeyRole::Server => KeyRoles::Server,
                },
                ..Options::default()
            },
        };
        let peer = ends[0].connect(Time::ZERO, connect);
        Self {
            now: Time::ZERO,
            peer: peer.expect("an association"),
            ends,
            manager,
            connection: settings().connection(role).expect("a connection"),
            records: Vec::new(),
        }
    }

    fn step(&mut self, step: u8, script: &mut impl Iterator<Item = u8>) {
        let mut next = || script.next().unwrap_or_default();
        let (epoch, at, change) = (step >> 4 & 7, usize::from(next()), next());
        match step & 7 {
            // TLS as it is, and the same again.
            0 | 1 => {
                self.write();
                self.say(3, &self.records.clone());
            }
            2 => self.say(3 + epoch, &self.records.clone()),
            // Changed, cut, in two messages.
            3 => {
                self.write();
                let place = at * self.records.len() / 256;
                if let Some(byte) = self.records.get_mut(place) {
                    *byte ^= change;
                }
                self.say(3, &self.records.clone());
            }
            4 => {
                self.write();
                let (one, other) = self.records.split_at(at * self.records.len() / 256);
                let (one, other) = (one.to_vec(), other.to_vec());
                self.say(3, &one);
                if change & 1 == 0 {
                    self.say(3, &other);
                }
            }
            5 => self.say(0x80 | (3 + epoch), &[change]),
            6 => {
                let words: Vec<u8> = (0..at).map(|_| next()).collect();
                self.say(change, &words);
            }
            _ => {
                self.now = self.now + Duration::from_millis(1 << (at % 16));
                self.ends
                    .iter_mut()
                    .for_each(|end| end.handle_timeout(self.now));
            }
        }
    }

    fn write(&mut self) {
        let mut fresh = Vec::new();
        while self.connection.wants_write() {
            self.connection.write_tls(&mut fresh).expect("memory");
        }
        if !fresh.is_empty() {
            self.records = fresh;
        }
    }

    fn say(&mut self, first: u8, rest: &[u8]) {
        let Some(mut assoc) = self.ends[0].assoc(self.peer) else {
            return;
        };
        if let Some(mut shield) = assoc.protection() {
            let _ = shield.send(self.now, [&[first], rest].concat());
        }
    }

    fn exchange(&mut self) {
        while self.carry(0) + self.carry(1) > 0 {}
    }

    fn carry(&mut self, from: usize) -> usize {
        self.listen();
        let (mut packets, mut buffer) = (0, Vec::new());
        while let Some(transmit) = self.ends[from].poll_transmit(self.now, &mut buffer, 1) {
            packets += 1;
            let datagram = Datagram {
                local: transmit.remote.ip,
                remote: PeerAddress::native(transmit.local),
                ecn: Ecn::NotEct,
                payload: &buffer,
            };
            self.ends[1 - from].handle_datagram(self.now, datagram);
            self.listen();
        }
        packets
    }

    fn listen(&mut self) {
        while let Some((_, event)) = self.ends[0].poll_event() {
            if event != Event::Protection(ProtectionChange::Message) {
                continue;
            }
            let assoc = &mut self.ends[0].assoc(self.peer);
            let mut shield = assoc.as_mut().and_then(Assoc::protection);
            while let Some(message) = shield.as_mut().and_then(|it| it.receive(self.now)) {
                let mut records = message.get(1..).unwrap_or_default();
                if message.first().is_some_and(|first| first & 0x80 == 0) {
                    while !records.is_empty() && self.connection.read_tls(&mut records).is_ok() {
                        let _ = self.connection.process_new_packets();
                    }
                }
            }
        }
        while let Some(progress) = self.manager.poll_event(self.now, &mut self.ends[1]) {
            let protected = matches!(progress, KeyProgress::Event(_, Event::Established { .. }));
            assert!(
                !protected || !self.connection.is_handshaking(),
                "protected without a handshake"
            );
        }
    }
}
