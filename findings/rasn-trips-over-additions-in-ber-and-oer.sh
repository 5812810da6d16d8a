#!/usr/bin/env bash
# rasn 0.30.0 (crate): what a newer peer adds to a SEQUENCE is refused in BER, and in OER shifts what follows.
#
# Guess: a type with an extension marker (#[non_exhaustive]) reads a message of a later version and skips what it does not know,
#   for which the marker is there (X.680 §25.1 and annex on extensibility; in OER each addition has a length of its own, X.696 §16). In
#   aligned and unaligned PER that is so.
# Seen: in BER the unknown component is "unexpected extra data" and the whole message an error. In OER neither the bitmap of the
#   additions nor the additions are read when the type has none of its own: the next component of the outer type takes its value
#   from the bitmap's length, 2 instead of 7, without an error.
# Who cares: MAP, CAP and LDAP peers add components with each release, and count on older ones to skip them.
# Source: src/ber/de.rs, parse_constructed_contents; src/oer/de.rs, decode_sequence: the header of extensions is read by the
#   first addition that is known.
# Output seen: "APER: x 1, y 7", "UPER: x 1, y 7", "BER: Unexpected extra data found", "OER: x 1, y 2"
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

/// SEQUENCE { x INTEGER (0..255), ... }
#[derive(AsnType, Decode, Encode, Debug)]
#[rasn(automatic_tags)]
#[non_exhaustive]
struct Old {
    x: u8,
}

/// SEQUENCE { x INTEGER (0..255), ..., added OCTET STRING OPTIONAL }
#[derive(AsnType, Decode, Encode, Debug)]
#[rasn(automatic_tags)]
#[non_exhaustive]
struct New {
    x: u8,
    #[rasn(extension_addition)]
    added: Option<OctetString>,
}

/// SEQUENCE { inner Inner, y INTEGER (0..255) }
#[derive(AsnType, Decode, Encode, Debug)]
#[rasn(automatic_tags)]
struct Message<Inner> {
    inner: Inner,
    y: u8,
}

fn show<E: std::fmt::Display>(name: &str, read: Result<Message<Old>, E>) {
    match read {
        Ok(message) => println!("{name}: x {}, y {}", message.inner.x, message.y),
        Err(error) => println!("{name}: {}", error.to_string().split(": ").nth(1).unwrap_or_default()),
    }
}

fn main() {
    let sent = Message { inner: New { x: 1, added: Some(vec![0xa, 0xb, 0xc].into()) }, y: 7 };
    show("APER", rasn::aper::decode(&rasn::aper::encode(&sent).unwrap()));
    show("UPER", rasn::uper::decode(&rasn::uper::encode(&sent).unwrap()));
    show("BER", rasn::ber::decode(&rasn::ber::encode(&sent).unwrap()));
    show("OER", rasn::oer::decode(&rasn::oer::encode(&sent).unwrap()));
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "APER: x 1, y 7
UPER: x 1, y 7
BER: Unexpected extra data found
OER: x 1, y 2" ] || { echo "changed" >&2; exit 1; }
