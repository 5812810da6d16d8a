#!/usr/bin/env bash
# sctp-proto 0.10.8 (crate): each payload protocol identifier that is none of WebRTC's five goes out as 58.
#
# Guess: the identifier is 32 bits that SCTP passes on unread (RFC 9260 §3.3.1); an unknown one is kept, or cannot be
#   made. `PayloadProtocolIdentifier::from(u32)` takes all.
# Seen: M3UA (3), Diameter (46) and the older identifiers of data channels (52, 54) all become `Unknown` when they are read;
#   written, that is the number of the enum's last variant, 58, which IANA gave to 3GPP's XwAP. It is also the default
#   of a stream. A relay or an echo in front of other users of SCTP changes the protocol of what it passes on.
# Source: src/chunk/chunk_payload_data.rs; rtc-sctp 0.21.1 has the same enum.
# Output seen: "wrote [3, 46, 51], on the wire [58, 58, 51]"
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
use sctp_proto::PayloadProtocolIdentifier;

fn main() {
    let wrote = [3, 46, 51];
    let mut pair = Pair::new();
    pair.association(0).open_stream(1, PayloadProtocolIdentifier::Binary).expect("opened");
    let mut wire = Vec::new();
    for ppid in wrote {
        let mut stream = pair.association(0).stream(1).expect("open");
        stream.write_with_ppi(b"hello", PayloadProtocolIdentifier::from(ppid)).expect("written");
        pair.pass(|packet| {
            if let (Some(0), Some(&[a, b, c, d])) = (packet.get(12), packet.get(24..28)) {
                wire.push(u32::from_be_bytes([a, b, c, d]));
            }
        });
    }
    println!("wrote {wrote:?}, on the wire {wire:?}");
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "wrote [3, 46, 51], on the wire [58, 58, 51]" ] || { echo "changed" >&2; exit 1; }
