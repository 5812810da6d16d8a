#!/usr/bin/env bash
# mqttbytes 0.6.0 (crate): no filter matches the topic $SYS/uptime, not even the filter $SYS/uptime.
#
# Guess: topics with a dollar in front are hidden from filters that begin with a wildcard, and are matched by those that name them: "a subscription to
#   $SYS/# will receive messages published to topics beginning with $SYS/" (MQTT 3.1.1, §4.7.2).
# Seen: matches says no to each topic that begins with a dollar, whatever the filter. A broker built on it never gives out its own statistics, nor the
#   topics of clouds and gateways that begin so. Topics without a dollar are right. The documentation of matches does not say so.
# Source: src/topic.rs, matches (it looks for the dollar before it looks at the filter).
# Output seen: "$SYS/# and $SYS/uptime: false", "$SYS/uptime and $SYS/uptime: false", "SYS/# and SYS/uptime: true"
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
mqttbytes = "=0.6.0"
TOML
cat >src/main.rs <<'RUST'
use mqttbytes::matches;

fn main() {
    for (filter, topic) in [("$SYS/#", "$SYS/uptime"), ("$SYS/uptime", "$SYS/uptime"), ("#", "$SYS/uptime"), ("SYS/#", "SYS/uptime")] {
        println!("{filter} and {topic}: {}", matches(topic, filter));
    }
}
RUST
seen=$(CARGO_TARGET_DIR=$folder/target nice -n 15 cargo run --quiet -j 2 2>build.log) || { cat build.log >&2; exit 2; }
echo "$seen"
[ "$seen" = '$SYS/# and $SYS/uptime: false
$SYS/uptime and $SYS/uptime: false
# and $SYS/uptime: false
SYS/# and SYS/uptime: true' ] || { echo "changed" >&2; exit 1; }
