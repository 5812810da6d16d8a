#!/usr/bin/env bash
# pkts 0.2.1 (crate): an SCTP packet with two DATA chunks, or an ABORT or ERROR of an odd length, is an error.
#
# Guess: a packet holds any number of chunks, each padded to four bytes (RFC 9260 §3, §6.10), and `Sctp::from_bytes` takes it,
#   as it takes a SACK with one DATA chunk behind it; DATA chunks are "payloads", of which the packet has a list.
# Seen: the first DATA chunk is checked against all that is left of the packet, so that a second one behind it is "additional
#   trailing bytes". Small messages are bundled wherever there are many of them, so that a capture of signalling is
#   lost in parts. An ABORT with the reason "hello" fails, too, as one without a reason passes.
# Source: src/layers/sctp.rs, Validate for SctpRef and for SctpDataChunkRef (ExcessBytes).
# Output seen: "one DATA: read", "SACK and DATA: read", "two DATA: error", "ABORT: read", "ABORT hello: error"
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

const HEADER: &str = "13880b590000000212345678";
const SACK: &str = "03000010000000640000ffff00000000";
const DATA: &str = "0003001400000001000000000000000064617461";

fn main() {
    for (name, chunks) in [
        ("one DATA", DATA.to_owned()),
        ("SACK and DATA", format!("{SACK}{DATA}")),
        ("two DATA", format!("{DATA}{DATA}")),
        ("ABORT", "06000004".to_owned()),
        ("ABORT hello", "0600000d000c000968656c6c6f000000".to_owned()),
    ] {
        let hex = format!("{HEADER}{chunks}");
        let bytes: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|place| u8::from_str_radix(&hex[place..place + 2], 16).expect("hexadecimal"))
            .collect();
        let seen = if Sctp::from_bytes(&bytes).is_ok() { "read" } else { "error" };
        println!("{name}: {seen}");
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "one DATA: read
SACK and DATA: read
two DATA: error
ABORT: read
ABORT hello: error" ] || { echo "changed" >&2; exit 1; }
