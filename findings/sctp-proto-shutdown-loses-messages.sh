#!/usr/bin/env bash
# sctp-proto 0.10.8 (crate): `shutdown` throws away messages that are not sent yet, and the association never ends.
#
# Guess: SHUTDOWN waits until all that was written is acknowledged (RFC 9260 §9.2), then SHUTDOWN, SHUTDOWN ACK and SHUTDOWN
#   COMPLETE pass and both ends get AssociationLost, as the doc comment ("initiates the shutdown sequence") has it.
# Seen: only what is in flight counts, so that three messages, written just before, are never sent, though `write` and
#   `shutdown` are Ok. Then the event that belongs to it makes the endpoint forget the association at once: the
#   peer's SHUTDOWN ACK meets nobody and is repeated, neither end hears of an end within ten seconds, nor after
#   a shutdown with nothing outstanding.
# Source: src/association/mod.rs, shutdown (inflight_queue_length, EndpointEventInner::Drained).
# Output seen: "no shutdown: 3 arrived", "shutdown: 0 arrived, ended [false, false]",
#   "later shutdown: 3 arrived, ended [false, false]"
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cp "$here/sctp-proto-pair.rs" src/pair.rs
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
version = "0.0.0"
edition = "2021"

[dependencies]
bytes = "1"
sctp-proto = "=0.10.8"
TOML
cat >src/main.rs <<'RUST'
mod pair;

use pair::Pair;
use sctp_proto::PayloadProtocolIdentifier::Binary;

fn written() -> Pair {
    let mut pair = Pair::new();
    pair.association(0).open_stream(1, Binary).expect("opened");
    for _ in 0..3 {
        pair.association(0).stream(1).expect("open").write_with_ppi(b"hello", Binary).expect("written");
    }
    pair
}

fn show(name: &str, mut pair: Pair) {
    pair.pass(|_| ());
    let ended = [0, 1].map(|at| pair.0[at].lost);
    let mut arrived = 0;
    if let Ok(mut stream) = pair.association(1).stream(1) {
        while let Ok(Some(_)) = stream.read_sctp() {
            arrived += 1;
        }
    }
    println!("{name}: {arrived} arrived, ended {ended:?}");
}

fn main() {
    show("no shutdown", written());
    let mut pair = written();
    pair.association(0).shutdown().expect("begun");
    show("shutdown", pair);
    let mut pair = written();
    pair.pass(|_| ());
    pair.association(0).shutdown().expect("begun");
    show("later shutdown", pair);
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = 'no shutdown: 3 arrived, ended [false, false]
shutdown: 0 arrived, ended [false, false]
later shutdown: 3 arrived, ended [false, false]' ] || { echo "changed" >&2; exit 1; }
