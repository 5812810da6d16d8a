#!/usr/bin/env bash
# pycrate 0.8.1: the last cause or parameter of an SCTP chunk is not shown if its length is no multiple of four.
#
# Guess: the padding of the last parameter lies behind the chunk (its length leaves it out, RFC 9260 §3.2), and a decoder
#   that knows chunk padding finds the parameter, as it finds one of an even length.
# Seen: an ABORT with the reason "hello" has no cause, an INIT ACK with a cookie of five bytes no cookie; no error is
#   raised. With a reason of eight bytes the cause is there. Most reasons that people write are lost.
# Source: pycrate_ether/SCTP.py: the padding is a field of the parameter and must lie inside the chunk.
# Output seen: "hello: 0 causes", "good bye: 1 causes", "cookie of 5: 0 parameters"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install --no-compile pycrate==0.8.1
seen=$("$folder/v/bin/python" -c '
from pycrate_ether.SCTP import SCTP

def chunk(kind, body):
    head = bytes([kind, 0]) + (4 + len(body)).to_bytes(2, "big")
    packet = SCTP()
    packet.from_bytes(bytes.fromhex("138813880000000a00000000") + head + body + bytes(-len(body) % 4))
    return packet[1][0][3]

def tlv(kind, value):
    return kind.to_bytes(2, "big") + (4 + len(value)).to_bytes(2, "big") + value

for reason in b"hello", b"good bye":
    print(f"{reason.decode()}: {chunk(6, tlv(12, reason)).get_num()} causes")
fixed = bytes.fromhex("000000010000ffff000a000a00000001")
print("cookie of 5:", chunk(2, fixed + tlv(7, b"12345"))[5].get_num(), "parameters")')
echo "$seen"
[ "$seen" = 'hello: 0 causes
good bye: 1 causes
cookie of 5: 0 parameters' ] || { echo "changed" >&2; exit 1; }
