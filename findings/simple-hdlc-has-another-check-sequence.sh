#!/usr/bin/env bash
# simple-hdlc 0.4.4 (PyPI): its frames carry the CRC of another family, in the other order of octets, than HDLC's frame check sequence.
#
# Guess: flags, escapes and the 16 bits in front of the closing flag are those of HDLC in octets (RFC 1662 appendix C.2, ISO/IEC 13239): the CRC
#   that is known as X-25, inverted, low octet first, so that a PPP or HDLC device reads the frames; the module's own function crc16 is this one.
# Seen: that function is called by nobody. What is sent and asked for is CCITT with 0xFFFF, not reflected and not inverted, high octet first: a
#   frame of the standard is "Invalid Frame (CRC FAIL)", and each frame sent is dropped by a receiver of the standard. Two ends of
#   the package understand each other, so that a loop in a test passes.
# Source: simple_hdlc.py, calcCRC (and crc16, unused).
# Output seen: "sent 7e313233343536373839 29b1 7e", "standard 906e as 6e90, own function 6e90", "read own: 123456789", "read standard: Invalid Frame (CRC FAIL)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v simple-hdlc==0.4.4 pythoncrc==1.21 six==1.17.0 || exit 2
cat >run.py <<'PY'
import simple_hdlc

class Line:
    """A serial line that reads back what was put on it."""
    def __init__(self):
        self.octets = b""
    in_waiting = property(lambda self: len(self.octets))
    def write(self, octets):
        self.octets += octets
        return len(octets)
    def read(self, count):
        first, self.octets = self.octets[:count], self.octets[count:]
        return first

def x25(data):
    crc = 0xFFFF
    for octet in data:
        crc ^= octet
        for _ in range(8):
            crc = crc >> 1 ^ (0x8408 if crc & 1 else 0)
    return crc ^ 0xFFFF

def read(frame):
    line = Line()
    link = simple_hdlc.HDLC(line, reset=False)
    line.write(frame)
    try:
        return link.readFrame(1).decode()
    except ValueError as error:
        return error

data = b"123456789"
line = Line()
simple_hdlc.HDLC(line, reset=False).sendFrame(data)
frame = line.octets
standard = x25(data)
print(f"sent {frame[:-3].hex()} {frame[-3:-1].hex()} {frame[-1:].hex()}")
print(f"standard {standard:04x} as {standard.to_bytes(2, 'little').hex()}, own function {simple_hdlc.crc16(data):04x}")
print(f"read own: {read(frame)}")
print(f"read standard: {read(frame[:-3] + standard.to_bytes(2, 'little') + frame[-1:])}")
PY
seen=$(PYTHONPATH=v python3 run.py 2>/dev/null)
echo "$seen"
[ "$seen" = "sent 7e313233343536373839 29b1 7e
standard 906e as 6e90, own function 6e90
read own: 123456789
read standard: Invalid Frame (CRC FAIL)" ] || { echo "changed" >&2; exit 1; }
