#!/usr/bin/env bash
# pyadsb 0.0.3 (PyPI): KLM1023, its own example, is called "YC6V_320": backwards, and half of it is the checksum.
#
# Guess: the eight characters of an identification message are the 48 bits behind its type and category, in their order, A to Z being 1 to 26 (ICAO Annex 10,
#   volume IV, character coding of the aircraft's identification).
# Seen: the last 48 bits of the whole message are read, the three octets of its checksum, too: the first four characters of the name are missing. The rest is
#   never turned round, so that the name begins with the checksum. Each letter is the next one of the alphabet, as 1 is added to 65, and a blank
#   is "_". Two aircraft of one name and two addresses have two names.
# Source: adsb/adsb.py, Adsb.parse (data = msg[4:], the checksum with it), AircraftId.parse (cs_int & 0x3f; 65+c). The message is the second example of the
#   README.
# Output seen: "in order: 'KLM1023 '", "read: 'YC6V_320'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pyadsb==0.0.3 || exit 2
cat >run.py <<'PY'
from adsb import Adsb

MESSAGE = bytes.fromhex("8d4840d6202cc371c32ce0576098")
data = int.from_bytes(MESSAGE[5:11], "big")
codes = [data >> shift & 0x3F for shift in range(42, -1, -6)]
name = "".join(chr(code + 64 if code < 27 else code) for code in codes)
print(f"in order: {name!r}")
print(f"read: {Adsb.parse(MESSAGE).data.callsign!r}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "in order: 'KLM1023 '
read: 'YC6V_320'" ] || { echo "changed" >&2; exit 1; }
