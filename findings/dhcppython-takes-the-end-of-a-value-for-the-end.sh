#!/usr/bin/env bash
# dhcppython 0.1.4 (PyPI): a packet whose last option ends in ff is sent without the End option.
#
# Guess: asbytes closes the options with End ("The last option must always be the 'end' option", RFC 2131, §4.1), whatever the values are.
# Seen: End is left out if the last octet is 255 already, which it also is as the end of a value: a lease that never ends (ffffffff,
#   RFC 2131, §3.3), a mask of 255.255.255.255, a broadcast address. With the options in another order all is right. The
#   library itself reads such a packet; others, and those whose buffer is padded by Ethernet, read on.
# Source: dhcppython/packet.py, DHCPPacket.asbytes (encoded_packet[-1] != 255).
# Output seen: "lease for an hour: 350105330400000e10ff", "lease for ever: 3501053304ffffffff", "... before the server: 3501053304ffffffff3604c0000201ff"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dhcppython==0.1.4 || exit 2
cat >run.py <<'PY'
from dhcppython.options import OptionList, options
from dhcppython.packet import DHCPPacket

def show(name, *values):
    chosen = OptionList([options.short_value_to_object(code, value) for code, value in values])
    packet = DHCPPacket.Ack("00:00:5E:00:53:01", 0, 1, "192.0.2.7", option_list=chosen)
    print(f"{name}: {packet.asbytes[240:].hex()}")

show("lease for an hour", (51, 3600))
show("lease for ever", (51, 0xFFFFFFFF))
show("... before the server", (51, 0xFFFFFFFF), (54, "192.0.2.1"))
show("broadcast address", (28, "192.0.2.255"))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "lease for an hour: 350105330400000e10ff
lease for ever: 3501053304ffffffff
... before the server: 3501053304ffffffff3604c0000201ff
broadcast address: 3501051c04c00002ff" ] || { echo "changed" >&2; exit 1; }
