#!/usr/bin/env bash
# kwp2000-can 0.1.0 (PyPI): a whole frame from a control unit is a positive response of the service 83, also if the unit refuses.
#
# Guess: Response.from_payload takes "complete frame bytes", and raises for a negative response; 83 f1 10 7f 21 31 is a frame of three octets from 10 to
#   f1, negative, service 21, "request out of range" (ISO 14230-2, "Format byte"; ISO 14230-3, "Negative response"). parse_frame of the same package
#   reads it.
# Seen: a first octet of 10 or more is taken for the service, the frame for bare data of the transport TP 2.0. A format octet with addresses is 80 and
#   more, so that no frame with addresses is ever read as one: the refusal has the code PositiveResponse. Frames without addresses are read up to 15
#   octets.
# Source: kwp2000/response.py, Response.from_payload (payload[0] >= 0x10).
# Output seen: "037f2131: refused", "83f1107f2131: PositiveResponse of 83, data f1107f2131, by parse_frame service 7f", "037f2178: refused", "83f1107f2178: PositiveResponse of 83, data f1107f2178, by parse_frame service 7f"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 python3 -m pip -qq --disable-pip-version-check install --no-deps --target v kwp2000-can==0.1.0 || exit 2
cat >run.py <<'PY'
from kwp2000.exceptions import NegativeResponseException
from kwp2000.frames import build_frame, parse_frame
from kwp2000.response import Response


def read(frame):
    try:
        found = Response.from_payload(frame)
        return f"{found.code} of {found.service:02x}, data {found.data.hex()}"
    except NegativeResponseException:
        return "refused"


for data in b"\x21\x31", b"\x21\x78":
    short = build_frame(0x7F, data)
    long = build_frame(0x7F, data, target_address=0xF1, source_address=0x10)
    print(f"{short.hex()}: {read(short)}")
    print(f"{long.hex()}: {read(long)}, by parse_frame service {parse_frame(long)[0]:02x}")
PY
seen=$(PYTHONPATH=v nice -n 15 python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "037f2131: refused
83f1107f2131: PositiveResponse of 83, data f1107f2131, by parse_frame service 7f
037f2178: refused
83f1107f2178: PositiveResponse of 83, data f1107f2178, by parse_frame service 7f" ] || { echo "changed" >&2; exit 1; }
