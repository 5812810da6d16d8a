#!/usr/bin/env bash
# softflowd 1.1.0, nfpcapd 1.7.1 (nfdump) and argus 3.0.8.2 (Debian) put all SCTP associations of two hosts into one flow.
#
# Guess: a flow is told by addresses, protocol and ports; SCTP's ports stand where TCP's and UDP's do (RFC 9260 §3.1), and
#   the elements of IPFIX for them (sourceTransportPort, destinationTransportPort) name SCTP.
# Seen: two associations, from port 5000 and port 5001 to 2905, are one flow with the ports 0 in all three, though each
#   prints "sctp" as the protocol. Diameter, M3UA and S1AP between two hosts cannot be told apart, nor a second
#   association from a first that hangs. The same packets with UDP's number give two flows in each.
# Source: the readers of transport headers: softflowd.c, transport_to_flowrec; nfdump, src/nfpcapd/pcaproc.c; argus.
# Output seen: "SCTP: softflowd 1, nfpcapd 1, argus 1", "UDP: softflowd 2, nfpcapd 2, argus 2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq softflowd=1.1.0-1+b1 nfdump=1.7.1-2+deb12u1 argus-server=2:3.0.8.2-2.2 \
    argus-client=1:3.0.8.2-6.1+b3 libpcap0.8=1.10.3-1 libwrap0=7.6.q-32 libnsl2=1.3.0-2 libtirpc3=1.3.3+ds-1 \
    libgeoip1=1.6.12-10 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
bin=$folder/root/usr/bin sbin=$folder/root/usr/sbin
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/nfdump
cat >captures.py <<'PY'
import struct

def capture(name, protocol):
    out = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for count in range(12):
        port = 5000 + count % 2
        body = struct.pack("!HHHHIBBHIHHI", port, 2905, 32, 0, 0, 0, 3, 20, count, 0, count, 3) + b"data"
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 0, 0, 64, protocol, 0,
                         bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
        total = sum(struct.unpack("!10H", ip))
        total = (total & 0xFFFF) + (total >> 16)
        frame = bytes(12) + b"\x08\0" + ip[:10] + struct.pack("!H", ~total & 0xFFFF) + ip[12:] + body
        out += struct.pack("<IIII", 1700000000, 1000 * count, len(frame), len(frame)) + frame
    open(name, "wb").write(out)

capture("SCTP", 132)
capture("UDP", 17)
PY
python3 captures.py
flows() {
    local soft nf ra
    soft=$("$sbin/softflowd" -r "$1" -D -c none -p none 2>&1 | grep -c "^ADD FLOW" || true)
    mkdir "nf-$1"
    "$bin/nfpcapd" -r "$1" -l "nf-$1" >/dev/null 2>&1 || true
    nf=$("$bin/nfdump" -R "nf-$1" -q -o "fmt:%pr %sp" 2>/dev/null | grep -c . || true)
    "$sbin/argus" -r "$1" -w "$1.argus" 2>/dev/null
    ra=$("$bin/ra" -nr "$1.argus" -s proto sport - not man 2>/dev/null | grep -ci "^ *$1" || true)
    echo "$1: softflowd $soft, nfpcapd $nf, argus $ra"
}
seen=$(flows SCTP && flows UDP)
echo "$seen"
[ "$seen" = "SCTP: softflowd 1, nfpcapd 1, argus 1
UDP: softflowd 2, nfpcapd 2, argus 2" ] || { echo "changed" >&2; exit 1; }
