#!/usr/bin/env bash
# scapy 2.8.0 (PyPI), GTP layers: a network code of three digits loses one when written, and gives one to the country when read.
#
# Guess: Serving Network, TAI and ECGI hold the MCC's three digits and the MNC's two or three, the third of which shares an octet
#   with the last of the MCC (TS 29.274 §8.18, TS 24.008 §10.5.1.3). IE_ServingNetwork(MCC="310", MNC="410") is 13 00 14, and read it
#   is 310 and 410; two digits have the filler.
# Seen: the first two octets are the MCC, the third is the MNC. 410 is written as 41, without an error: 13 f0 14 is network 310-41. A
#   peer's 13 00 14 is shown as country 3100, network 41, in GTPv1 as in GTPv2; written back unchanged it is right, so that replaying
#   a capture works. Codes of two digits are right in both directions.
# Who cares: tests of packet cores for operators of North America, where codes have three digits.
# Source: scapy/contrib/gtp_v2.py, TBCDByteField("MCC", "", 2) and ("MNC", "", 1); scapy/contrib/gtp.py the same.
# Output seen: "001-01: 00f110, read 001-01", "310-410: 13f014, read 310-41", "of a peer: 130014, read 3100-41"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install scapy==2.8.0 || exit 2
cat >run.py <<'PY'
from scapy.all import raw
from scapy.contrib.gtp import IE_UserLocationInformation
from scapy.contrib.gtp_v2 import IE_ServingNetwork


def read(element):
    return f"{element.MCC.decode()}-{element.MNC.decode()}"


for country, network in (("001", "01"), ("310", "410")):
    octets = raw(IE_ServingNetwork(MCC=country, MNC=network))
    print(f"{country}-{network}: {octets[4:].hex()}, read {read(IE_ServingNetwork(octets))}")
print(f"of a peer: 130014, read {read(IE_ServingNetwork(bytes.fromhex('53000300130014')))}")
print(f"of a peer in GTPv1: 130014, read {read(IE_UserLocationInformation(bytes.fromhex('9800080013001400010002')))}")
PY
seen=$(v/bin/python run.py 2>/dev/null)
echo "$seen"
[ "$seen" = "001-01: 00f110, read 001-01
310-410: 13f014, read 310-41
of a peer: 130014, read 3100-41
of a peer in GTPv1: 130014, read 3100-41" ] || { echo "changed" >&2; exit 1; }
