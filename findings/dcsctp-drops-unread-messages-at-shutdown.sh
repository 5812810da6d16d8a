#!/usr/bin/env bash
# dcsctp 0.1.16 (crate): a graceful shutdown by the peer takes away messages that have arrived and were not read.
#
# Guess: SHUTDOWN comes after all data is acknowledged, and what was acknowledged can still be read (as on sockets), at
#   least until the program has seen OnClosed.
# Seen: three messages are ready; the sender, which has all of them acknowledged, shuts down; three messages become none
#   before OnClosed can be polled. Nothing reports it, on either side. A program must read before it hands in each packet.
# Source: src/socket/shutdown.rs and the state that `messages_ready_count` and `get_next_message` look at; RFC 9260 §9.2.
# Output seen: ready 3, after the shutdown 0
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
    let mut pair = Pair::new([Options::default(), Options::default()]);
    for _ in 0..3 {
        pair.send(1, 1000);
    }
    let before = pair.0[1].messages_ready_count();
    pair.0[0].shutdown();
    pair.pass();
    println!("ready {before}, after the shutdown {}", pair.0[1].messages_ready_count());
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "ready 3, after the shutdown 0" ] || { echo "changed" >&2; exit 1; }
