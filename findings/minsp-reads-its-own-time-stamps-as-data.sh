#!/usr/bin/env bash
# minsp 0.0.5 (PyPI): the time stamp of a packet that it wrote becomes the beginning of the data, and a packet of one octet cannot be written.
#
# Guess: SpacePacket.from_bytes(packet.as_bytes(), pus=True) gives the packet back, with the time of its secondary header; a data field of one octet is the
#   smallest there is (CCSDS 133.0-B, §4.1.4: "at least one octet"; its length field is 0).
# Seen: from_bytes has no way to say that the header has a time: the seven octets of it are put before the data. PUSHeader.from_bytes, which can be
#   told, takes four octets of the seven, so that the fraction is lost and the header is three octets shorter than it was. One octet of data is a
#   ValueError that calls a length of 0 "0 or negative".
# Source: minsp/core.py, SpacePacket.from_bytes, as_bytes (data_length <= 0); minsp/pus.py, PUSHeader.from_bytes (data[4:8]); minsp/utils.py, cuc_time_now (7 octets).
# Output seen: "data sent 70617468207570, read 6ab13b8040000070617468207570, time None", "time sent 250000 us, read 0 us", "1 octets: ValueError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v minsp==0.0.5 || exit 2
cat >run.py <<'PY'
from minsp import SpacePacket
from minsp.pus import PUSHeader
from minsp.utils import cuc_as_datetime

TIME = (1_790_000_000).to_bytes(4, "big") + (1 << 22).to_bytes(3, "big")
header = PUSHeader(service_type=3, service_subtype=25, has_time=True, cuc_time=TIME)
sent = SpacePacket(apid=5, secondary_header=header, data_field=b"path up")
read = SpacePacket.from_bytes(sent.as_bytes(), pus=True)
print(f"data sent {sent.data_field.hex()}, read {read.data_field.hex()}, time {read.secondary_header.cuc_time.hex() or None}")
again = PUSHeader.from_bytes(header.as_bytes(), has_time=True)
print(f"header of {len(header.as_bytes())} octets, read {len(again.as_bytes())}")
print(f"time sent {cuc_as_datetime(header.cuc_time).microsecond} us, read {cuc_as_datetime(again.cuc_time).microsecond} us")
for data in b"ab", b"a":
    try:
        print(f"{len(data)} octets: {SpacePacket(apid=5, data_field=data).as_bytes().hex()}")
    except ValueError as error:
        print(f"{len(data)} octets: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "data sent 70617468207570, read 6ab13b8040000070617468207570, time None
header of 11 octets, read 8
time sent 250000 us, read 0 us
2 octets: 0005c00000016162
1 octets: ValueError" ] || { echo "changed" >&2; exit 1; }
