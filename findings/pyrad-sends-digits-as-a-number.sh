#!/usr/bin/env bash
# pyrad 2.6.0 (PyPI): a text of digits in an attribute of octets is sent as a number in binary, without its leading zeros.
#
# Guess: a str is sent as its characters: "0042", the State or Class of a session that a gateway between RADIUS and Diameter or GTP hands on, as
#   the four octets 30 30 34 32, just as "004x" is sent.
# Seen: "0042" is the single octet 2a, "1234567890" four octets, and "42", "042" and "0042" are one. What a server gave as a
#   key comes back as another key, for those sessions alone whose key has digits only, one key in 43 of eight hexadecimal digits.
#   As bytes all are sent as they are, but for those that begin with 0x.
# Source: pyrad/tools.py, EncodeOctets: isdecimal, "compatibility with legacy pyrad dictionary definitions".
# Output seen: "'0042': 2a", "'004x': 30303478", "'1234567890': 499602d2", "b'0042': 30303432"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pyrad==2.6.0 || exit 2
cat >run.py <<'PY'
from pyrad import tools

for value in ("0042", "004x", "1234567890", b"0042"):
    print(f"{value!r}: {tools.EncodeAttr('octets', value).hex()}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "'0042': 2a
'004x': 30303478
'1234567890': 499602d2
b'0042': 30303432" ] || { echo "changed" >&2; exit 1; }
