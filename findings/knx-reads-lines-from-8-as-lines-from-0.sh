#!/usr/bin/env bash
# knx 0.4.0 (PyPI): a telegram from device 1.9.5 is shown as one from 1.1.5.
#
# Guess: an individual address of KNX has 4 bits of area, 4 of line and 8 of device: 1905 hexadecimal is 1.9.5.
#   Group addresses have 5, 3 and 8.
# Seen: the masks of a group address are used for both, with the shift of the area alone set right: the line loses its highest bit. Devices of lines 8
#   to 15 appear under the addresses of lines 0 to 7, where others live.
# Source: knx.py, decode_ia: (ia >> 8) & 0x07.
# Output seen: "1.1.254: 1.1.254", "1.7.5: 1.7.5", "1.8.5: 1.0.5", "1.9.5: 1.1.5", "15.15.1: 15.7.1", "Telegram(src='1.1.5', dst='0/0/7', value=1)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v knx==0.4.0 || exit 2
cat >run.py <<'PY'
import knx

for area, line, device in ((1, 1, 254), (1, 7, 5), (1, 8, 5), (1, 9, 5), (15, 15, 1)):
    print(f"{area}.{line}.{device}: {knx.decode_ia(area << 12 | line << 8 | device)}")


class Receiver:
    def send(self, telegram):
        print(telegram)


knx.telegram_decoder(Receiver()).send(knx.encode_data("HHHBB", (knx.EIB_GROUP_PACKET, 0x1905, knx.encode_ga("0/0/7"), 0, knx.KNXWRITE | 1)))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1.1.254: 1.1.254
1.7.5: 1.7.5
1.8.5: 1.0.5
1.9.5: 1.1.5
15.15.1: 15.7.1
Telegram(src='1.1.5', dst='0/0/7', value=1)" ] || { echo "changed" >&2; exit 1; }
