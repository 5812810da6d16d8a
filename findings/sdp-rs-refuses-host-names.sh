#!/usr/bin/env bash
# sdp-rs 0.2.1 (crate): a description whose o= or c= line has a host's name is an error as a whole.
#
# Guess: the address of both lines is a name as well as a number: RFC 8866 §5.2 asks o= for a fully qualified name if there is
#   one, and §5.7 and the grammar of §9 allow names in c=. Gateways of telephony write names, and nobody connects to o=.
# Seen: "invalid IP address syntax", for each of the two, and no part of the description can be read; there is no mode that
#   passes over it. Browsers write 127.0.0.1, so that tests with their descriptions pass.
# Source: src/lines/origin.rs and src/lines/connection/connection_address.rs, whose field for the address is an IpAddr.
# Output seen: "numbers: read", "o=: error", "c=: error"
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
sdp-rs = "=0.2.1"
TOML
cat >src/main.rs <<'RUST'
fn main() {
    for (name, origin, connection) in [
        ("numbers", "192.0.2.1", "192.0.2.1"),
        ("o=", "gw.example.net", "192.0.2.1"),
        ("c=", "192.0.2.1", "gw.example.net"),
    ] {
        let text = format!(
            "v=0\r\no=- 1 2 IN IP4 {origin}\r\ns=-\r\nc=IN IP4 {connection}\r\nt=0 0\r\n\
             m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=sctp-port:5000\r\n"
        );
        let read = sdp_rs::SessionDescription::try_from(text).is_ok();
        println!("{name}: {}", if read { "read" } else { "error" });
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "numbers: read
o=: error
c=: error" ] || { echo "changed" >&2; exit 1; }
