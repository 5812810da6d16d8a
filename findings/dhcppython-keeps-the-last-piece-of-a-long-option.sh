#!/usr/bin/env bash
# dhcppython 0.1.4 (PyPI): of an option in several pieces the last one is all that is left, in the place of the first.
#
# Guess: an option that occurs more than once is one value in pieces, since a piece has at most 255 octets: they are joined (RFC 2131, §4.1, and RFC 3396).
#   Classless routes (RFC 3442) and search lists get that long; a list of servers in two pieces is one list.
# Seen: the option list has one entry for a code, and a second one replaces it, while the packet is read just as when a program
#   sets it anew. Two routers out of four remain, and what is written back has lost the others.
# Source: dhcppython/options.py, OptionList.append; dhcppython/packet.py, DHCPPacket.from_bytes, which uses it.
# Output seen: "sent 4 name servers in 2 pieces, read ['192.0.2.53', '192.0.2.54']", "30 octets became 20"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dhcppython==0.1.4 || exit 2
cat >run.py <<'PY'
from dhcppython.options import OptionList
from dhcppython.packet import DHCPPacket

head = DHCPPacket.Ack("00:00:5E:00:53:01", 0, 1, "192.0.2.7", option_list=OptionList()).asbytes[:240]
pieces = bytes([6, 8, 192, 0, 2, 51, 192, 0, 2, 52, 3, 4, 192, 0, 2, 1, 6, 8, 192, 0, 2, 53, 192, 0, 2, 54])
raw = head + bytes([53, 1, 5]) + pieces + b"\xff"
packet = DHCPPacket.from_bytes(raw)
print("sent 4 name servers in 2 pieces, read", packet.options.by_code(6).value["dns_servers"])
print(f"{len(raw) - 240} octets became {len(packet.asbytes) - 240}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "sent 4 name servers in 2 pieces, read ['192.0.2.53', '192.0.2.54']
30 octets became 20" ] || { echo "changed" >&2; exit 1; }
