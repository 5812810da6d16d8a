#!/usr/bin/env bash
# sdp 0.17.2 (crate, of webrtc-rs): a description of a data section over TCP is refused whole.
#
# Guess: "TCP/DTLS/SCTP" is taken like "UDP/DTLS/SCTP": RFC 8841 §4.2 registers both, and an ICE agent writes the first in an
#   offer when its default candidate is one of TCP (RFC 8841 §12.2), as happens where UDP is closed.
# Seen: SdpInvalidValue for the whole description, audio and video sections included. The parser takes each part of the
#   protocol between slashes from a list, which has UDP, DTLS and SCTP, yet not TCP. pion/sdp, of which it is a
#   port, has had TCP for long.
# Source: src/description/session.rs, unmarshal_media_description.
# Output seen: "UDP/DTLS/SCTP: read, written the same: true", "TCP/DTLS/SCTP: SdpInvalidValue: TCP/DTLS/SCTP"
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
sdp = "=0.17.2"
TOML
cat >src/main.rs <<'RUST'
use std::io::Cursor;

fn main() {
    for protocol in ["UDP/DTLS/SCTP", "TCP/DTLS/SCTP"] {
        let text = format!(
            "v=0\r\no=- 1 2 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\nm=application 9 {protocol} webrtc-datachannel\r\n\
             c=IN IP4 192.0.2.1\r\na=mid:0\r\na=sctp-port:5000\r\n"
        );
        match sdp::SessionDescription::unmarshal(&mut Cursor::new(text.as_bytes())) {
            Ok(session) => println!("{protocol}: read, written the same: {}", session.marshal() == text),
            Err(error) => println!("{protocol}: {error}"),
        }
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "UDP/DTLS/SCTP: read, written the same: true
TCP/DTLS/SCTP: SdpInvalidValue: TCP/DTLS/SCTP" ] || { echo "changed" >&2; exit 1; }
