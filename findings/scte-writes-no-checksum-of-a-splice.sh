#!/usr/bin/env bash
# scte 1.1.4 (PyPI): what it reads of SCTE 35 and writes again is four octets shorter, without a checksum, and says in its length that it is there.
#
# Guess: SpliceEvent.from_hex_string(text).hex_string is the text again: a time_signal without descriptors has nothing that could be lost (ANSI/SCTE 35,
#   splice_info_section, ends with CRC_32; reserved bits are 1).
# Seen: CRC_32 is missing, section_length counts it. Of each run of reserved bits the last alone is 1, the others 0: FE before the time becomes 82, and the two
#   bits behind the private indicator, sap_type, which say 3 for "not specified", become 1, SAP type 2.
# Source: scte/Scte35/SpliceEvent.py, serialize, bitstring_format ("uint:2=1"); TimeSignal.py, bitstring_format ("uint:6=1"). bitstring is pinned, as newer ones
#   have no BitString.
# Output seen: "read:    FC3016(...)FE00A98AC700000B3BAED9, section_length 22, 22 octets behind it", "written: FC1016(...)8200A98AC70000, (...) 18 octets behind it"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v bitstring==3.1.9 || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v scte==1.1.4 || exit 2
cat >run.py <<'PY'
from scte.Scte35 import SpliceEvent


def checksum(data):
    value = 0xFFFFFFFF
    for octet in data:
        value ^= octet << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return value.to_bytes(4, "big")


section = bytes.fromhex("FC301600000000000000FFF00506FE00A98AC70000")
text = (section + checksum(section)).hex().upper()
event = SpliceEvent.from_hex_string(text)
written = event.hex_string
print(f"read:    {text}, section_length {event.as_dict['section_length']}, {len(text) // 2 - 3} octets behind it")
print(f"written: {written}, section_length {int(written[3:6], 16)}, {len(written) // 2 - 3} octets behind it")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "read:    FC301600000000000000FFF00506FE00A98AC700000B3BAED9, section_length 22, 22 octets behind it
written: FC101600000000000000FFF005068200A98AC70000, section_length 22, 18 octets behind it" ] || { echo "changed" >&2; exit 1; }
