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
dcsctp = "=0.1.16"
TOML
cat >src/main.rs <<'RUST'
use std::time::Duration;

use dcsctp::api::{DcSctpSocket, Message, Options, PpId, SendOptions, SocketEvent, SocketTime, StreamId};

/// Two sockets in one process.
struct Pair([Box<dyn DcSctpSocket>; 2], SocketTime);

impl Pair {
    /// A pair that is connected.
    fn new(options: [Options; 2]) -> Self {
        let [a, b] = options.map(|options| dcsctp::new_socket("", &options));
        let mut pair = Self([a, b], SocketTime::zero());
        pair.0[0].connect();
        pair.pass();
        pair
    }

    /// Lets a second pass: packets arrive at once.
    fn pass(&mut self) {
        for _ in 0..1000 {
            for at in [0, 1, 0, 1] {
                while let Some(event) = self.0[at].poll_event() {
                    if let SocketEvent::SendPacket(packet) = event {
                        self.0[1 - at].handle_input(&packet);
                    }
                }
            }
            self.1 = self.1 + Duration::from_millis(1);
            self.0.iter_mut().for_each(|socket| socket.advance_time(self.1));
        }
    }

    fn send(&mut self, stream: u16, bytes: usize) {
        let message = Message::new(StreamId(stream), PpId(53), vec![1; bytes]);
        self.0[0].send(message, &SendOptions::default()).expect("sent");
        self.pass();
    }
}

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
