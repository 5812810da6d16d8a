//! Packets made by hand and sent to a real endpoint over UDP encapsulation (RFC 6951): how it
//! follows a peer's port, and what other programs make of its answers. What must come back for
//! odd packets is asserted by the engine's scenarios.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use sheave::options::PathMtuDiscovery;
use sheave::{Association, Bytes, Config, Endpoint, Listener, Message, Options, Profile, StreamId};
use sheave_interop::scripted::{RawChunk, ScriptedPeer, chunk, packet, parameter};
use sheave_interop::{Watchdog, packets_to_pcap, skip, tshark};

const LONG: Duration = Duration::from_secs(60);

const DATA: u8 = 0;
const SHUTDOWN_ACK: u8 = 8;

/// RFC 9260 and nothing else: the scripted peer and scapy know no PAD chunk.
fn plain() -> Options {
    Options {
        path_mtu_discovery: PathMtuDiscovery::Off,
        ..Profile::Rfc9260.options()
    }
}

/// A listening endpoint and a peer that obeys nobody.
struct Stage {
    _endpoint: Endpoint,
    listener: Listener,
    peer: ScriptedPeer,
    _watchdog: Watchdog,
}

impl Stage {
    fn new() -> Self {
        let localhost = IpAddr::V4(Ipv4Addr::LOCALHOST);
        // The peer will not answer a shutdown.
        let config = Config {
            linger: Duration::ZERO,
            ..Config::udp([localhost], 0)
        };
        let endpoint = Endpoint::bind(config).expect("127.0.0.1 is there");
        let listener = endpoint.listen(7, plain()).expect("the port is free");
        let udp_port = endpoint.udp_port().expect("we speak UDP");
        Self {
            _endpoint: endpoint,
            listener,
            peer: ScriptedPeer::new(5000, udp_port, 7),
            _watchdog: Watchdog::start(2 * LONG),
        }
    }

    /// The same with an association.
    fn established() -> (Self, Association) {
        let mut stage = Self::new();
        stage.peer.establish();
        let association = stage.listener.accept_timeout(LONG);
        (stage, association.expect("the association is up"))
    }

    /// Sends chunks on the association and returns what comes back.
    fn ask(&mut self, chunks: &[Vec<u8>]) -> Vec<RawChunk> {
        self.peer.send(chunks);
        self.peer.hear_chunks()
    }
}

// The UDP port of the peer: RFC 6951 §5.4.

#[test]
fn a_valid_packet_from_another_udp_port_moves_the_path() {
    let (mut stage, association) = Stage::established();
    let mut moved = stage.peer.moved();
    assert!(moved.is_alive());
    let message = Message::new(StreamId(0), Bytes::from_static(b"follow"));
    association.send(message).expect("the association is up");
    moved.hear_until(DATA);
    assert_eq!(stage.peer.hear_chunks(), []);
}

#[test]
fn an_invalid_packet_from_another_udp_port_moves_nothing() {
    let (mut stage, association) = Stage::established();
    let mut forger = stage.peer.moved();
    let heartbeat = chunk(4, 0, &parameter(1, b"x"));
    let mut bytes = packet(forger.ports, forger.tag, std::slice::from_ref(&heartbeat));
    bytes[8] ^= 1;
    forger.send_bytes(&bytes);
    forger.send_tagged(forger.tag ^ 1, &[heartbeat]);
    assert_eq!(forger.hear_chunks(), []);
    let message = Message::new(StreamId(0), Bytes::from_static(b"stay"));
    association.send(message).expect("the association is up");
    stage.peer.hear_until(DATA);
}

// A second opinion.

#[test]
fn other_programs_understand_our_answers() {
    let (mut stage, association) = Stage::established();
    let strange = chunk(0xff, 0, b"what");
    let _ = stage.ask(&[strange]);
    let message = Message::new(StreamId(3), Bytes::from_static(b"odd length"));
    association.send(message).expect("the association is up");
    let _ = stage.peer.hear();
    let data = stage.peer.data(0, b"x");
    let _ = stage.ask(std::slice::from_ref(&data));
    let _ = stage.ask(&[data]);
    association.abort("odd reason");
    let _ = stage.peer.hear();
    stage
        .peer
        .send_tagged(0xabcd, &[chunk(SHUTDOWN_ACK, 0, b"")]);
    let _ = stage.peer.hear();
    let packets = stage.peer.received.iter().map(Vec::as_slice);
    let file = packets_to_pcap(packets.clone());
    match tshark(&file) {
        Some((seen, wrong)) => {
            assert_eq!(seen, packets.len());
            assert_eq!(wrong, [] as [String; 0]);
        }
        None => skip("no tshark: its opinion is missing"),
    }
    ask_scapy(&file);
    std::fs::remove_file(file).expect("the file was ours");
}

/// Has scapy take every packet apart, down to the last chunk.
fn ask_scapy(file: &Path) {
    const SCRIPT: &str = "
import struct, sys
from scapy.layers.sctp import SCTP, crc32c
from scapy.packet import Padding, Raw
data = open(sys.argv[1], 'rb').read()[24:]
while data:
    length = struct.unpack('=I', data[8:12])[0]
    packet, data = data[16:16 + length], data[16 + length:]
    seen = SCTP(packet)
    assert seen.chksum == crc32c(packet[:8] + bytes(4) + packet[12:]), seen.show2(dump=True)
    kinds = []
    layer = seen.payload
    while layer and not isinstance(layer, Raw):
        kinds.append(layer.type)
        layer = layer.payload
    assert kinds and (not layer or isinstance(layer, Padding)), seen.show2(dump=True)
";
    let has_scapy = |python: &&str| {
        let run = Command::new(python).args(["-c", "import scapy"]).output();
        run.is_ok_and(|run| run.status.success())
    };
    let Some(python) = ["/usr/bin/python3", "python3"]
        .iter()
        .copied()
        .find(has_scapy)
    else {
        skip("no scapy: its opinion is missing");
        return;
    };
    let run = Command::new(python).args(["-c", SCRIPT]).arg(file).output();
    let run = run.expect("python was there just now");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
