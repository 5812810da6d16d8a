#!/usr/bin/env bash
# libpcap 1.10.3 with tcpdump 4.99.3 (Debian): "sctp port amqp" is refused, since amqp "is tcp", though it is registered for SCTP as well.
#
# Guess: a name in a filter is looked up for the protocol that the filter names: amqp is 5672/sctp in /etc/services, beside 5672/tcp, so that
#   "sctp port amqp" is "sctp port 5672"; and "port amqp" is "port 5672", which looks at TCP, UDP and SCTP.
# Seen: names are looked up for TCP and UDP only. One that both have is taken for SCTP, too, whether it has it or not (sip, domain); one that TCP
#   alone of the two has is an error with "sctp", and without a protocol it looks at TCP alone: "port amqp" finds no packet of the SCTP
#   association that "port 5672" finds. The one SCTP service that Debian's file names cannot be asked for by its name.
# Source: libpcap nametoaddr.c, pcap_nametoport: getaddrinfo with IPPROTO_TCP and IPPROTO_UDP; gencode.c, gen_scode, "port '%s' is tcp".
# Output seen: "sctp port amqp: port 'amqp' is tcp", "sctp port sip: SCTP", "port amqp: TCP", "port 5672: SCTP TCP UDP"
set -euo pipefail
getent services amqp/sctp >/dev/null && getent services sip/udp >/dev/null || { echo "needs netbase's services" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq tcpdump=4.99.3-1 libpcap0.8=1.10.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
python3 -c '
import struct
packet = struct.pack(">BBHHHBBHII", 0x45, 0, 28, 0, 0, 64, 132, 0, 0, 0) + bytes(8)
header = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
open("capture", "wb").write(header + struct.pack("<IIII", 0, 0, 28, 28) + packet)'
seen=$(for filter in "sctp port amqp" "sctp port 5672" "sctp port sip" "port amqp" "port 5672"; do
  root/usr/bin/tcpdump -r capture -d "$filter" >code 2>&1 || true
  names=$(for pair in 0x84=SCTP 0x6=TCP 0x11=UDP; do ! grep -q "jeq *#${pair%=*} " code || printf ' %s' "${pair#*=}"; done)
  echo "$filter:${names:-$(sed -n 's/^tcpdump:\( port.*is tcp\).*/\1/p' code)}"
done)
echo "$seen"
[ "$seen" = "sctp port amqp: port 'amqp' is tcp
sctp port 5672: SCTP
sctp port sip: SCTP
port amqp: TCP
port 5672: SCTP TCP UDP" ] || { echo "changed" >&2; exit 1; }
