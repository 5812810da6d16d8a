#!/usr/bin/env bash
# dcsctp 0.1.16 (crate): the port of a socket is written into its packets and not looked at in those that arrive.
#
# Guess: a socket of port 5001 discards, or answers "out of the blue", packets for port 5000 (RFC 9260 §8.4), so that two
#   WebRTC ends whose descriptions disagree about `a=sctp-port` do not connect.
# Seen: they connect and messages arrive. The mistake in the description shows only with another stack at one end.
# Source: local_port and remote_port in src/api/mod.rs; src/packet/sctp_packet.rs reads the ports, nobody compares them.
# Output seen: ready 1
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
    let other = Options { local_port: 5001, remote_port: 7, ..Options::default() };
    let mut pair = Pair::new([Options::default(), other]);
    pair.send(1, 10);
    println!("ready {}", pair.0[1].messages_ready_count());
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "ready 1" ] || { echo "changed" >&2; exit 1; }
