#!/usr/bin/env bash
# decoda 0.2.7 (PyPI): a CAN identifier of data page 1 with a destination gives a group number with the destination in it.
#
# Guess: in each data page a PDU format below 240 means that the next octet is the destination, which is 0 in the group number (SAE J1939-21):
#   1DED2305 to address 23 is group 1ED00, which NMEA 2000 uses for its group function (126208).
# Seen: the whole number is compared with F000, and each number of page 1 is larger: 1ED23. No table has it, so that the message is an unknown one for
#   each of 255 addresses. In page 0 the same format is right, and the destination itself is read right too. J1939-PGN 0.4 has 1ED00.
# Source: decoda/transport.py, parts_from_can_id (pgn < 0xF000).
# Output seen: "18EA2305: decoda 0EA00, J1939-PGN 0EA00", "19EA2305: decoda 1EA23, J1939-PGN 1EA00", "1DED2305: decoda 1ED23, J1939-PGN 1ED00", "1DF11205: decoda 1F112, J1939-PGN 1F112"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v decoda==0.2.7 attrs==24.2.0 J1939-PGN==0.4 || exit 2
cat >run.py <<'PY'
from decoda.transport import parts_from_can_id
from J1939_PGN import J1939_PGN

for identifier in (0x18EA2305, 0x19EA2305, 0x1DED2305, 0x1DF11205):
    group = parts_from_can_id(identifier)[1]
    print(f"{identifier:08X}: decoda {group:05X}, J1939-PGN {J1939_PGN(msg_id=identifier).pgn:05X}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "18EA2305: decoda 0EA00, J1939-PGN 0EA00
19EA2305: decoda 1EA23, J1939-PGN 1EA00
1DED2305: decoda 1ED23, J1939-PGN 1ED00
1DF11205: decoda 1F112, J1939-PGN 1F112" ] || { echo "changed" >&2; exit 1; }
