#!/usr/bin/env bash
# scapy 2.8.0, contrib.diameter: times of Diameter are shown seventy years too late.
#
# Guess: an AVP of the type Time is shown as the moment that it names: seconds since 1900 (RFC 6733 §4.3.1), as scapy's own
#   layer for NTP does with the same number.
# Seen: the seconds are taken since 1970: an Event-Timestamp of 1 January 2026 is shown in January 2096. A value that is
#   built from a Unix time, which the display seems to ask for, names a day in 1956 or, below 2^31, one behind 2036.
# Source: scapy/contrib/diameter.py, class Time; scapy/layers/ntp.py, TimeStampField.
# Output seen: "Diameter 2096, NTP 2026"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" --quiet --disable-pip-version-check install scapy==2.8.0
cat >"$folder/run.py" <<'PY'
import re

from scapy.contrib.diameter import AVP
from scapy.layers.ntp import NTPHeader

seconds = 2_208_988_800 + 1_767_225_600  # from 1900 to 1970, from there to 2026
shown = {
    "Diameter": AVP("Event-Timestamp", val=seconds).show(dump=True),
    "NTP": NTPHeader(sent=seconds).show(dump=True),
}
times = {"Diameter": r"val +=.*", "NTP": r"sent +=.*"}
print(", ".join(f"{name} {re.search(r'20[0-9]{2}', re.search(times[name], text)[0])[0]}" for name, text in shown.items()))
PY
seen=$(TZ=UTC "$folder/v/bin/python" -W ignore "$folder/run.py" 2>/dev/null)
echo "$seen"
[ "$seen" = "Diameter 2096, NTP 2026" ] || { echo "changed" >&2; exit 1; }
