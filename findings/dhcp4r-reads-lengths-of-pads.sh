#!/usr/bin/env bash
# dhcp4r 0.2.3 (crate): a Pad between options is read as an option with a length, so that one Pad makes a packet unreadable and two do not.
#
# Guess: Pad is one octet of zero that is skipped (RFC 2132, §3.1); the crate has the constant and writes Pads behind End.
# Seen: reading knows End alone. The octet behind a Pad is taken for its length. Behind one or three Pads that is the code of the next option,
#   and as many octets are taken as it says: an error, or other options. Two Pads become an option 0 without data. Clients that align
#   their options to two octets send one Pad in some packets and none in others, and get an answer to some.
# Source: src/packet.rs, decode_option.
# Output seen: "0 Pads: 53 12", "1 Pads: error", "2 Pads: 53 0 12", "3 Pads: error"
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
dhcp4r = "=0.2.3"
TOML
cat >src/main.rs <<'RUST'
use dhcp4r::packet::Packet;

fn main() {
    for pads in 0..4 {
        let mut octets = vec![0; 240];
        octets[..3].copy_from_slice(&[1, 1, 6]);
        octets[236..].copy_from_slice(&[99, 130, 83, 99]);
        octets.extend([53, 1, 1]);
        octets.resize(octets.len() + pads, 0);
        octets.extend([12, 1, b'a', 255]);
        octets.resize(300, 0);
        let shown = match Packet::from(&octets) {
            Ok(packet) => packet.options.iter().map(|option| option.code().to_string()).collect::<Vec<_>>().join(" "),
            Err(_) => "error".to_owned(),
        };
        println!("{pads} Pads: {shown}");
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "0 Pads: 53 12
1 Pads: error
2 Pads: 53 0 12
3 Pads: error" ] || { echo "changed" >&2; exit 1; }
