#!/usr/bin/env bash
# pcap-file 2.0.0 (crate): times of a pcapng file are read and written as nanoseconds, whatever the file says.
#
# Guess: an interface without if_tsresol counts microseconds, the format's default, when packets are read and when they
#   are written; `EnhancedPacketBlock::timestamp` is a Duration, so that the unit is the crate's business.
# Seen: 1700000000.25 s, in microseconds in the file, is read as 1700000.00025 s; the same Duration written to an interface
#   of default resolution is a thousand times too large, in the year 55840. A copy made with the crate is right again, so
#   that its own round trip shows nothing. A writer has to give the option if_tsresol 9 itself.
# Source: src/pcapng/blocks/enhanced_packet.rs; draft-ietf-opsawg-pcapng §4.2.
# Output seen: "read 1700000.00025s, wrote 1700000000250000000 ticks of 10^-6 s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
pcap-file = "=2.0.0"
TOML
cat >src/main.rs <<'RUST'
use std::time::Duration;

use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionBlock;
use pcap_file::pcapng::{Block, PcapNgReader, PcapNgWriter};
use pcap_file::{DataLink, Endianness};

/// A file with one packet of four bytes, written by the crate.
fn file(timestamp: Duration) -> Vec<u8> {
    let mut writer = PcapNgWriter::with_endianness(Vec::new(), Endianness::Big).expect("begun");
    let (linktype, snaplen, options) = (DataLink::ETHERNET, 0, Vec::new());
    writer.write_pcapng_block(InterfaceDescriptionBlock { linktype, snaplen, options }).expect("written");
    let (interface_id, original_len, data, options) = (0, 4, [0; 4].as_slice().into(), Vec::new());
    let packet = EnhancedPacketBlock { interface_id, timestamp, original_len, data, options };
    writer.write_pcapng_block(packet).expect("written");
    writer.into_inner()
}

fn main() {
    let ticks: u64 = 1_700_000_000_250_000;
    let mut bytes = file(Duration::ZERO);
    // The packet's block is the last one; its time stands behind the interface's number.
    let block = bytes.len() - 36;
    bytes[block + 12..block + 20].copy_from_slice(&ticks.to_be_bytes());
    let mut reader = PcapNgReader::new(bytes.as_slice()).expect("begun");
    while let Some(Ok(found)) = reader.next_block() {
        if let Block::EnhancedPacket(packet) = found {
            print!("read {:?}", packet.timestamp);
        }
    }
    let bytes = file(Duration::new(1_700_000_000, 250_000_000));
    let written = bytes[block + 12..block + 20].try_into().expect("eight bytes");
    println!(", wrote {} ticks of 10^-6 s", u64::from_be_bytes(written));
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "read 1700000.00025s, wrote 1700000000250000000 ticks of 10^-6 s" ] || { echo "changed" >&2; exit 1; }
