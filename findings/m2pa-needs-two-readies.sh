#!/usr/bin/env bash
# m2pa 1.1.0 (crate): a link comes into service with the peer's second Link Status Ready only, and a repeated Alignment or
# Ready takes it out of service.
#
# Guess: `M2paStateMachine` is in service when both ends have sent Ready, once each (RFC 4165 §4.1.3), and heeds no message
#   that says what it knows: RFC 4165 §2.3.2 lets an end repeat Alignment and Ready until it has seen the peer's.
# Seen: Alignment, Proving Normal and Ready give AlignedReady, not InService; nothing but another Ready goes on from there, so
#   that a peer that sends one never gets traffic. A second Alignment, or a third Ready, gives OutOfService, as does Busy in
#   AlignedReady. Two ends made with the crate, which each send two, work.
# Source: src/state_machine.rs, on_link_status: each pair that is not listed ends in OutOfService.
# Output seen: "once: Aligned Proving AlignedReady", "second Ready: InService, third: OutOfService",
#   "second Alignment: OutOfService"
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
m2pa = "=1.1.0"
TOML
cat >src/main.rs <<'RUST'
use m2pa::{LinkState, M2paStateMachine};

fn main() {
    let mut link = M2paStateMachine::new();
    link.start();
    let once = [LinkState::Alignment, LinkState::ProvingNormal, LinkState::Ready];
    let states: Vec<String> = once.iter().map(|state| format!("{:?}", link.on_link_status(*state))).collect();
    println!("once: {}", states.join(" "));
    let second = link.on_link_status(LinkState::Ready);
    println!("second Ready: {second:?}, third: {:?}", link.on_link_status(LinkState::Ready));
    link.start();
    link.on_link_status(LinkState::Alignment);
    println!("second Alignment: {:?}", link.on_link_status(LinkState::Alignment));
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "once: Aligned Proving AlignedReady
second Ready: InService, third: OutOfService
second Alignment: OutOfService" ] || { echo "changed" >&2; exit 1; }
