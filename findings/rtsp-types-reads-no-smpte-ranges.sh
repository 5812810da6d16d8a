#!/usr/bin/env bash
# rtsp-types 0.1.3 (crate): a Range in SMPTE time is an error, the one that it has just written, too, and smpte==10:07:33- is not.
#
# Guess: Range has a variant Smpte with types and frames, so that smpte=10:07:33- and smpte-25=10:07:00-10:07:33:05.01, the examples of RFC 2326, §3.5, and RFC
#   7826, §4.4.1, are read, as npt and clock are.
# Seen: the text is split at the first equals sign, and then what is behind it has to begin with one: no range of the specifications does. What Display
#   gives for a value that was built is a HeaderParseError; with two signs all is read. A server has to play from the start, or to refuse. A Range with
#   a time behind it, clock=...;time=..., which RFC 2326, §12.29, has, is one as well.
# Source: src/headers/range.rs, SmpteRange::from_str (split_once(s, '='), then strip_prefix('=')).
# Output seen: "npt=1:02:03-: ok", "clock=19961108T143720Z-: ok", "smpte=10:07:33-: error", "smpte-25=10:07:00-10:07:33:05.01: error", "written: smpte=10:07:33-",
#   "smpte==10:07:33-: ok"
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
rtsp-types = "=0.1.3"
TOML
cat >src/main.rs <<'RUST'
use rtsp_types::headers::{Range, SmpteRange, SmpteTime, SmpteType};
use rtsp_types::{Message, StatusCode, Version};

fn read(range: &str) -> &'static str {
    let text = format!("RTSP/1.0 200 OK\r\nCSeq: 1\r\nRange: {range}\r\n\r\n");
    let Ok((Message::<Vec<u8>>::Response(response), _)) = Message::parse(text.as_bytes()) else { return "no message" };
    if response.typed_header::<Range>().is_ok() { "ok" } else { "error" }
}

fn main() {
    for range in ["npt=1:02:03-", "clock=19961108T143720Z-", "smpte=10:07:33-", "smpte-25=10:07:00-10:07:33:05.01"] {
        println!("{range}: {}", read(range));
    }
    let start = SmpteTime { hours: 10, minutes: 7, seconds: 33, frames: None };
    let response = rtsp_types::Response::builder(Version::V1_0, StatusCode::Ok)
        .typed_header(&Range::Smpte(SmpteRange::From(SmpteType::Smpte, start)))
        .empty();
    println!("written: {}", response.header(&rtsp_types::headers::RANGE).unwrap().as_str());
    println!("smpte==10:07:33-: {}", read("smpte==10:07:33-"));
}
RUST
seen=$(nice -n 10 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "npt=1:02:03-: ok
clock=19961108T143720Z-: ok
smpte=10:07:33-: error
smpte-25=10:07:00-10:07:33:05.01: error
written: smpte=10:07:33-
smpte==10:07:33-: ok" ] || { echo "changed" >&2; exit 1; }
