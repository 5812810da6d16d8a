#!/usr/bin/env bash
# rtc-sctp 0.21.1 (crate): an INIT whose last parameter is four bytes long is not answered.
#
# Guess: parameters of INIT come in any order (RFC 9260 §3.3.2.1), so that Forward-TSN-Supported (RFC 3758 §3.1), which is a
#   type and a length of 4, may be the last; both orders of the same two parameters get an INIT ACK.
# Seen: parameters are read while more than four bytes are left. The four bytes of a last short one are then taken for the
#   header of another chunk of the packet, type 0xC0, a FORWARD TSN that is too short, and the packet is dropped without
#   a word: the caller repeats its INIT until it gives up. The same goes for an INIT ACK. ECN-Capable (0x8000) at the end
#   fails, too. A stack that writes the list of extensions (0x8008) last never meets it.
# Source: src/chunk/chunk_init.rs, unmarshal (INIT_OPTIONAL_VAR_HEADER_LENGTH); src/packet.rs goes on where it stopped.
# Output seen: "list of extensions last: chunk 2", "Forward-TSN-Supported last: no answer", "ECN-Capable last: no answer"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
bytes = "1"
crc32c = "=0.6.9"
rtc-sctp = "=0.21.1"
rtc-shared = { version = "=0.21.1", default-features = false }
TOML
cat >src/main.rs <<'RUST'
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use rtc_sctp::{DatagramEvent, Endpoint, EndpointConfig, Payload, ServerConfig};
use rtc_shared::TransportProtocol;

const FORWARD_TSN: &[u8] = &[0xc0, 0, 0, 4];
const ECN: &[u8] = &[0x80, 0, 0, 4];
const EXTENSIONS: &[u8] = &[0x80, 8, 0, 6, 0x82, 0xc0, 0, 0];

fn init(parameters: &[&[u8]]) -> Bytes {
    let parameters = parameters.concat();
    let mut packet = vec![0x13, 0x88, 0x13, 0x88, 0, 0, 0, 0, 0, 0, 0, 0];
    packet.extend([1, 0, 0, 20 + parameters.len() as u8]);
    packet.extend([0, 0, 0, 7, 0, 1, 0, 0, 0, 10, 0, 10, 0, 0, 0, 1]);
    packet.extend(parameters);
    let checksum = crc32c::crc32c(&packet);
    packet[8..12].copy_from_slice(&checksum.to_le_bytes());
    packet.into()
}

fn main() {
    let here = SocketAddr::from(([192, 0, 2, 1], 5000));
    for (name, parameters) in [
        ("list of extensions last", [FORWARD_TSN, EXTENSIONS]),
        ("Forward-TSN-Supported last", [EXTENSIONS, FORWARD_TSN]),
        ("ECN-Capable last", [EXTENSIONS, ECN]),
    ] {
        let config = (Arc::new(EndpointConfig::new()), Some(Arc::new(ServerConfig::default())));
        let mut endpoint = Endpoint::new(here, TransportProtocol::UDP, config.0, config.1);
        let now = Instant::now();
        let answer = match endpoint.handle(now, here, None, init(&parameters)) {
            Some((_, DatagramEvent::NewAssociation(mut association))) => association.poll_transmit(now),
            _ => None,
        };
        match answer.map(|transmit| transmit.message) {
            Some(Payload::RawEncode(packets)) => println!("{name}: chunk {}", packets[0][12]),
            _ => println!("{name}: no answer"),
        }
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "list of extensions last: chunk 2
Forward-TSN-Supported last: no answer
ECN-Capable last: no answer" ] || { echo "changed" >&2; exit 1; }
