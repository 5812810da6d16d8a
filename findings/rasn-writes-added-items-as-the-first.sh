#!/usr/bin/env bash
# rasn 0.30.0 (crate): in BER and OER an enumeration item behind the extension marker is written as the first item of all.
#
# Guess: ENUMERATED { p, q, ..., r } numbers r with 2 (X.680 §20.5 and §20.6), whatever the encoding rules; a Rust enum with
#   #[rasn(extension_addition)] on R is the same, and its Rust discriminant is 2. What PER does right, BER does.
# Seen: added items are counted from 0 again: r is 0a 01 00 in BER and 00 in OER, which is p, for the library itself as for each peer,
#   without an error; a second addition is q. In PER, where additions do have an index of their own, all is right, so that tests
#   of NGAP pass with types that MAP or V2X then get wrong. With numbers in the Rust enum (R = 2) all is right.
# Who cares: causes and results are such enumerations: the newest cause is reported as the oldest.
# Source: rasn-derive-impl/src/enum.rs, extended_variants.iter().enumerate().
# Output seen: "BER: P 0a0100 P, Q 0a0101 Q, R 0a0100 P, S 0a0101 Q", "OER: P 00 P, Q 01 Q, R 00 P, S 01 Q",
#   "APER: P 00 P, Q 40 Q, R 80 R, S 81 S"
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

/// Cause ::= ENUMERATED { p, q, ..., r, s }
#[derive(AsnType, Decode, Encode, Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[rasn(enumerated)]
#[non_exhaustive]
enum Cause {
    P,
    Q,
    #[rasn(extension_addition)]
    R,
    #[rasn(extension_addition)]
    S,
}

fn main() {
    let rules: [(&str, fn(&Cause) -> Vec<u8>, fn(&[u8]) -> Cause); 3] = [
        ("BER", |cause| rasn::ber::encode(cause).unwrap(), |octets| rasn::ber::decode(octets).unwrap()),
        ("OER", |cause| rasn::oer::encode(cause).unwrap(), |octets| rasn::oer::decode(octets).unwrap()),
        ("APER", |cause| rasn::aper::encode(cause).unwrap(), |octets| rasn::aper::decode(octets).unwrap()),
    ];
    for (name, write, read) in rules {
        let shown = [Cause::P, Cause::Q, Cause::R, Cause::S].map(|cause| {
            let octets = write(&cause);
            let hex: String = octets.iter().map(|octet| format!("{octet:02x}")).collect();
            format!("{cause:?} {hex} {:?}", read(&octets))
        });
        println!("{name}: {}", shown.join(", "));
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "BER: P 0a0100 P, Q 0a0101 Q, R 0a0100 P, S 0a0101 Q
OER: P 00 P, Q 01 Q, R 00 P, S 01 Q
APER: P 00 P, Q 40 Q, R 80 R, S 81 S" ] || { echo "changed" >&2; exit 1; }
