#!/usr/bin/env bash
# sccp 1.1.1 (crate): the value that it documents for "return on error" of a UDT asks for nothing to be returned.
#
# Guess: `message_handling = 1` of UnitData, "1 = return on error" in its doc comment, makes the network send a UDTS back when it
#   cannot deliver the message.
# Seen: the upper four bits of the octet become 0001, which ITU-T Q.713 §3.6 leaves spare; "return message on error" is 1000, 8,
#   as the same crate documents the same field of its ExtendedUnitData. tshark 4.0.17 names the 8 and not the 1.
#   Undeliverable messages vanish: the sender learns of it by its own timer, seconds later, and of no cause.
# Source: src/message.rs, the doc comments of message_handling in UnitData and ExtendedUnitData; UnitData::encode.
# Output seen: "documented: 1 8 8, octet with 1: 10, with 8: 80"
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
sccp = "=1.1.1"
TOML
cat >src/main.rs <<'RUST'
use sccp::{SccpAddress, SubsystemNumber, UnitData};

fn main() {
    let address = SccpAddress::with_ssn(SubsystemNumber::from_u8(8), None);
    let octet = |handling| {
        let mut message = UnitData::new(address.clone(), address.clone(), vec![0]);
        message.message_handling = handling;
        message.encode().unwrap()[1]
    };
    println!("octet with 1: {:02x}, with 8: {:02x}", octet(1), octet(8));
}
RUST
octets=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
source=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -path "*/sccp-1.1.1/src/message.rs" | head -1)
documented=$(sed -n 's/.*, \([0-9]*\) = return on error.*/\1/p' "$source" | tr '\n' ' ')
seen="documented: ${documented% }, $octets"
echo "$seen"
[ "$seen" = "documented: 1 8 8, octet with 1: 10, with 8: 80" ] || { echo "changed" >&2; exit 1; }
