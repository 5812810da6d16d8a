#!/usr/bin/env bash
# iproute2 6.1.0 (Debian), tc -j: rates are bytes a second and latencies microseconds, while the text has bits and milliseconds.
#
# Guess: `tc -j qdisc show` has the numbers of `tc qdisc show` without their units' prefixes, so that a bottleneck of 8mbit that an
#   emulator has set is "rate":8000000, and its 50 ms are "lat":50, or 0.05, as netem's delays are written.
# Seen: "rate":1000000, an eighth, and no unit is written; "lat":50000 is 50 ms, and a reader that takes it for ms, the text's
#   unit, has 50 s. An experiment that reads its emulated link from JSON compares an SCTP goodput in bit/s with an eighth of the
#   rate, and gets a utilisation of 7.5. And -j is for the disciplines alone: `tc -j class show`, where HTB keeps its rates,
#   and `ip -j mptcp limits` write their text, with exit status 0.
# Source: tc_print_rate and tc/q_tbf.c (JSON gets the number of the kernel, in bytes);
#   tc/tc_class.c and ip/ipmptcp.c of this version print text.
# Output seen: "text: rate 8Mbit lat 50ms", "json: rate 1000000 lat 50000", "class: no JSON (class htb 1:1 root prio 0 rate 8Mbit)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq iproute2=6.1.0-3 libbpf1=1:1.1.2-0+deb12u1 libelf1=0.188-2.1 libmnl0=1.0.4-3 libxtables12=1.8.9-2 \
    libbsd0=0.11.7-2 libmd0=1.0.4-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu PATH=$folder/root/sbin:$folder/root/bin:$PATH
cat >namespace.sh <<'SH'
set -e
ip link set lo up
tc qdisc add dev lo root handle 1: tbf rate 8mbit burst 32k latency 50ms
tc qdisc show dev lo >text
tc -j qdisc show dev lo >json
tc qdisc del dev lo root
tc qdisc add dev lo root handle 1: htb default 1
tc class add dev lo parent 1: classid 1:1 htb rate 8mbit
tc -j class show dev lo >class
SH
unshare --map-root-user --net bash namespace.sh || exit 2
seen=$(python3 - <<'PY'
import json

words = open("text").read().split()
print("text: rate", words[words.index("rate") + 1], "lat", words[words.index("lat") + 1])
options = json.load(open("json"))[0]["options"]
print("json: rate", options["rate"], "lat", options["lat"])
text = open("class").read()
try:
    print("class:", json.loads(text))
except ValueError:
    print(f"class: no JSON ({' '.join(text.split()[:8])})")
PY
)
echo "$seen"
[ "$seen" = "text: rate 8Mbit lat 50ms
json: rate 1000000 lat 50000
class: no JSON (class htb 1:1 root prio 0 rate 8Mbit)" ] || { echo "changed" >&2; exit 1; }
