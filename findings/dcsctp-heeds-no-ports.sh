#!/usr/bin/env bash
# dcsctp 0.1.16 (crate): the port of a socket is written into its packets and not looked at in those that arrive.
#
# Guess: a socket of port 5001 discards, or answers "out of the blue", packets for port 5000 (RFC 9260 §8.4), so that two
#   WebRTC ends whose descriptions disagree about `a=sctp-port` do not connect.
# Seen: they connect and messages arrive. The mistake in the description shows only with another stack at one end.
# Source: local_port and remote_port in src/api/mod.rs; src/packet/sctp_packet.rs reads the ports, nobody compares them.
# Output seen: ready 1
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cp "$here/dcsctp-pair.rs" src/pair.rs
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
dcsctp = "=0.1.16"
TOML
cat >src/main.rs <<'RUST'
mod pair;

use dcsctp::api::Options;
use pair::Pair;

fn main() {
    let other = Options { local_port: 5001, remote_port: 7, ..Options::default() };
    let mut pair = Pair::new([Options::default(), other]);
    pair.send(1, 10);
    println!("ready {}", pair.0[1].messages_ready_count());
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "ready 1" ] || { echo "changed" >&2; exit 1; }
