//! Packets that no well-behaved stack sends, made by hand and sent to a real endpoint over UDP
//! encapsulation (RFC 6951). What must come back is what RFC 9260 says.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use sheave::options::PathMtuDiscovery;
use sheave::{
    Association, Bytes, Config, Endpoint, Event, Listener, Message, Options, Profile, StreamId,
};
use sheave_interop::scripted::{
    RawChunk, ScriptedPeer, chunk, data, packet, parameter, parameters,
};
use sheave_interop::{Watchdog, packets_to_pcap, skip, tshark};

const LONG: Duration = Duration::from_secs(60);

const DATA: u8 = 0;
const INIT_ACK: u8 = 2;
const SACK: u8 = 3;
const ABORT: u8 = 6;
const SHUTDOWN_ACK: u8 = 8;
const ERROR: u8 = 9;
const COOKIE_ECHO: u8 = 10;
const COOKIE_ACK: u8 = 11;
const SHUTDOWN_COMPLETE: u8 = 14;

/// The T bit of ABORT and SHUTDOWN COMPLETE: the tag is the receiver's own one, sent back.
const REFLECTED: u8 = 1;

/// RFC 9260 and nothing else: the scripted peer and scapy know no PAD chunk.
fn plain() -> Options {
    Options {
        path_mtu_discovery: PathMtuDiscovery::Off,
        ..Profile::Rfc9260.options()
    }
}

/// A listening endpoint and a peer that obeys nobody.
struct Stage {
    endpoint: Endpoint,
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
            endpoint,
            listener,
            peer: ScriptedPeer::new(5000, udp_port, 7),
            _watchdog: Watchdog::start(2 * LONG),
        }
    }

    /// The same with an association.
    fn established() -> (Self, Association) {
        let mut stage = Self::new();
        stage.peer.establish();
        let association = stage.accept().expect("the association is up");
        (stage, association)
    }

    fn accept(&self) -> Option<Association> {
        self.listener.accept_timeout(LONG)
    }

    /// Sends chunks with tag 0 and returns what comes back.
    fn ask_untagged(&mut self, chunks: &[Vec<u8>]) -> Vec<RawChunk> {
        self.peer.send_tagged(0, chunks);
        self.peer.hear_chunks()
    }

    /// Sends chunks on the association and returns what comes back.
    fn ask(&mut self, chunks: &[Vec<u8>]) -> Vec<RawChunk> {
        self.peer.send(chunks);
        self.peer.hear_chunks()
    }
}

fn text(association: &Association) -> String {
    let received = association.receive_timeout(LONG).expect("something comes");
    let payload = received.expect("the association is open").message.payload;
    String::from_utf8(payload.to_vec()).expect("it is text")
}

fn kinds(chunks: &[RawChunk]) -> Vec<u8> {
    chunks.iter().map(|chunk| chunk.kind).collect()
}

/// The error causes of the only ABORT or ERROR chunk.
fn causes(chunks: &[RawChunk], kind: u8) -> Vec<(u16, Vec<u8>)> {
    let found: Vec<_> = chunks.iter().filter(|chunk| chunk.kind == kind).collect();
    assert_eq!(found.len(), 1, "one chunk of type {kind} among {chunks:?}");
    parameters(&found[0].value)
}

/// The parameters that an INIT ACK reports as unrecognized.
fn reported(init_ack: &[RawChunk]) -> Vec<Vec<u8>> {
    assert_eq!(kinds(init_ack), [INIT_ACK]);
    parameters(&init_ack[0].value[16..])
        .into_iter()
        .filter(|(kind, _)| *kind == 8)
        .map(|(_, value)| value)
        .collect()
}

// RFC 9260 §3.2.1: the two highest bits of an unknown parameter's type say what to do with it.

#[test]
fn an_unknown_parameter_is_skipped_or_skipped_and_reported() {
    let mut stage = Stage::new();
    let (silent, loud) = (parameter(0xbfff, b"abc"), parameter(0xffff, b"defg"));
    let init = stage.peer.init(&[silent, loud.clone(), loud.clone()]);
    let answer = stage.ask_untagged(&[init]);
    assert_eq!(reported(&answer), [loud.clone(), loud]);
}

#[test]
fn an_unknown_parameter_stops_the_rest_of_the_init() {
    let mut stage = Stage::new();
    let (stop, loud) = (parameter(0x3fff, b"abc"), parameter(0xffff, b"defg"));
    let init = stage.peer.init(&[stop, loud]);
    let answer = stage.ask_untagged(&[init]);
    assert_eq!(reported(&answer), [] as [Vec<u8>; 0]);
}

#[test]
fn an_unknown_parameter_stops_and_is_reported() {
    let mut stage = Stage::new();
    let (stop, loud) = (parameter(0x7fff, b"abcd"), parameter(0xffff, b"defg"));
    let init = stage.peer.init(&[stop.clone(), loud]);
    let answer = stage.ask_untagged(&[init]);
    assert_eq!(reported(&answer), [stop]);
}

// What an INIT may not be.

#[test]
fn an_init_with_tag_zero_is_ignored() {
    let mut stage = Stage::new();
    let init = stage.peer.init_with(0, (10, 10), &[]);
    assert_eq!(stage.ask_untagged(&[init]), []);
}

#[test]
fn an_init_without_streams_is_aborted_with_its_tag() {
    for streams in [(0, 10), (10, 0)] {
        let mut stage = Stage::new();
        let init = stage.peer.init_with(77, streams, &[]);
        stage.peer.send_tagged(0, &[init]);
        let heard = stage.peer.hear();
        assert_eq!(heard.len(), 1, "{heard:?}");
        assert_eq!((heard[0].tag, heard[0].chunks[0].kind), (77, ABORT));
        assert_eq!(heard[0].chunks[0].flags & REFLECTED, 0);
    }
}

#[test]
fn an_init_with_a_tagged_header_is_ignored() {
    let mut stage = Stage::new();
    let init = stage.peer.init(&[]);
    stage.peer.send_tagged(99, &[init]);
    let heard = stage.peer.hear_chunks();
    assert!(!kinds(&heard).contains(&INIT_ACK), "{heard:?}");
}

#[test]
fn a_bundled_init_is_ignored() {
    let mut stage = Stage::new();
    let init = stage.peer.init(&[]);
    let data = data(1, 0, 0, b"x");
    assert_eq!(stage.ask_untagged(&[init.clone(), data.clone()]), []);
    assert_eq!(stage.ask_untagged(&[data, init]), []);
}

#[test]
fn an_init_of_only_a_header_harms_nobody() {
    let mut stage = Stage::new();
    let heard = stage.ask_untagged(&[chunk(1, 0, b"")]);
    assert!(!kinds(&heard).contains(&INIT_ACK), "{heard:?}");
    stage.peer.establish();
}

#[test]
fn an_init_with_a_host_name_is_aborted() {
    let mut stage = Stage::new();
    let init = stage.peer.init(&[parameter(11, b"host.example\0")]);
    let heard = stage.ask_untagged(&[init]);
    assert_eq!(kinds(&heard), [ABORT]);
}

#[test]
fn an_init_for_a_port_without_a_listener_is_aborted() {
    let mut stage = Stage::new();
    stage.peer.ports.1 = 8;
    let init = stage.peer.init(&[]);
    stage.peer.send_tagged(0, &[init]);
    let heard = stage.peer.hear();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(
        (heard[0].tag, kinds(&heard[0].chunks)),
        (stage.peer.own_tag, vec![ABORT])
    );
    assert_eq!(heard[0].chunks[0].flags & REFLECTED, 0);
}

#[test]
fn a_bad_checksum_is_not_answered() {
    let mut stage = Stage::new();
    let mut bytes = packet(stage.peer.ports, 0, &[stage.peer.init(&[])]);
    bytes[8] ^= 1;
    stage.peer.send_bytes(&bytes);
    assert_eq!(stage.peer.hear_chunks(), []);
    assert_eq!(stage.endpoint.stats().bad_checksum, 1);
}

// The cookie.

#[test]
fn a_repeated_init_and_cookie_make_one_association() {
    let mut stage = Stage::new();
    let first = stage.peer.start();
    let second = stage.peer.start();
    stage.peer.send(&[chunk(COOKIE_ECHO, 0, &second)]);
    let heard = stage.ask(&[chunk(COOKIE_ECHO, 0, &second)]);
    assert!(
        kinds(&heard).iter().all(|kind| *kind == COOKIE_ACK),
        "{heard:?}"
    );
    assert!(stage.accept().is_some());
    // The first cookie bears another tag of ours: by now it is out of the blue or a duplicate.
    let _ = stage.ask(&[chunk(COOKIE_ECHO, 0, &first)]);
    assert!(stage.peer.is_alive());
    assert_eq!(stage.endpoint.stats().associations, 1);
}

#[test]
fn an_altered_cookie_is_ignored() {
    let mut stage = Stage::new();
    let mut cookie = stage.peer.start();
    for at in [0, cookie.len() / 2, cookie.len() - 1] {
        cookie[at] ^= 0x10;
        let heard = stage.ask(&[chunk(COOKIE_ECHO, 0, &cookie)]);
        assert_eq!(heard, [], "byte {at}");
        cookie[at] ^= 0x10;
    }
    assert_eq!(stage.endpoint.stats().associations, 0);
}

#[test]
fn a_cookie_from_another_port_is_ignored() {
    let mut stage = Stage::new();
    let cookie = stage.peer.start();
    stage.peer.ports.0 += 1;
    assert_eq!(stage.ask(&[chunk(COOKIE_ECHO, 0, &cookie)]), []);
    assert_eq!(stage.endpoint.stats().associations, 0);
}

#[test]
fn data_bundled_with_the_cookie_arrives() {
    let mut stage = Stage::new();
    let cookie = stage.peer.start();
    let data = stage.peer.data(0, b"early");
    let heard = stage.ask(&[chunk(COOKIE_ECHO, 0, &cookie), data]);
    assert_eq!(kinds(&heard)[0], COOKIE_ACK);
    let association = stage.accept().expect("the association is up");
    assert_eq!(text(&association), "early");
}

// Unknown chunks: RFC 9260 §3.2.

#[test]
fn data_on_both_sides_of_an_unknown_chunk_arrives() {
    for (unknown, is_reported) in [(0xbf, false), (0xff, true)] {
        let (mut stage, association) = Stage::established();
        let strange = chunk(unknown, 3, b"what");
        let chunks = [
            stage.peer.data(0, b"one"),
            strange.clone(),
            stage.peer.data(1, b"two"),
        ];
        let heard = stage.ask(&chunks);
        assert_eq!([text(&association), text(&association)], ["one", "two"]);
        if is_reported {
            assert_eq!(causes(&heard, ERROR), [(6, strange)]);
        } else {
            assert!(!kinds(&heard).contains(&ERROR), "{heard:?}");
        }
    }
}

#[test]
fn an_unknown_chunk_stops_the_packet() {
    for (unknown, is_reported) in [(0x3f, false), (0x7f, true)] {
        let (mut stage, association) = Stage::established();
        let strange = chunk(unknown, 0, b"stop");
        let first = stage.peer.data(0, b"one");
        let second = stage.peer.data(1, b"two");
        let heard = stage.ask(&[first, strange.clone(), second.clone()]);
        assert_eq!(text(&association), "one");
        assert_eq!(kinds(&heard).contains(&ERROR), is_reported);
        if is_reported {
            assert_eq!(causes(&heard, ERROR), [(6, strange)]);
        }
        let _ = stage.ask(&[second]);
        assert_eq!(text(&association), "two");
    }
}

// Out of the blue: RFC 9260 §8.4.

#[test]
fn a_packet_out_of_the_blue_is_answered_by_a_reflected_abort() {
    let mut stage = Stage::new();
    stage.peer.send_tagged(0xabcd, &[data(1, 0, 0, b"x")]);
    let heard = stage.peer.hear();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(
        (heard[0].tag, kinds(&heard[0].chunks)),
        (0xabcd, vec![ABORT])
    );
    assert_eq!(heard[0].chunks[0].flags & REFLECTED, REFLECTED);
}

#[test]
fn a_shutdown_ack_out_of_the_blue_is_completed() {
    let mut stage = Stage::new();
    stage
        .peer
        .send_tagged(0xabcd, &[chunk(SHUTDOWN_ACK, 0, b"")]);
    let heard = stage.peer.hear();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(
        (heard[0].tag, kinds(&heard[0].chunks)),
        (0xabcd, vec![SHUTDOWN_COMPLETE])
    );
    assert_eq!(heard[0].chunks[0].flags & REFLECTED, REFLECTED);
}

#[test]
fn some_packets_out_of_the_blue_are_ignored() {
    let stale_cookie = parameter(3, &[0, 0, 0, 1]);
    let silent = [
        chunk(ABORT, 0, b""),
        chunk(ABORT, REFLECTED, b""),
        chunk(SHUTDOWN_COMPLETE, 0, b""),
        chunk(COOKIE_ACK, 0, b""),
        chunk(ERROR, 0, &stale_cookie),
        chunk(COOKIE_ECHO, 0, &[7; 100]),
    ];
    for one in silent {
        let mut stage = Stage::new();
        stage.peer.send_tagged(0xabcd, std::slice::from_ref(&one));
        assert_eq!(stage.peer.hear_chunks(), [], "{one:?}");
    }
    let mut stage = Stage::new();
    stage
        .peer
        .send_tagged(0xabcd, &[data(1, 0, 0, b"x"), chunk(ABORT, 0, b"")]);
    assert_eq!(stage.peer.hear_chunks(), []);
    stage.peer.send_tagged(0xabcd, &[]);
    assert_eq!(stage.peer.hear_chunks(), []);
}

// Tags: RFC 9260 §8.5.1.

#[test]
fn an_abort_with_the_wrong_tag_is_ignored() {
    let (mut stage, _association) = Stage::established();
    let (theirs, ours) = (stage.peer.own_tag, stage.peer.tag);
    for (tag, flags) in [
        (theirs, 0),
        (ours, REFLECTED),
        (1, 0),
        (1, REFLECTED),
        (0, 0),
    ] {
        stage.peer.send_tagged(tag, &[chunk(ABORT, flags, b"")]);
        stage
            .peer
            .send_tagged(tag, &[chunk(SHUTDOWN_COMPLETE, flags, b"")]);
    }
    assert!(stage.peer.is_alive());
}

#[test]
fn a_reflected_abort_with_the_peers_tag_ends_the_association() {
    let (stage, association) = Stage::established();
    stage
        .peer
        .send_tagged(stage.peer.own_tag, &[chunk(ABORT, REFLECTED, b"")]);
    assert!(association.receive_timeout(LONG).is_err());
    assert!(association.close_reason().is_some());
}

#[test]
fn a_wrong_tag_on_data_is_ignored() {
    let (mut stage, _association) = Stage::established();
    let data = stage.peer.data(0, b"forged");
    stage.peer.send_tagged(stage.peer.tag ^ 1, &[data]);
    assert_eq!(stage.peer.hear_chunks(), []);
    assert!(stage.peer.is_alive());
}

#[test]
fn shutdown_complete_means_nothing_while_established() {
    let (mut stage, _association) = Stage::established();
    let heard = stage.ask(&[chunk(SHUTDOWN_COMPLETE, 0, b"")]);
    assert_eq!(heard, []);
    assert!(stage.peer.is_alive());
}

// Data.

#[test]
fn data_without_bytes_is_aborted() {
    let (mut stage, association) = Stage::established();
    let tsn = stage.peer.tsn;
    let empty = stage.peer.data(0, b"");
    let heard = stage.ask(&[empty]);
    assert_eq!(causes(&heard, ABORT), [(9, tsn.to_be_bytes().to_vec())]);
    assert!(association.receive_timeout(LONG).is_err());
}

#[test]
fn data_on_a_stream_that_was_not_granted_is_reported_and_acknowledged() {
    let (mut stage, association) = Stage::established();
    let tsn = stage.peer.tsn;
    stage.peer.tsn = tsn.wrapping_add(1);
    let lost = data(tsn, 10, 0, b"nowhere");
    let kept = stage.peer.data(0, b"here");
    let heard = stage.ask(&[lost, kept]);
    assert_eq!(causes(&heard, ERROR), [(1, vec![0, 10, 0, 0])]);
    let sack = heard.iter().rfind(|chunk| chunk.kind == SACK);
    let cumulative = &sack.expect("the data is acknowledged").value[..4];
    assert_eq!(cumulative, tsn.wrapping_add(1).to_be_bytes());
    assert_eq!(text(&association), "here");
}

#[test]
fn a_repeated_tsn_is_reported_as_duplicate_at_once() {
    let (mut stage, association) = Stage::established();
    let tsn = stage.peer.tsn;
    let one = stage.peer.data(0, b"one");
    stage.peer.send(std::slice::from_ref(&one));
    stage.peer.hear_until(SACK);
    let heard = stage.ask(&[one]);
    assert_eq!(kinds(&heard), [SACK]);
    let value = &heard[0].value;
    assert_eq!(value[8..12], [0, 0, 0, 1], "no gap and one duplicate");
    assert_eq!(value[12..16], tsn.to_be_bytes());
    assert_eq!(text(&association), "one");
}

#[test]
fn a_gap_is_reported_at_once_across_the_end_of_the_numbers() {
    let (mut stage, association) = Stage::established();
    let one = stage.peer.data(0, b"one");
    let two = stage.peer.data(1, b"two");
    let three = stage.peer.data(2, b"three");
    stage.peer.send(&[one]);
    stage.peer.hear_until(SACK);
    let heard = stage.ask(&[three]);
    assert_eq!(kinds(&heard), [SACK]);
    assert_eq!(heard[0].value[8..], [0, 1, 0, 0, 0, 2, 0, 2]);
    let _ = stage.ask(&[two]);
    let all = [text(&association), text(&association), text(&association)];
    assert_eq!(all, ["one", "two", "three"]);
}

#[test]
fn an_acknowledgement_of_data_never_sent_does_no_good() {
    let (mut stage, association) = Stage::established();
    let ahead = stage.peer.remote_tsn.wrapping_add(100);
    let mut sack = ahead.to_be_bytes().to_vec();
    sack.extend_from_slice(&[0, 16, 0, 0, 0, 0, 0, 0]);
    let heard = stage.ask(&[chunk(SACK, 0, &sack)]);
    // RFC 9260 §6.2.1 lets it be ignored; an attack it is (RFC 5062), so that aborting is right too.
    if !kinds(&heard).contains(&ABORT) {
        association
            .send(Message::new(StreamId(0), Bytes::from_static(b"x")))
            .expect("the association is up");
        stage.peer.hear_until(DATA);
    }
}

// Bytes that are no chunks.

#[test]
fn impossible_chunk_lengths_harm_nobody() {
    let (mut stage, _association) = Stage::established();
    for length in [0_u8, 1, 2, 3, 200, 255] {
        for kind in [0, 1, 3, 4, 6, 7, 10, 14, 0xc1] {
            let lie = vec![kind, 0, 0, length, 1, 2, 3, 4];
            stage.peer.send(&[lie]);
        }
    }
    stage.peer.send(&[]);
    stage.peer.send_bytes(b"");
    stage.peer.send_bytes(&[0; 11]);
    let _ = stage.peer.hear();
    assert!(stage.peer.is_alive());
}

#[test]
fn an_error_chunk_never_ends_an_association() {
    let (mut stage, _association) = Stage::established();
    for code in 0..=13 {
        stage
            .peer
            .send(&[chunk(ERROR, 0, &parameter(code, &[0; 8]))]);
    }
    stage.peer.send(&[chunk(ERROR, 0, b"")]);
    let _ = stage.peer.hear();
    assert!(stage.peer.is_alive());
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

// Restart: RFC 9260 §5.2.

#[test]
fn a_peer_that_lost_its_memory_is_welcomed_again() {
    let (mut stage, association) = Stage::established();
    let events = association.events();
    stage.peer.own_tag = 0x0506_0708;
    stage.peer.tsn = 1;
    stage.peer.establish();
    let restarted =
        std::iter::from_fn(|| events.next_timeout(LONG)).any(|event| event == Event::Restarted);
    assert!(restarted);
    let data = stage.peer.data(0, b"again");
    let _ = stage.ask(&[data]);
    assert_eq!(text(&association), "again");
    assert_eq!(stage.endpoint.stats().associations, 1);
}

#[test]
fn a_restart_may_not_bring_new_addresses() {
    let (mut stage, _association) = Stage::established();
    let address = parameter(5, &[127, 0, 0, 99]);
    let init = stage
        .peer
        .init_with(0x0506_0708, (10, 10), std::slice::from_ref(&address));
    stage.peer.send_tagged(0, &[init]);
    let heard = stage.peer.hear();
    assert_eq!(heard.len(), 1, "{heard:?}");
    assert_eq!(heard[0].tag, 0x0506_0708);
    assert_eq!(causes(&heard[0].chunks, ABORT), [(11, address)]);
    assert!(stage.peer.is_alive());
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
