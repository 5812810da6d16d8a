#!/usr/bin/env bash
# dcsctp 0.1.16 (crate): the number of streams that both ends announce binds neither of them.
#
# Guess: a receiver that announces two incoming streams gets messages on streams 0 and 1; a message for stream 9 is
#   refused by `send`, or answered with the error cause "invalid stream identifier" (RFC 9260 §5.1.1, §3.3.10.1).
# Seen: the sender takes the message, sends it, and the receiver delivers it, on stream 65535, too. With another stack at
#   the other end the same message is lost there, with an ERROR, though `send` said Ok.
# Source: announced_maximum_incoming_streams in src/api/mod.rs; src/tx/send_queue.rs and src/socket/data.rs do not ask.
# Output seen: delivered on [9, 65535]
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
    let receiver = Options { announced_maximum_incoming_streams: 2, ..Options::default() };
    let mut pair = Pair::new([Options::default(), receiver]);
    pair.send(9, 10);
    pair.send(65535, 10);
    let mut streams = Vec::new();
    while let Some(message) = pair.0[1].get_next_message() {
        streams.push(message.stream_id.0);
    }
    println!("delivered on {streams:?}");
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "delivered on [9, 65535]" ] || { echo "changed" >&2; exit 1; }
