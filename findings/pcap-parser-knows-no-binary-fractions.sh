#!/usr/bin/env bash
# pcap-parser 0.17.0 (crate): times in units of 2^-n, or finer than 2^-32 s, come out of a pcapng file wrong.
#
# Guess: `ts_resolution()` is Some for each legal if_tsresol, 2^20 for 0x94; with it `decode_ts_f64` gives the time. For
#   picoseconds (12) it works, since 10^12 is allowed.
# Seen: for each resolution with the upper bit set it is None, the bit being part of the exponent that is checked
#   against 63; a reader that falls back on microseconds, the format's default, gets other times. With picoseconds
#   the fraction is cut to 32 bits: 0.25 s becomes 0.0008919
# Why it matters: capture devices write 2^-n, since their clocks count so.
# Source: src/pcapng/time.rs, build_ts_resolution and build_ts_f64; draft-ietf-opsawg-pcapng §4.2.
# Output seen: "2^-20 s: None", "10^-6 s: Some(1000000) 1000.25", "10^-12 s: Some(1000000000000) 1000.000891896832"
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
pcap-parser = "=0.17.0"
TOML
cat >src/main.rs <<'RUST'
use pcap_parser::{build_ts_f64, build_ts_resolution};

fn main() {
    for (name, option, units) in [("2^-20", 0x94, 1 << 20), ("10^-6", 6, 1_000_000), ("10^-12", 12, 1_000_000_000_000)] {
        let ticks: u64 = 1000 * units + units / 4;
        let resolution = build_ts_resolution(option);
        let time = resolution.map(|resolution| build_ts_f64((ticks >> 32) as u32, ticks as u32, 0, resolution));
        println!("{name} s: {resolution:?} {time:?}");
    }
}
RUST
seen=$(cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = '2^-20 s: None None
10^-6 s: Some(1000000) Some(1000.25)
10^-12 s: Some(1000000000000) Some(1000.000891896832)' ] || { echo "changed" >&2; exit 1; }
