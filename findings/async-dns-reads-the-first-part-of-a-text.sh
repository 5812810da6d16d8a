#!/usr/bin/env bash
# async-dns 2.0.1 (PyPI): of a TXT record in several strings the first is read, and a text above 255 octets cannot be written.
#
# Guess: TXT is one or more character strings (RFC 1035, §3.3.14), and a text that is longer than 255 octets is cut into several, which readers
#   join without a blank: keys of DKIM (RFC 6376, §3.6.2.2) and long SPF policies (RFC 7208, §3.3) are always like that.
# Seen: the first string is the value, the others are skipped by the length of the record: a key of 2048 bits ends after 255 letters, without an
#   error, and each signature fails. Writing takes the whole text as one string and raises struct.error above 255. One string is right.
# Source: async_dns/core/record.py, TXT_RData.load (load_string) and dump (pack_string).
# Output seen: "sent 255 and 137 letters, read 255", "300 letters: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v async-dns==2.0.1 || exit 2
cat >run.py <<'PY'
import struct
from async_dns.core import types
from async_dns.core.record import RESPONSE, DNSMessage, Record, TXT_RData

first, second = b"k" * 255, b"q" * 137
data = bytes([len(first)]) + first + bytes([len(second)]) + second
header = struct.pack("!HHHHHH", 1, 0x8180, 0, 1, 0, 0)
message = DNSMessage.parse(header + b"\4mail\7example\0" + struct.pack("!HHLH", types.TXT, 1, 60, len(data)) + data)
print(f"sent {len(first)} and {len(second)} letters, read {len(message.an[0].data.data)}")
for length in 255, 300:
    try:
        octets = Record(RESPONSE, "x", types.TXT, ttl=60, data=TXT_RData("k" * length)).pack({})
        print(f"{length} letters: {len(octets)} octets")
    except struct.error:
        print(f"{length} letters: error")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "sent 255 and 137 letters, read 255
255 letters: 269 octets
300 letters: error" ] || { echo "changed" >&2; exit 1; }
