#!/usr/bin/env bash
# rs-pfcp 0.5.0 (crate): three timers have other lengths than in TS 29.244, and a peer's IMSI is read as an IMEI.
#
# Guess: the crate, which states full compliance with Release 18, codes Timer (§8.2.35) and DL Buffering Duration (§8.2.29) in one
#   octet with a unit, Downlink Data Notification Delay (§8.2.28) in one octet of 50 ms, and User ID (§8.2.101) as flags
#   and then each identity with its length. go-pfcp (v0.0.24) does.
# Seen: the first two are 32 bits of seconds, the third is 24 bits of milliseconds times 50; a peer's octet is refused as too short,
#   and a peer that takes the first octet of the crate's reads 0, "stopped". Of a User ID the flags are taken for a number of
#   the type: flag 1, an IMSI, is type 1, IMEI, and the length belongs to the value. What the crate writes it reads,
#   so that its tests pass.
# Who cares: whoever joins it with a core or UPF of others on N4; sessions come up, as they can do without these elements.
# Source: src/ie/timer.rs, dl_buffering_duration.rs, downlink_data_notification_delay.rs, user_id.rs.
# Output seen: "timer of 60 s: 0000003c, a peer's 21: refused", "buffering for 60 s: 0000003c, a peer's 21: refused",
#   "delay of 100 ms: 001388, a peer's 02: refused", "IMSI of a peer: Imei, 8 octets from 07"
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
rs-pfcp = "=0.5.0"
TOML
cat >src/main.rs <<'RUST'
use rs_pfcp::ie::dl_buffering_duration::DlBufferingDuration;
use rs_pfcp::ie::downlink_data_notification_delay::DownlinkDataNotificationDelay;
use rs_pfcp::ie::timer::Timer;
use rs_pfcp::ie::user_id::UserId;
use std::time::Duration;

fn show<E>(name: &str, own: &[u8], peer: u8, refused: Result<(), E>) {
    let own: String = own.iter().map(|octet| format!("{octet:02x}")).collect();
    println!("{name}: {own}, a peer's {peer:02x}: {}", if refused.is_err() { "refused" } else { "read" });
}

fn main() {
    show("timer of 60 s", &Timer::new(60).marshal(), 0x21, Timer::unmarshal(&[0x21]).map(drop));
    let buffering = DlBufferingDuration::unmarshal(&[0x21]).map(drop);
    show("buffering for 60 s", &DlBufferingDuration::new(60).marshal(), 0x21, buffering);
    let delay = DownlinkDataNotificationDelay::new(Duration::from_millis(100));
    show("delay of 100 ms", &delay.marshal(), 2, DownlinkDataNotificationDelay::unmarshal(&[2]).map(drop));
    // Flags: IMSI; its length; 00101123456789 in swapped digits.
    let user = UserId::unmarshal(&[1, 7, 0x00, 0x11, 0x10, 0x32, 0x54, 0x76, 0x98]).expect("read");
    println!("IMSI of a peer: {:?}, {} octets from {:02x}", user.user_id_type, user.user_id_value.len(), user.user_id_value[0]);
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = "timer of 60 s: 0000003c, a peer's 21: refused
buffering for 60 s: 0000003c, a peer's 21: refused
delay of 100 ms: 001388, a peer's 02: refused
IMSI of a peer: Imei, 8 octets from 07" ] || { echo "changed" >&2; exit 1; }
