#!/usr/bin/env bash
# snmp-native 1.2.0 (npm): integers from -129 to -255 are sent as positive numbers, -140 as 116.
#
# Guess: an Integer32 is the shortest two's complement (X.690 §8.3.2): one octet down to -128, two octets from -129 on, so that a set or
#   an answer with -140, a received power in dBm or a correction of a clock, arrives as -140.
# Seen: one octet, whose upper bit is the sign, is also used down to -255: -129 is 127, -140 is 116, -200 is 56, -255 is 1. From -256 to
#   -32768 two octets are right, and from -32769 to -65535 wrong again. Positive numbers get the octet that they need.
#   pyasn1 0.6.1 (PyPI) and the package's own parser read the same wrong numbers, so that a test against itself with -1 and -1000
#   passes.
# Source: lib/asn1ber.js, intArray: floor(1 + log256(-val)) octets, without a bit for the sign.
# Output seen: "-100: own -100, pyasn1 -100", "-140: own 116, pyasn1 116", "-1000: own -1000, pyasn1 -1000", "-40000: own 25536, pyasn1 25536"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund snmp-native@1.2.0 >/dev/null || exit 2
python3 -m pip -qq --disable-pip-version-check install --target v pyasn1==0.6.1 || exit 2
cat >write.js <<'JS'
const { encodeInteger, parseInteger } = require("snmp-native/lib/asn1ber.js");
for (const value of [-100, -140, -1000, -40000]) {
  const octets = encodeInteger(value);
  console.log(value, octets.toString("hex"), parseInteger(octets));
}
JS
node --no-deprecation write.js >written
cat >read.py <<'PY'
from pyasn1.codec.ber import decoder

for line in open("written"):
    value, octets, own = line.split()
    print(f"{value}: own {own}, pyasn1 {int(decoder.decode(bytes.fromhex(octets))[0])}")
PY
seen=$(PYTHONPATH=v python3 read.py)
echo "$seen"
[ "$seen" = "-100: own -100, pyasn1 -100
-140: own 116, pyasn1 116
-1000: own -1000, pyasn1 -1000
-40000: own 25536, pyasn1 25536" ] || { echo "changed" >&2; exit 1; }
