#!/usr/bin/env bash
# ntp-parser 0.6.0 (crate): an extension field of NTP swallows the first four octets of the next one, and the rest is lost. A single field is an error.
#
# Guess: the length of an extension field counts the whole field, its four octets of type and length as well (RFC 5905, §7.5, and RFC 7822, §3), and all fields of a
#   packet are given out, those of NTS (RFC 8915, §5.7), which have no MAC behind them, like others.
# Seen: as many octets are taken behind type and length as the length says. Of two fields there is one, with the first four octets of the other at its
#   end; the rest of the packet is dropped without an error. Of a packet without MAC, the last 20 octets of its last field are "auth". A
#   single field is an error, since its octets do not suffice. Packets without extensions, which most are, are right.
# Source: src/ntp.rs, NtpExtension (take(length)) and try_parse_extensions (20 octets for the MAC).
# Output seen: "none and MAC: values of [], MAC true", "16 and MAC: error", "36 and 28: values of [36], MAC true"
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
ntp-parser = "=0.6.0"
TOML
cat >src/main.rs <<'RUST'
use ntp_parser::{parse_ntp, NtpPacket};

fn main() {
    for (name, lengths, mac) in [("none and MAC", &[][..], true), ("16 and MAC", &[16], true), ("16, 28 and MAC", &[16, 28], true), ("36 and 28", &[36, 28], false)] {
        let mut packet = vec![0x24, 2, 6, 0xec];
        packet.resize(48, 0);
        for length in lengths {
            packet.extend([1, 4, 0, *length]);
            packet.resize(packet.len() + usize::from(*length) - 4, 0x11);
        }
        if mac {
            packet.extend([0, 0, 0, 1]);
            packet.resize(packet.len() + 16, 0xaa);
        }
        match parse_ntp(&packet) {
            Ok((_, NtpPacket::V4(read))) => {
                let values: Vec<usize> = read.extensions.iter().map(|field| field.value.len()).collect();
                println!("{name}: values of {values:?}, MAC {}", read.auth.is_some());
            }
            _ => println!("{name}: error"),
        }
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "none and MAC: values of [], MAC true
16 and MAC: error
16, 28 and MAC: values of [16], MAC true
36 and 28: values of [36], MAC true" ] || { echo "changed" >&2; exit 1; }
