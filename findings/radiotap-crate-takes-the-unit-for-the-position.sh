#!/usr/bin/env bash
# radiotap 1.3.0 (crate): the sampling position of a timestamp is its unit: in microseconds each was taken at the start of the PLCP, by what is read.
#
# Guess: the octet has the unit in its low four bits and the position in the high four (radiotap.org, "timestamp"): 0x01 is microseconds at the start of the
#   MPDU, 0x31 microseconds at its end, which is later by the whole frame.
# Seen: in Rust >> binds closer than &, so that "& 0xf0 >> 4" is "& 0x0f": the unit is read a second time. 0x01, 0x21 and 0x31 are all StartPLCP, and
#   milliseconds are always StartMPDU. 0x11, which is common, is right by chance. Delays that are measured between two
#   receivers with different positions are off by the length of the frame.
# Source: src/field/mod.rs, Timestamp::from_bytes (SamplingPosition::from(unit_position & 0xf0 >> 4)).
# Output seen: "0x01: Microseconds StartPLCP", "0x11: Microseconds StartPLCP", "0x31: Microseconds StartPLCP", "0x30: Milliseconds StartMPDU"
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
radiotap = "=1.3.0"
TOML
cat >src/main.rs <<'RUST'
use radiotap::Radiotap;

fn main() {
    for octet in [0x01u8, 0x11, 0x31, 0x30] {
        // Version, length and present, then time, accuracy, unit and position, and flags (64-bit time).
        let mut header = vec![0, 0, 20, 0, 0, 0, 0x40, 0];
        header.extend_from_slice(&[0; 10]);
        header.extend_from_slice(&[octet, 0]);
        let read = Radiotap::from_bytes(&header).unwrap().timestamp.unwrap();
        println!("{octet:#04x}: {:?} {:?}", read.unit, read.position);
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "0x01: Microseconds StartPLCP
0x11: Microseconds StartPLCP
0x31: Microseconds StartPLCP
0x30: Milliseconds StartMPDU" ] || { echo "changed" >&2; exit 1; }
