#!/usr/bin/env bash
# dnp3-outstation 0.2.0 (PyPI): a master that asks for binary inputs, counters or events is answered with the analog inputs.
#
# Guess: a station that has analog inputs alone answers a READ of another group with no object and the bit "object unknown" (IIN2.1 of IEEE 1815-2012), and one
#   of the events of class 1 with no object, as it has none.
# Seen: of each object header the range alone is looked at, not the group and not the variation. Binary inputs 0 and 1 are answered with the analog inputs 0
#   and 1, counters and events with all; IIN2 is 0. A master that polls events each second is sent all static values each second.
# Source: dnp3_outstation/outstation.py, _points_for_request. README: "small, fixed set of analog values", "Event classes 1/2/3" not in.
# Output seen: "binary inputs 0 and 1 (g1v2): IIN 0000, g30v5 for 0 to 1", "counters (g20v0): (...)", "events of class 1 (g60v2): (...)", all the same
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dnp3-outstation==0.2.0 || exit 2
cat >run.py <<'PY'
from dnp3_outstation.datalink import DatalinkFrame, build_frame, parse_frame
from dnp3_outstation.outstation import Outstation
from dnp3_outstation.transport import TransportSegment, build_segment, parse_segment

station = Outstation(master_addr=1, outstation_addr=10)
station.set_analog(0, 20.5)
station.set_analog(1, 3.25)


def read(*header):
    segment = build_segment(TransportSegment(fir=True, fin=True, seq=0, payload=bytes([0xC0, 1, *header])))
    answer = station.handle_inbound(build_frame(DatalinkFrame(True, True, False, False, 4, 10, 1, segment)))
    return parse_segment(parse_frame(answer).user_data).payload


read(60, 1, 6)
for name, *header in (
    ("analog inputs (g30v0)", 30, 0, 6),
    ("binary inputs 0 and 1 (g1v2)", 1, 2, 0, 0, 1),
    ("counters (g20v0)", 20, 0, 6),
    ("events of class 1 (g60v2)", 60, 2, 6),
):
    answer = read(*header)
    print(f"{name}: IIN {answer[2:4].hex()}, g{answer[4]}v{answer[5]} for {answer[7]} to {answer[8]}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "analog inputs (g30v0): IIN 0000, g30v5 for 0 to 1
binary inputs 0 and 1 (g1v2): IIN 0000, g30v5 for 0 to 1
counters (g20v0): IIN 0000, g30v5 for 0 to 1
events of class 1 (g60v2): IIN 0000, g30v5 for 0 to 1" ] || { echo "changed" >&2; exit 1; }
