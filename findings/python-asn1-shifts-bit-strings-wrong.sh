#!/usr/bin/env bash
# asn1 3.3.0 (PyPI, python-asn1): a BIT STRING over more than one octet is read wrong unless just four bits are unused.
#
# Guess: the value is given as bytes, with the unused bits shifted out at the end as the documentation says: the fifteen bits
#   1...1 of a MAP OfferedCamel4Functionalities (SIZE (15..64), BER 03 03 01 fffe) are 7fff.
# Seen: 7f7f: what is shifted out of an octet enters the next one as many places up as bits are unused, not eight minus as many.
#   With four unused bits both are the same, with none nothing is shifted, and a single octet has no next one, so that
#   the usual tests pass. Six unused bits, as in MAP's SupportedFeatures of 26 bits, end in a ValueError for some values and
#   in other bits for the rest.
# Who cares: tools that read CAMEL phases and features of a VLR or HLR, carried over TCAP and SIGTRAN.
# Source: asn1/core.py, shift_bits_right: (removed_bits << unused).
# Output seen: "15 bits, fffe: 7f7f, expected 7fff", "12 bits, fff0: 0fff, expected 0fff",
#   "26 bits, ffffffc0: ValueError, expected 03ffffff", "26 bits, 81000040: 02400001, expected 02040001"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv v
v/bin/pip --quiet --disable-pip-version-check install asn1==3.3.0 || exit 2
cat >run.py <<'PY'
import asn1

for bits, octets in ((15, "fffe"), (12, "fff0"), (16, "ffff"), (26, "ffffffc0"), (26, "81000040")):
    content = bytes.fromhex(octets)
    unused = 8 * len(content) - bits
    decoder = asn1.Decoder()
    decoder.start(bytes([3, len(content) + 1, unused]) + content)
    try:
        read = decoder.read()[1].hex()
    except ValueError as error:
        read = type(error).__name__
    expected = (int(octets, 16) >> unused).to_bytes(len(content), "big").hex()
    print(f"{bits} bits, {octets}: {read}, expected {expected}")
PY
seen=$(v/bin/python run.py)
echo "$seen"
[ "$seen" = "15 bits, fffe: 7f7f, expected 7fff
12 bits, fff0: 0fff, expected 0fff
16 bits, ffff: ffff, expected ffff
26 bits, ffffffc0: ValueError, expected 03ffffff
26 bits, 81000040: 02400001, expected 02040001" ] || { echo "changed" >&2; exit 1; }
