#!/usr/bin/env bash
# webrtc-sdp 0.3.17 (crate): one candidate of a transport or type that it does not know makes a whole description an error.
#
# Guess: what a description has beyond the parser's knowledge becomes a warning and the rest is used; so it is for unknown
#   attributes, hashes and a candidate's extensions, with `fail_on_warning` false. The grammar of a=candidate leaves room
#   for other transports and types (RFC 8839 §5.1: transport-extension, token), and an agent tries the others.
# Seen: "ssltcp", which servers made with libwebrtc offer beside UDP, and any new type are hard errors in either mode, as is
#   the line e= with the owner's address. A session whose UDP candidate would do does not begin; sent one by one
#   (trickled), the same candidate costs only itself.
# Source: src/attribute_type.rs, parse_candidate: SdpParserInternalError::Generic, where unknown names are Unsupported.
# Output seen: "udp: 0 warnings", "a=x-new:1: 1 warnings", "ssltcp: error", "typ newtype: error", "e=: error"
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
webrtc-sdp = "=0.3.17"
TOML
cat >src/main.rs <<'RUST'
fn main() {
    let hash = vec!["AB"; 32].join(":");
    let candidate = "a=candidate:1 1 udp 2130706431 192.0.2.1 5000 typ host\r\n";
    for (name, owner, line) in [
        ("udp", "", String::new()),
        ("a=x-new:1", "", "a=x-new:1\r\n".to_string()),
        ("ssltcp", "", candidate.replace("udp", "ssltcp")),
        ("typ newtype", "", candidate.replace("host", "newtype")),
        ("e=", "e=owner@example.com\r\n", String::new()),
    ] {
        let text = format!(
            "v=0\r\no=- 1 2 IN IP4 192.0.2.1\r\ns=-\r\n{owner}t=0 0\r\na=fingerprint:sha-256 {hash}\r\n\
             m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\na=ice-ufrag:abcd\r\n\
             a=ice-pwd:abcdefghijklmnopqrstuvwx\r\na=setup:actpass\r\na=mid:0\r\na=sctp-port:5000\r\n{candidate}{line}"
        );
        match webrtc_sdp::parse_sdp(&text, false) {
            Ok(session) => println!("{name}: {} warnings", session.warnings.len()),
            Err(_) => println!("{name}: error"),
        }
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "udp: 0 warnings
a=x-new:1: 1 warnings
ssltcp: error
typ newtype: error
e=: error" ] || { echo "changed" >&2; exit 1; }
