#!/usr/bin/env bash
# dhcp4r 0.2.3 (crate): no packet has the broadcast flag when it is read, not even one that the crate wrote with it.
#
# Guess: broadcast is the first bit of the 16 flags (RFC 2131, §2, figure 2: 80 00), and a packet that is written and read is the same.
# Seen: it is written in the first octet, rightly, and looked for with 128 in the number of both octets, which is the first bit of the
#   second one: one of the bits that must be zero. A server sees that each client can take unicast before it has an address, and
#   those that cannot, and said so, never get one. The same goes for the mask of option 1, a variant of its own that is written and
#   comes back as Unrecognized.
# Source: src/packet.rs, decode (flags & 128 == 128) and encode; decode_option, which has no SUBNET_MASK.
# Output seen: "flags 8000, broadcast false", "mask false"
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
use dhcp4r::options::{DhcpOption, SUBNET_MASK};
use dhcp4r::packet::Packet;

fn main() {
    let zero = [0, 0, 0, 0].into();
    let sent = Packet {
        reply: false,
        hops: 0,
        xid: 1,
        secs: 0,
        broadcast: true,
        ciaddr: zero,
        yiaddr: zero,
        siaddr: zero,
        giaddr: zero,
        chaddr: [0, 0, 0x5e, 0, 0x53, 1],
        options: vec![DhcpOption::SubnetMask([255, 255, 255, 0].into())],
    };
    let mut room = [0; 1500];
    let octets = sent.encode(&mut room).to_vec();
    let read = Packet::from(&octets).ok().unwrap();
    println!("flags {:02x}{:02x}, broadcast {}", octets[10], octets[11], read.broadcast);
    println!("mask {}", matches!(read.option(SUBNET_MASK), Some(DhcpOption::SubnetMask(_))));
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "flags 8000, broadcast false
mask false" ] || { echo "changed" >&2; exit 1; }
