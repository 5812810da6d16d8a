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
