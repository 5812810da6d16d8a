#!/usr/bin/env bash
# rasn 0.30.0 (crate): whether a value is kept in a u64 or in an Integer changes its octets in PER.
#
# Guess: #[rasn(value("0..=255", extensible))] states the constraint, INTEGER (0..255, ...), and the Rust type behind it is storage, as
#   the readme says of such cases (a native integer may stand in for Integer): 200 is 00 c8 in aligned PER, a bit for the
#   extension and the octet, 300 has that bit set, and (5..MAX) has a length and the distance from 5 (X.691 §13).
# Seen: with an Integer it is so, as with pycrate (0.8.1). With a u64 the marker is dropped: no bit, 200 is c8, and 300 is an error though
#   a u64 holds it; all behind it is shifted by a bit for the peer. And (5..MAX) becomes (5..2^64-1), whose length is
#   coded in three bits: 133 is 00 80 in place of 01 80. The type reads what it wrote.
# Who cares: S1AP, NGAP and E2AP types written by hand with native integers, as the examples of the crate have them.
# Source: src/types.rs, asn_integer_type (CONSTRAINTS from MIN to MAX of the type); the delegate's constraint is intersected with it.
# Output seen: "extensible 200: Integer 00c8, u64 c8", "extensible 300: Integer 8002012c, u64 refused",
#   "from 5, 133: Integer 0180, u64 0080"
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
rasn = "=0.30.0"
TOML
cat >src/main.rs <<'RUST'
use rasn::prelude::*;

#[derive(AsnType, Encode)]
#[rasn(delegate, value("0..=255", extensible))]
struct ExtensibleInteger(Integer);

#[derive(AsnType, Encode)]
#[rasn(delegate, value("0..=255", extensible))]
struct ExtensibleU64(u64);

#[derive(AsnType, Encode)]
#[rasn(delegate, value("5..="))]
struct FromFiveInteger(Integer);

#[derive(AsnType, Encode)]
#[rasn(delegate, value("5..="))]
struct FromFiveU64(u64);

fn octets(value: &impl Encode) -> String {
    match rasn::aper::encode(value) {
        Ok(octets) => octets.iter().map(|octet| format!("{octet:02x}")).collect(),
        Err(_) => "refused".into(),
    }
}

fn main() {
    for value in [200, 300_u64] {
        let (first, second) = (octets(&ExtensibleInteger(value.into())), octets(&ExtensibleU64(value)));
        println!("extensible {value}: Integer {first}, u64 {second}");
    }
    println!("from 5, 133: Integer {}, u64 {}", octets(&FromFiveInteger(133.into())), octets(&FromFiveU64(133)));
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "extensible 200: Integer 00c8, u64 c8
extensible 300: Integer 8002012c, u64 refused
from 5, 133: Integer 0180, u64 0080" ] || { echo "changed" >&2; exit 1; }
