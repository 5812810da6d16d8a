#!/usr/bin/env bash
# tshark 4.0.17 (Debian): TSNs of DATA and SACK are counted from the first one seen, those of other chunks are absolute.
#
# Guess: all fields with a TSN are on one scale, that of the preference sctp.relative_tsns, so that sctp.data_tsn can be
#   compared with sctp.forward_tsn_tsn: which messages were given up.
# Seen: with the preference at rest (on) DATA 1000 has the TSN 0, and the FORWARD TSN and the SHUTDOWN behind it have 1001.
#   Where the first packets of a capture were reordered, TSNs below the first one seen are near 4294967295. Scripts over
#   `-T fields` and filters like "sctp.data_tsn > 100" meet that without a hint. With the preference off sctp.data_tsn is
#   missing; the absolute number is always in sctp.data_tsn_raw, whose like FORWARD TSN and SHUTDOWN do not have.
# Source: epan/dissectors/packet-sctp.c: the preference is asked for in the functions for DATA and SACK.
# Output seen: "DATA 0, raw 1000, FORWARD TSN 1001, SHUTDOWN 1001", "reordered 0 4294967294", "off: DATA , raw 1000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
wireshark=4.0.17-0+deb12u3
apt-get download -qq {tshark,wireshark-common,libwireshark16,libwireshark-data,libwiretap13,libwsutil14}=$wireshark \
    libc-ares2=1.18.1-3 liblua5.2-0=5.2.4-3 libpcap0.8=1.10.3-1 libsmi2ldbl=0.4.8+dfsg2-16 libsnappy1v5=1.1.9-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu WIRESHARK_DATA_DIR=$folder/root/usr/share/wireshark
export HOME=$folder
tshark() { "$folder/root/usr/bin/tshark" "$@" 2>/dev/null; }
tshark --version >/dev/null || exit 2
cat >captures.py <<'PY'
import struct

def chunk(kind, body):
    return struct.pack("!BBH", kind, 3 if kind == 0 else 0, 4 + len(body)) + body

def data(tsn):
    return chunk(0, struct.pack("!IHHI", tsn, 0, tsn & 0xFFFF, 0) + b"data")

def capture(name, packets):
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for count, (ours, body) in enumerate(packets):
        hosts = (bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
        ports, tag = ((5000, 2905), 2) if ours else ((2905, 5000), 1)
        body = struct.pack("!HHII", *ports, tag, 0) + body
        source, target = hosts if ours else hosts[::-1]
        frame = bytes(12) + struct.pack("!HBBHHHBBH", 0x800, 0x45, 0, 20 + len(body), 0, 0, 64, 132, 0) + source + target + body
        out += struct.pack("<IIII", count, 0, len(frame), len(frame)) + frame
    open(name, "wb").write(out)

forward, shutdown = chunk(192, struct.pack("!I", 1001)), chunk(7, struct.pack("!I", 1001))
capture("whole", [(True, data(1000)), (True, forward), (False, shutdown)])
capture("reordered", [(True, data(1005)), (True, data(1003))])
PY
python3 captures.py
fields() { tshark -r "$1" -T fields "${@:2}" | tr -s '\t\n' '  ' | sed 's/^ *//; s/ *$//'; }
seen="DATA $(fields whole -e sctp.data_tsn), raw $(fields whole -e sctp.data_tsn_raw), \
FORWARD TSN $(fields whole -e sctp.forward_tsn_tsn), SHUTDOWN $(fields whole -e sctp.shutdown_cumulative_tsn_ack)
reordered $(fields reordered -e sctp.data_tsn)
off: DATA $(fields whole -o sctp.relative_tsns:FALSE -e sctp.data_tsn), \
raw $(fields whole -o sctp.relative_tsns:FALSE -e sctp.data_tsn_raw)"
echo "$seen"
[ "$seen" = "DATA 0, raw 1000, FORWARD TSN 1001, SHUTDOWN 1001
reordered 0 4294967294
off: DATA , raw 1000" ] || { echo "changed" >&2; exit 1; }
