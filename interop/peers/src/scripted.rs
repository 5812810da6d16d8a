//! A peer that says what its script says, and bytes made and taken apart by hand for it: no
//! relatives of the code under test.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// After this long without a packet nothing more is expected, once the other end has read what was sent.
const SILENCE: Duration = Duration::from_millis(150);
/// Longer than the other end takes to read it.
const PATIENCE: Duration = Duration::from_secs(60);
/// The SCTP port of packets whose answers tell that all before them were read.
const MARKER_PORT: u16 = 59_999;

/// A chunk as a script writes and sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawChunk {
    /// The chunk type.
    pub kind: u8,
    /// The chunk flags.
    pub flags: u8,
    /// The value, padding not included.
    pub value: Vec<u8>,
}

/// A packet as a script sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawPacket {
    /// The verification tag.
    pub tag: u32,
    /// The chunks.
    pub chunks: Vec<RawChunk>,
}

/// A chunk's bytes, padded.
pub fn chunk(kind: u8, flags: u8, value: &[u8]) -> Vec<u8> {
    padded([&[kind, flags], length_of(value).as_slice(), value].concat())
}

/// A parameter's or error cause's bytes, padded.
pub fn parameter(kind: u16, value: &[u8]) -> Vec<u8> {
    padded([kind.to_be_bytes().as_slice(), &length_of(value), value].concat())
}

/// A packet's bytes with its checksum.
pub fn packet(ports: (u16, u16), tag: u32, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = [ports.0.to_be_bytes(), ports.1.to_be_bytes()].concat();
    bytes.extend_from_slice(&tag.to_be_bytes());
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&chunks.concat());
    let checksum = checksum(&bytes);
    bytes[8..12].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The CRC32c of RFC 9260 Appendix A, bit by bit: slow, and no relative of the one under test.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0x82f6_3b78 * (crc & 1))
        })
    })
}

fn length_of(value: &[u8]) -> [u8; 2] {
    let length = u16::try_from(value.len() + 4).expect("scripts are short");
    length.to_be_bytes()
}

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// Splits a value into parameters or error causes: type and value of each.
pub fn parameters(mut bytes: &[u8]) -> Vec<(u16, Vec<u8>)> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let kind = u16::from_be_bytes([bytes[0], bytes[1]]);
        let length = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
        all.push((kind, bytes[4..length].to_vec()));
        bytes = &bytes[length.next_multiple_of(4).min(bytes.len())..];
    }
    all
}

/// Reads a packet and checks its checksum and its padding.
pub fn read(bytes: &[u8]) -> RawPacket {
    let mut zeroed = bytes.to_vec();
    zeroed[8..12].fill(0);
    assert_eq!(
        bytes[8..12],
        checksum(&zeroed).to_le_bytes(),
        "the checksum"
    );
    assert_eq!(bytes.len() % 4, 0, "the padding");
    let mut chunks = Vec::new();
    let mut rest = &bytes[12..];
    while !rest.is_empty() {
        let length = usize::from(u16::from_be_bytes([rest[2], rest[3]]));
        chunks.push(RawChunk {
            kind: rest[0],
            flags: rest[1],
            value: rest[4..length].to_vec(),
        });
        rest = &rest[length.next_multiple_of(4)..];
    }
    let tag = [bytes[4], bytes[5], bytes[6], bytes[7]];
    RawPacket {
        tag: u32::from_be_bytes(tag),
        chunks,
    }
}

/// A peer that says what its script says, over UDP encapsulation (RFC 6951).
pub struct ScriptedPeer {
    socket: UdpSocket,
    remote: SocketAddr,
    /// The SCTP port of this end and of its peer.
    pub ports: (u16, u16),
    /// The tag that it hands out.
    pub own_tag: u32,
    /// The tag that the other end handed out; 0 before it did.
    pub tag: u32,
    /// The TSN of its next DATA chunk.
    pub tsn: u32,
    /// The first TSN of the other end.
    pub remote_tsn: u32,
    /// Every packet that it received, as it came.
    pub received: Vec<Vec<u8>>,
    /// Packets sent whose answers tell that all before them were read.
    markers: u32,
}

impl ScriptedPeer {
    /// A peer of the endpoint at `udp_port` of 127.0.0.1 with SCTP port `port`.
    pub fn new(own_port: u16, udp_port: u16, port: u16) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("there is a free port");
        Self {
            socket,
            remote: (Ipv4Addr::LOCALHOST, udp_port).into(),
            ports: (own_port, port),
            own_tag: 0x0102_0304,
            tag: 0,
            tsn: 0xffff_fffe,
            remote_tsn: 0,
            received: Vec::new(),
            markers: 0,
        }
    }

    /// The same peer from another UDP port.
    pub fn moved(&self) -> Self {
        let remote = self.remote;
        Self {
            own_tag: self.own_tag,
            tag: self.tag,
            tsn: self.tsn,
            remote_tsn: self.remote_tsn,
            ..Self::new(self.ports.0, remote.port(), self.ports.1)
        }
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&self, bytes: &[u8]) {
        self.socket
            .send_to(bytes, self.remote)
            .expect("loopback takes a packet");
    }

    /// Sends chunks with a tag, all in one packet.
    pub fn send_tagged(&self, tag: u32, chunks: &[Vec<u8>]) {
        self.send_bytes(&packet(self.ports, tag, chunks));
    }

    /// Sends chunks with the right tag, all in one packet.
    pub fn send(&self, chunks: &[Vec<u8>]) {
        self.send_tagged(self.tag, chunks);
    }

    /// Reads packets until the other end has read all that was sent, and then until there is silence.
    /// Panics: One is malformed or has a bad checksum, or the other end reads nothing.
    pub fn hear(&mut self) -> Vec<RawPacket> {
        let marker = self.send_marker();
        let mut heard = Vec::new();
        let mut is_marked = false;
        let (began, mut last) = (Instant::now(), Instant::now());
        while !is_marked || last.elapsed() < SILENCE {
            assert!(began.elapsed() < PATIENCE, "the other end reads nothing");
            let mut buffer = [0; 65_536];
            self.socket
                .set_read_timeout(Some(SILENCE))
                .expect("the time is not zero");
            match self.socket.recv(&mut buffer) {
                Ok(length) => {
                    let packet = &buffer[..length];
                    last = Instant::now();
                    if packet[2..4] == MARKER_PORT.to_be_bytes() {
                        is_marked |= read(packet).tag == marker;
                        continue;
                    }
                    self.received.push(packet.to_vec());
                    heard.push(read(packet));
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("cannot receive: {error}"),
            }
        }
        heard
    }

    /// Reads packets until one has a chunk of that type, and there is silence.
    pub fn hear_until(&mut self, kind: u8) {
        let began = Instant::now();
        while !self.hear_chunks().iter().any(|chunk| chunk.kind == kind) {
            assert!(began.elapsed() < PATIENCE, "no chunk of type {kind}");
        }
    }

    /// Sends a SHUTDOWN ACK out of the blue, which is answered with its tag (RFC 9260 §8.4); the tag.
    fn send_marker(&mut self) -> u32 {
        self.markers += 1;
        let shutdown_ack = chunk(8, 0, b"");
        let ports = (MARKER_PORT, self.ports.1);
        self.send_bytes(&packet(ports, self.markers, &[shutdown_ack]));
        self.markers
    }

    /// Reads chunks until there is silence.
    pub fn hear_chunks(&mut self) -> Vec<RawChunk> {
        self.hear().into_iter().flat_map(|p| p.chunks).collect()
    }

    /// The INIT chunk of this peer with more parameters.
    pub fn init(&self, parameters: &[Vec<u8>]) -> Vec<u8> {
        self.init_with(self.own_tag, (10, 10), parameters)
    }

    /// An INIT chunk with that tag and these numbers of streams, out and in.
    pub fn init_with(&self, tag: u32, streams: (u16, u16), parameters: &[Vec<u8>]) -> Vec<u8> {
        let mut value = tag.to_be_bytes().to_vec();
        value.extend_from_slice(&(1_u32 << 20).to_be_bytes());
        value.extend_from_slice(&streams.0.to_be_bytes());
        value.extend_from_slice(&streams.1.to_be_bytes());
        value.extend_from_slice(&self.tsn.to_be_bytes());
        value.extend_from_slice(&parameters.concat());
        chunk(1, 0, &value)
    }

    /// A whole, ordered message on stream 0 in the next DATA chunk.
    pub fn data(&mut self, ssn: u16, payload: &[u8]) -> Vec<u8> {
        let data = data(self.tsn, 0, ssn, payload);
        self.tsn = self.tsn.wrapping_add(1);
        data
    }

    /// Sends INIT and takes in the INIT ACK; the cookie.
    pub fn start(&mut self) -> Vec<u8> {
        self.send_tagged(0, &[self.init(&[])]);
        let heard = self.hear();
        let [RawPacket { tag, chunks }] = heard.as_slice() else {
            panic!("no INIT ACK but {heard:?}");
        };
        assert_eq!((*tag, chunks.len(), chunks[0].kind), (self.own_tag, 1, 2));
        let value = &chunks[0].value;
        let word = |at: usize| {
            u32::from_be_bytes([value[at], value[at + 1], value[at + 2], value[at + 3]])
        };
        (self.tag, self.remote_tsn) = (word(0), word(12));
        let cookie = parameters(&value[16..])
            .into_iter()
            .find(|(kind, _)| *kind == 7);
        cookie.expect("an INIT ACK has a cookie").1
    }

    /// Sets up an association.
    pub fn establish(&mut self) {
        let cookie = self.start();
        self.send(&[chunk(10, 0, &cookie)]);
        let heard = self.hear_chunks();
        assert!(
            heard.iter().any(|chunk| chunk.kind == 11),
            "no COOKIE ACK but {heard:?}"
        );
    }

    /// Whether the association still answers a heartbeat.
    pub fn is_alive(&mut self) -> bool {
        let heartbeat = parameter(1, b"are you well");
        self.send(&[chunk(4, 0, &heartbeat)]);
        self.hear_chunks()
            .iter()
            .any(|chunk| chunk.kind == 5 && parameters(&chunk.value) == parameters(&heartbeat))
    }
}

/// A DATA chunk with a whole, ordered message.
pub fn data(tsn: u32, stream: u16, ssn: u16, payload: &[u8]) -> Vec<u8> {
    let mut value = tsn.to_be_bytes().to_vec();
    value.extend_from_slice(&stream.to_be_bytes());
    value.extend_from_slice(&ssn.to_be_bytes());
    value.extend_from_slice(&[0; 4]);
    value.extend_from_slice(payload);
    chunk(0, 3, &value)
}

#[cfg(test)]
mod tests {
    use super::{checksum, chunk, packet, parameter, parameters, read};

    #[test]
    fn the_checksum_is_crc32c() {
        assert_eq!(checksum(b"123456789"), 0xe306_9283);
    }

    #[test]
    fn written_values_read_back() {
        let cause = parameter(6, b"xyz");
        let bytes = packet((1, 2), 3, &[chunk(9, 0, &cause)]);
        let read = read(&bytes);
        assert_eq!((read.tag, read.chunks[0].kind), (3, 9));
        assert_eq!(parameters(&read.chunks[0].value), [(6, b"xyz".to_vec())]);
    }
}
