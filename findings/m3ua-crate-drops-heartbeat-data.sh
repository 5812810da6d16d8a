#!/usr/bin/env bash
# m3ua 1.1.0 (crate): its answer to a BEAT lacks the data, and its answer to ASP Active all routing contexts but the first.
#
# Guess: `Asp::handle` gives the message that RFC 4666 asks of a signalling gateway: a BEAT Ack repeats the Heartbeat Data
#   unchanged (§3.5.5, §3.5.6, §4.3.4.6), an ASP Active Ack names each routing context that is now active (§4.3.4.3).
# Seen: the BEAT Ack is eight bytes, a header. A sender that numbers its heartbeats, the use that the RFC gives for the data,
#   counts each as lost and ends the association after a few. Of the contexts 1 and 2 the first is acknowledged, so that
#   the ASP asks for the second again and again; the traffic mode is missing, too. The crate's own test looks at the type.
# Source: src/asp.rs, Asp::handle; src/message.rs, routing_context, which gives one number.
# Output seen: "...00090008abcd0001 -> 0100030600000008", "...0006000c0000000100000002 -> ...0006000800000001"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "finding"
edition = "2021"

[dependencies]
m3ua = "=1.1.0"
TOML
cat >src/main.rs <<'RUST'
use m3ua::asp::{Asp, AspAction};
use m3ua::{M3uaMessage, MessageType, Parameter};

fn hex(message: &M3uaMessage) -> String {
    message.encode().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn main() {
    let mut asp = Asp::new();
    asp.handle(&M3uaMessage::asp_up(None, None));
    let contexts = vec![Parameter::from_u32(11, 2), Parameter::new(6, vec![0, 0, 0, 1, 0, 0, 0, 2])];
    for asked in [
        M3uaMessage::heartbeat(Some(vec![0xab, 0xcd, 0, 1])),
        M3uaMessage::new(MessageType::AspActive, contexts),
    ] {
        let AspAction::Reply(answer) = asp.handle(&asked) else { panic!("no answer") };
        println!("{} -> {}", hex(&asked), hex(&answer));
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "010003030000001000090008abcd0001 -> 0100030600000008
010004010000001c000b0008000000020006000c0000000100000002 -> 01000403000000100006000800000001" ] ||
    { echo "changed" >&2; exit 1; }
