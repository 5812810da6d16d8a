#!/usr/bin/env bash
# aprslib 0.7.2 (PyPI): the snowfall of a weather report with a position is read as the speed of the wind; the snow is gone.
#
# Guess: s012 behind the other fields is 12 inches of snow in 24 hours (APRS101, chapter 12), since direction and speed of the wind stand in front as
#   220/004; the reader has a "snow" for it.
# Seen: the first s of the text is taken for the s of the wind, which only reports without a position have. As 220/004 is cut off as course and speed
#   before, the first s is the snow: wind_speed is 12 miles an hour, and there is no snow. The true wind is "speed" outside of the weather.
# Source: aprslib/parsing/weather.py, parse_weather_data (replace("s", "S", 1)), called by parse_position behind parse_data_extentions.
# Output seen: "no position: wind_speed 1.79, snow 304.80, temperature 25.00", "position, no snow: temperature 25.00", "position, snow: wind_speed 5.36, temperature 25.00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aprslib==0.7.2 || exit 2
cat >run.py <<'PY'
import aprslib

def show(name, text):
    weather = aprslib.parse("N0CALL>APRS:" + text)["weather"]
    values = (f"{field} {weather[field]:.2f}" for field in ("wind_speed", "snow", "temperature") if field in weather)
    print(f"{name}: " + ", ".join(values))

show("no position", "_10090556c220s004g005t077s012")
show("position, no snow", "!4903.50N/07201.75W_220/004g005t077")
show("position, snow", "!4903.50N/07201.75W_220/004g005t077s012")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "no position: wind_speed 1.79, snow 304.80, temperature 25.00
position, no snow: temperature 25.00
position, snow: wind_speed 5.36, temperature 25.00" ] || { echo "changed" >&2; exit 1; }
