#!/usr/bin/env bash
# crc32-pure 0.1.0 and fletcher-pure 0.1.0 (PyPI): both name RFC 3309 for what they compute, and neither computes its checksum.
#
# Guess: RFC 3309 is the one that gave SCTP its checksum, CRC32c (now RFC 9260 appendix A), so that "CRC-32 (IEEE 802.3 / RFC 3309)" has a choice of
#   the two, or is CRC32c; "Fletcher-16 checksum per RFC 3309" is a slip for RFC 1146, which has Fletcher's sums for TCP.
# Seen: crc32-pure has one polynomial, that of Ethernet: the check value of "123456789" is cbf43926, where CRC32c has e3069283. fletcher-pure has
#   Fletcher's sum modulo 255 and names the RFC in its help as well; the RFC has no sum of Fletcher, and took SCTP off Adler-32. A packet
#   made with either is dropped by each SCTP peer; as what they are called first, Ethernet's CRC and Fletcher's sum, both are right.
# Source: the first lines of crc32_pure/__init__.py and fletcher_pure/__init__.py, and the summaries of both.
# Output seen: "CRC32c e3069283, crc32-pure cbf43926, fletcher-pure 1ede", "named: crc32-pure RFC 3309, fletcher-pure RFC 3309"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v crc32-pure==0.1.0 fletcher-pure==0.1.0 || exit 2
cat >run.py <<'PY'
from importlib.metadata import metadata
import re
import crc32_pure, fletcher_pure

def castagnoli(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF

data = b"123456789"
print(f"CRC32c {castagnoli(data):08x}, crc32-pure {crc32_pure.crc32(data):08x}, fletcher-pure {fletcher_pure.checksum(data):04x}")
named = [f"{name} {re.search(r'RFC *[0-9]+', metadata(name)['Summary'])[0]}" for name in ("crc32-pure", "fletcher-pure")]
print(f"named: {', '.join(named)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "CRC32c e3069283, crc32-pure cbf43926, fletcher-pure 1ede
named: crc32-pure RFC 3309, fletcher-pure RFC 3309" ] || { echo "changed" >&2; exit 1; }
