#!/usr/bin/env bash
# timecode 0.8.0 and frame-rate 0.3.0 (crates): at 29.97 frames a second each second of a timecode has 29 frames, at 59.94 it has 59.
#
# Guess: Timecode::from((frames, FrameRate::_29_97)) counts thirty numbers a second (SMPTE ST 12-1), as it takes 24 for 23.976: frame 1,800 is 00:01:00:00. A
#   Duration that becomes a timecode and a Duration again is the same to the millisecond.
# Seen: the rate as a floating point number is cut to a whole one: 29 and 59. Frame 29 is 00:00:01:00, frame 1,800 00:01:02:02, and after an hour the
#   timecode is two minutes ahead. 23.976 and 24.975 have a line of their own. Duration::from(&timecode) has whole seconds alone.
# Source: src/lib.rs, From<(u32, FrameRate)> (fps as u32), From<&Timecode> for f64.
# Output seen: "23.976: 1440 is 00:01:00:00", "29.97: 1800 is 00:01:02:02", "59.94: 3600 is 00:01:01:01", "29.97: 107892 is 01:02:00:12", "1.5s became 1s"
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
frame-rate = "=0.3.0"
timecode = "=0.8.0"
TOML
cat >src/main.rs <<'RUST'
use frame_rate::FrameRate;
use std::time::Duration;
use timecode::{Fraction, Timecode};

fn main() {
    for (name, rate, frames) in [
        ("23.976", FrameRate::_23_97, 1440),
        ("29.97", FrameRate::_29_97, 1800),
        ("59.94", FrameRate::_59_94, 3600),
        ("29.97", FrameRate::_29_97, 107_892),
    ] {
        let code = Timecode::from((frames, rate));
        let Fraction::Frames(last) = code.fraction() else { unreachable!() };
        println!("{name}: {frames} is {:02}:{:02}:{:02}:{:02}", code.hours(), code.minutes(), code.seconds(), last.number_of_frames());
    }
    let time = Duration::from_millis(1500);
    println!("{time:?} became {:?}", Duration::from(&Timecode::from(time)));
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 5 cargo run --quiet 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "23.976: 1440 is 00:01:00:00
29.97: 1800 is 00:01:02:02
59.94: 3600 is 00:01:01:01
29.97: 107892 is 01:02:00:12
1.5s became 1s" ] || { echo "changed" >&2; exit 1; }
