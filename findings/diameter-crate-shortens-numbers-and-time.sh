#!/usr/bin/env bash
# diameter 0.7.1 (crate): an E.164 address loses its last two digits, and times after 7 February 2036 are read as 1900.
#
# Guess: the length of an Address counts its two bytes of family for E.164 as for IPv4; a Time below 2^31 lies behind the
#   overflow of 2036 (the procedure of SNTP, which RFC 6733 §4.3.1 asks all nodes to know), not in 1900.
# Seen: `length` of 41780009999 is 11, and 13 bytes are written: a peer reads 417800099 and looks for the next AVP two bytes
#   before it. The four bytes 00000000 are 1900-01-01; to write 2036-02-08 is an error. Subscriptions and certificates
#   that end behind 2036 are issued today.
# Source: src/avp/address.rs (length), src/avp/time.rs.
# Output seen: "length 11 of 13, time 1900-01-01T00:00:00+00:00"
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
diameter = "=0.7.1"
TOML
cat >src/main.rs <<'RUST'
use diameter::avp::{Address, Time};

fn main() {
    let address = Address::from_e164("41780009999".into());
    let mut written = Vec::new();
    address.encode_to(&mut written).expect("written");
    let time = Time::decode_from(&mut &[0u8; 4][..]).expect("read");
    println!("length {} of {}, time {time}", address.length(), written.len());
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "length 11 of 13, time 1900-01-01T00:00:00+00:00" ] || { echo "changed" >&2; exit 1; }
