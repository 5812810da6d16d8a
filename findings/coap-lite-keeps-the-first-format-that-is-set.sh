#!/usr/bin/env bash
# coap-lite 0.13.3 (crate): set_content_format on a packet that has a format adds a second one, and readers go by the first.
#
# Guess: set replaces, as set_option, set_token and set_observe_value of the same type do; Content-Format is not repeatable (RFC 7252, §5.10, table 4).
# Seen: it adds. get_content_format gives the first, so that a handler which turns a JSON answer into CBOR sends CBOR under the name of JSON, with the
#   right format behind it, where receivers take it for a surplus option and ignore it (§5.4.5). After clear_option the packet still has
#   the option, as an empty list: get_option is Some.
# Source: src/packet.rs, set_content_format (add_option_as; set_observe_value clears first) and clear_option.
# Output seen: "JSON, then CBOR: ApplicationJSON, options c1 32 01 3c", "cleared: Some of 0 values"
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
coap-lite = "=0.13.3"
TOML
cat >src/main.rs <<'RUST'
use coap_lite::{CoapOption, ContentFormat, Packet};

fn main() {
    let mut packet = Packet::new();
    packet.set_content_format(ContentFormat::ApplicationJSON);
    packet.set_content_format(ContentFormat::ApplicationCBOR);
    let octets: Vec<String> = packet.to_bytes().unwrap()[4..].iter().map(|octet| format!("{octet:02x}")).collect();
    println!("JSON, then CBOR: {:?}, options {}", packet.get_content_format().unwrap(), octets.join(" "));
    packet.set_observe_value(1);
    packet.set_observe_value(2);
    println!("observe 1, then 2: {}", packet.get_observe_value().unwrap().unwrap());
    packet.clear_option(CoapOption::ContentFormat);
    match packet.get_option(CoapOption::ContentFormat) {
        Some(values) => println!("cleared: Some of {} values", values.len()),
        None => println!("cleared: None"),
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "JSON, then CBOR: ApplicationJSON, options c1 32 01 3c
observe 1, then 2: 2
cleared: Some of 0 values" ] || { echo "changed" >&2; exit 1; }
