#!/usr/bin/env bash
# sms-pdu 1.1.0 (crate): the last part of a long message is read with an @ behind it, and a euro sign between parts becomes an e.
#
# Guess: encode_message splits a text after 153 septets, or after 152 if the next character is one of those that take two (escape
#   and e for the euro, TS 23.038 §6.2.1.1), for an escape stays with its character (TS 23.040 §9.2.3.24.1); npm's gsm and
#   split-sms (0.1.4, 0.1.7) count so. The texts of the parts, read by the same crate, make up the text.
# Seen: for seven lengths of eight a part that is not full is read with an @ more than it has: the user data length counts the septets
#   of the header (§9.2.3.16), the reader compares it with the text's and takes the fill bits for a character. A peer's
#   parts are read so too. Short messages have no header and are right. And septets are split at 153 whatever they are: the
#   escape ends a part, where it is dropped, and the next one begins with "e": 5€ is read as 5e.
# Who cares: gateways between MAP over SIGTRAN and programs; amounts of money at one place in 153.
# Source: src/gsm_encoding/mod.rs, decode_sms_7bit (ret.len() < len) and split_buffers.
# Output seen: "151, €, 3: parts 1, €bbb", "151, €, 20: parts 2, €bbbbbbbbbbbbbbbbbbbb@", "152, €, 8: parts 2, ebbbbbbbb"
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
sms-pdu = "=1.1.0"
TOML
cat >src/main.rs <<'RUST'
use sms_pdu::gsm_encoding::GsmMessageData;

fn main() {
    for (before, behind) in [(151, 3), (151, 20), (152, 8)] {
        let text = format!("{}€{}", "a".repeat(before), "b".repeat(behind));
        let parts = GsmMessageData::encode_message(&text);
        let read: String = parts.iter().map(|part| part.decode_message().expect("read").text).collect();
        println!("{before}, €, {behind}: parts {}, {}", parts.len(), read.trim_start_matches('a'));
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "151, €, 3: parts 1, €bbb
151, €, 20: parts 2, €bbbbbbbbbbbbbbbbbbbb@
152, €, 8: parts 2, ebbbbbbbb" ] || { echo "changed" >&2; exit 1; }
