#!/usr/bin/env bash
# mtp3 1.2.0 (crate): an ANSI point code that goes through serde comes back as another number, of the ITU's kind, or not at all.
#
# Guess: a PointCode knows its variant (the type says that a code has no meaning without it), so that a configuration or a
#   message that is serialized and read again has the same code: 1-2-3 of ANSI (8-8-8 bits) is 66051.
# Seen: "1-2-3" is all that is written, and reading takes each text for an ITU code (3-8-3 bits): 2067, without an error, and
#   equality fails. With a network above 7, as nearly all real ones have, reading is an error. A test with ITU codes
#   passes. The same holds for codes of China, and for `str::parse`.
# Source: src/point_code.rs, Serialize and Deserialize of PointCode.
# Output seen: "1-2-3: 66051 Ansi -> 2067 Itu", "200-2-3: error"
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
mtp3 = "=1.2.0"
serde_json = "1"
TOML
cat >src/main.rs <<'RUST'
use mtp3::{PointCode, Variant};

fn main() {
    for text in ["1-2-3", "200-2-3"] {
        let code = PointCode::parse(text, Variant::Ansi).unwrap();
        match serde_json::from_str::<PointCode>(&serde_json::to_string(&code).unwrap()) {
            Ok(read) => println!(
                "{text}: {} {:?} -> {} {:?}",
                code.value(), code.variant(), read.value(), read.variant()
            ),
            Err(_) => println!("{text}: error"),
        }
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "1-2-3: 66051 Ansi -> 2067 Itu
200-2-3: error" ] || { echo "changed" >&2; exit 1; }
