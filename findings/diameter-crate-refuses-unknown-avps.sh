#!/usr/bin/env bash
# diameter 0.7.1 (crate): one AVP that its dictionary lacks, the M bit clear, and the message is an error.
#
# Guess: an AVP without the M bit is for information and passed over by who does not know it (RFC 6733 §4.1); its length
#   tells where the next begins, and what is known can be read.
# Seen: `decode_from` gives UnknownAvpCode for the whole message, and the connection's reader ends with it. The dictionary
#   that the crate ships covers the base protocol and part of credit control; each vendor's addition, to a watchdog as to
#   a CER, costs the connection.
# Source: src/avp/mod.rs, Avp::decode_from, AvpType::Unknown.
# Output seen: "known: Ok(1)", "unknown: Err(UnknownAvpCode(9999))"
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
use std::{io::Cursor, sync::Arc};

use diameter::dictionary::{Dictionary, DEFAULT_DICT_XML};
use diameter::DiameterMessage;

/// A Device-Watchdog-Request with one AVP of four bytes.
fn watchdog(code: u32, flags: u8) -> Vec<u8> {
    let mut bytes = vec![1, 0, 0, 32, 0x80, 0, 1, 24, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1];
    bytes.extend(code.to_be_bytes());
    bytes.extend([flags, 0, 0, 12, 0, 0, 0, 1]);
    bytes
}

fn main() {
    let dictionary = Arc::new(Dictionary::new(&[&DEFAULT_DICT_XML]));
    for (name, code, flags) in [("known", 278, 0x40), ("unknown", 9999, 0)] {
        let message = DiameterMessage::decode_from(&mut Cursor::new(watchdog(code, flags)), dictionary.clone());
        println!("{name}: {:?}", message.map(|message| message.get_avps().len()));
    }
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = $'known: Ok(1)\nunknown: Err(UnknownAvpCode(9999))' ] || { echo "changed" >&2; exit 1; }
