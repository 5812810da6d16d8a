#!/usr/bin/env bash
# pkts 0.2.1 (crate): SCTP packets are written with the checksum 0, and HEARTBEAT and ERROR chunks are changed by a copy.
#
# Guess: the checksum is computed when a packet becomes bytes, unless one was set, as the documentation of `chksum` says; a
#   chunk that was read is written as it was.
# Seen: the field is 0 (`generate_chksum` is still to be written), so that receivers drop the packet without a word (RFC 9260
#   §6.8). The parameter of a HEARTBEAT gets a length without its header, 7 for 11, and the peer's HEARTBEAT ACK is not
#   understood; an ERROR has 09 as its flags, and its cause the stream's number twice. DATA and SACK are right.
# Source: src/layers/sctp.rs, to_bytes_checksummed of Sctp ("TODO"), to_bytes_extended of chunks and causes.
# Output seen: "DATA: checksum 00000000, chunk the same", "HEARTBEAT: checksum 00000000, chunk 0400000f00010007...",
#   "ERROR: checksum 00000000, chunk 0909000c0001000800070007"
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
pkts = "=0.2.1"
TOML
cat >src/main.rs <<'RUST'
use pkts::layers::sctp::Sctp;
use pkts::prelude::*;

fn main() {
    for (name, chunk) in [
        ("DATA", "0003001400000001000000000000000064617461"),
        ("HEARTBEAT", "0400000f0001000b3132333435363700"),
        ("ERROR", "0900000c0001000800070000"),
    ] {
        let hex = format!("13880b590000000212345678{chunk}");
        let bytes: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|place| u8::from_str_radix(&hex[place..place + 2], 16).expect("hexadecimal"))
            .collect();
        let copy = Sctp::from_bytes(&bytes).expect("a valid packet").to_bytes().expect("bytes");
        let copy: String = copy.iter().map(|byte| format!("{byte:02x}")).collect();
        let seen = if copy[24..] == *chunk { "the same" } else { &copy[24..] };
        println!("{name}: checksum {}, chunk {seen}", &copy[16..24]);
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "DATA: checksum 00000000, chunk the same
HEARTBEAT: checksum 00000000, chunk 0400000f000100073132333435363700
ERROR: checksum 00000000, chunk 0909000c0001000800070007" ] || { echo "changed" >&2; exit 1; }
