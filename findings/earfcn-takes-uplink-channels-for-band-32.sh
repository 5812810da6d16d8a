#!/usr/bin/env bash
# earfcn 0.0.3 (PyPI): an uplink channel of LTE is one of band 32 around 2.3 GHz, and its own frequencies come back a channel lower.
#
# Guess: its table has the first uplink channel of each band (NUL_Min) beside the downlink's, so that 18300, 1950 MHz of band 1 (TS 36.101,
#   table 5.7.3-1), is band 1, or an exception if uplink channels are not meant; and a frequency that earfcn2freq gave leads back to its channel.
# Seen: a band reaches up to the next one's first downlink channel, so that all from 9920 to 35999 is band 32 (1452 to 1496 MHz): 18300 is 2290 MHz
#   and 24300 is 2890 MHz, with no error. Back again int() cuts what binary fractions leave: channel 2 is 2110.2 MHz, and that is channel 1; of the
#   599 channels of band 1 two in five are moved. Who notes the cell of a trace by frequency has its neighbour.
# Source: earfcn/convert.py, earfcn2band, earfcn2freq (each compares with NDL_Min of the next band only), freq2earfcn (int).
# Output seen: "18300: band 32, 2290 MHz", "24300: band 32, 2890 MHz", "channel 2: 2110.2 MHz: channel 1", "channels of band 1 that move: 240"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v earfcn==0.0.3 || exit 2
cat >run.py <<'PY'
from earfcn.convert import earfcn2band, earfcn2freq, freq2earfcn

for channel in (18300, 24300):
    print(f"{channel}: band {earfcn2band(channel)}, {earfcn2freq(channel):.0f} MHz")


def back(channel):
    return dict(freq2earfcn(round(earfcn2freq(channel), 1)))[1]


print(f"channel 2: {earfcn2freq(2):.1f} MHz: channel {back(2)}")
print("channels of band 1 that move:", sum(back(channel) != channel for channel in range(599)))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "18300: band 32, 2290 MHz
24300: band 32, 2890 MHz
channel 2: 2110.2 MHz: channel 1
channels of band 1 that move: 240" ] || { echo "changed" >&2; exit 1; }
