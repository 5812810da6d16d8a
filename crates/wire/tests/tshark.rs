//! A second opinion: what is written is decoded by `tshark` without a complaint, to the same
//! values, in raw IP and over UDP.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use sheave_wire::{Chunk, CommonHeader, Packet, PacketWriter, Vtag};

/// A packet and a display filter that matches it.
struct Frame {
    sctp: Vec<u8>,
    filter: &'static str,
}

/// Packets of different associations, since `tshark` follows TSNs from packet to packet.
struct Capture {
    name: &'static str,
    frames: Vec<Frame>,
}

impl Capture {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            frames: Vec::new(),
        }
    }

    fn add(&mut self, filter: &'static str, chunks: &[Chunk<'_>]) {
        let number = u16::try_from(self.frames.len()).unwrap() + 1;
        let header = CommonHeader {
            source_port: 40_000 + number,
            destination_port: 5001,
            vtag: Vtag(0x0102_0000 + u32::from(number)),
        };
        let mut sctp = Vec::new();
        let mut writer = PacketWriter::new(&mut sctp, header, 1452);
        for chunk in chunks {
            assert!(writer.fits(chunk));
            writer.push(chunk);
        }
        writer.finish();
        self.frames.push(Frame { sctp, filter });
    }

    /// The capture file that holds every packet inside `carrier`.
    fn write(&self, carrier: Carrier) -> CaptureFile {
        // pcap 2.4, microseconds, packets of up to 65535 bytes that begin with an IP header.
        let mut bytes = Vec::new();
        for number in [0xa1b2_c3d4_u32, 0x0002_0004, 0, 0, 65535, 101] {
            bytes.extend(number.to_be_bytes());
        }
        for (index, frame) in (0_u32..).zip(&self.frames) {
            let packet = carrier.wrap(&frame.sctp);
            let len = u32::try_from(packet.len()).unwrap();
            for number in [index, 0, len, len] {
                bytes.extend(number.to_be_bytes());
            }
            bytes.extend(packet);
        }
        let name = format!("sheave-{}-{}-{carrier:?}.pcap", process::id(), self.name);
        let file = CaptureFile(env::temp_dir().join(name));
        fs::write(&file.0, bytes).unwrap();
        file
    }
}

/// The protocol that carries an SCTP packet.
#[derive(Clone, Copy, Debug)]
enum Carrier {
    /// IPv4, protocol 132.
    RawIp,
    /// IPv4, UDP port 9899 (RFC 6951).
    Udp,
}

impl Carrier {
    fn wrap(self, sctp: &[u8]) -> Vec<u8> {
        match self {
            Self::RawIp => ipv4(132, sctp),
            Self::Udp => {
                let len = u16::try_from(8 + sctp.len()).unwrap().to_be_bytes();
                let port = 9899_u16.to_be_bytes();
                ipv4(17, &[&port[..], &port, &len, &[0, 0], sctp].concat())
            }
        }
    }
}

fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(20 + payload.len()).unwrap().to_be_bytes();
    let mut packet = vec![0x45, 0, high, low, 0, 0, 0x40, 0, 64, protocol, 0, 0];
    packet.extend([192, 0, 2, 1, 192, 0, 2, 2]);
    packet.extend(payload);
    packet
}

/// A file that is removed when it is no longer needed.
struct CaptureFile(PathBuf);

impl Drop for CaptureFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The numbers of the frames of which `filter` is true.
fn frames_with(file: &Path, filter: &str) -> Vec<usize> {
    let output = Command::new("tshark")
        .arg("-r")
        .arg(file)
        .args([
            "-o",
            "sctp.checksum:CRC 32c",
            "-o",
            "sctp.relative_tsns:FALSE",
        ])
        .args(["-Y", filter, "-T", "fields", "-e", "frame.number"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let numbers = String::from_utf8(output.stdout).unwrap();
    numbers
        .lines()
        .map(|number| number.parse().unwrap())
        .collect()
}

/// Asserts that `tshark` finds every frame as its filter says and has no complaint about any.
fn assert_decoded(capture: &Capture, carrier: Carrier) {
    let file = capture.write(carrier);
    let all: Vec<usize> = (1..=capture.frames.len()).collect();

    let good = frames_with(&file.0, "sctp.checksum.status == 1");
    assert_eq!(good, all, "frames whose checksum is found good");

    let complaints = frames_with(&file.0, "_ws.malformed || _ws.expert.severity >= 4194304");
    assert_eq!(
        complaints, [0; 0],
        "frames that are found malformed, or worth a remark"
    );

    let each = (1..).zip(&capture.frames);
    let filter: Vec<String> = each
        .map(|(number, frame)| format!("(frame.number=={number} && {})", frame.filter))
        .collect();
    let as_written = frames_with(&file.0, &filter.join(" || "));
    for (number, frame) in (1..).zip(&capture.frames) {
        assert!(
            as_written.contains(&number),
            "frame {number} is not {}",
            frame.filter
        );
    }
}

/// Decodes hexadecimal digits; white space is ignored.
fn hex(digits: &str) -> Vec<u8> {
    let digits = digits.split_whitespace().collect::<String>();
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn tshark_is_missing() -> bool {
    let missing = Command::new("tshark").arg("--version").output().is_err();
    if missing {
        println!("skipped: no tshark on this machine");
    }
    missing
}

#[test]
fn tshark_decodes_every_chunk_parameter_and_cause_to_what_was_written() {
    if tshark_is_missing() {
        return;
    }
    let mut lines = include_str!("tshark.txt").lines().skip(1);
    let mut capture = Capture::new("all");
    while let (Some(filter), Some(digits)) = (lines.next(), lines.next()) {
        let bytes = hex(digits);
        let packet = [&[0; CommonHeader::LEN][..], &bytes].concat();
        let chunks = Packet::parse(&packet).expect("a packet").chunks();
        let chunks: Vec<Chunk<'_>> = chunks.map(|chunk| chunk.expect(filter)).collect();
        capture.add(filter, &chunks);
        let last = capture.frames.last().expect("the frame added");
        assert_eq!(last.sctp[CommonHeader::LEN..], bytes, "{filter}");
    }
    assert_decoded(&capture, Carrier::RawIp);
    assert_decoded(&capture, Carrier::Udp);
}

#[test]
fn tshark_finds_a_flipped_bit() {
    if tshark_is_missing() {
        return;
    }
    let mut capture = Capture::new("flipped");
    capture.add("sctp", &[Chunk::CookieAck]);
    capture.add("sctp", &[Chunk::CookieAck]);
    capture.frames[1].sctp[5] ^= 0x10;
    let file = capture.write(Carrier::RawIp);
    assert_eq!(frames_with(&file.0, "sctp.checksum.status == 1"), [1]);
    assert_eq!(frames_with(&file.0, "sctp.checksum.status == 0"), [2]);
}
