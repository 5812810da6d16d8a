#!/usr/bin/env bash
# asn1 3.3.0 (PyPI): the real 2.0**128 is written as 2.0**-128, and 1e-300 as 1e-223; their own reader says so.
#
# Guess: the exponent of a real is a two's complement number of as many octets as it needs (X.690 §8.5.7.4): 128 has two, 00 80, and the -1049 of
#   1e-300 has fb e7. A double that is written is read as the same.
# Seen: the octets of the exponent are chosen as for a number without a sign up to 255, so that 128 to 255 become negative; below -256 each octet is
#   complemented with a one of its own, which belongs to the last alone. 2.0**127, 2.0**1000 and pi are right, and no error is raised.
# Source: asn1/core.py, Encoder._encode_real.
# Output seen: "3: 0903800003, read 3", "1.7e+38: 0903807f01, read 1.7e+38", "3.4e+38: 0903808001, read 2.94e-39", "1.61e+60: 090380c801, read 1.39e-17", "1.07e+301: 09048103e801, read 1.07e+301", "7.89e-31: 0903809c01, read 7.89e-31", "1e-300: 090a81fce7156e1fc2f8f359, read 1.16e-223"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v asn1==3.3.0 || exit 2
cat >run.py <<'PY'
import asn1

for value in (3.0, 2.0**127, 2.0**128, 2.0**200, 2.0**1000, 2.0**-100, 1e-300):
    encoder = asn1.Encoder()
    encoder.start()
    encoder.write(value, asn1.Numbers.Real)
    content = encoder.output()
    decoder = asn1.Decoder()
    decoder.start(content)
    print(f"{value:.3g}: {content.hex()}, read {decoder.read()[1]:.3g}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "3: 0903800003, read 3
1.7e+38: 0903807f01, read 1.7e+38
3.4e+38: 0903808001, read 2.94e-39
1.61e+60: 090380c801, read 1.39e-17
1.07e+301: 09048103e801, read 1.07e+301
7.89e-31: 0903809c01, read 7.89e-31
1e-300: 090a81fce7156e1fc2f8f359, read 1.16e-223" ] || { echo "changed" >&2; exit 1; }
