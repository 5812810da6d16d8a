#!/usr/bin/env bash
# python-ltc 0.0.3 (PyPI): a time within the last frame of a second cannot be turned into a timecode: one time in 25 or 30 fails.
#
# Guess: from_dt() sets the frame in which the time lies or that is nearest, at 25 frames a second 0 to 24: 970 milliseconds are frame 24.
# Seen: the search ends at the first frame that begins later. Behind the beginning of the last frame there is none, so that the search returns None, and int()
#   raises TypeError. 960 milliseconds, the beginning itself, are frame 24. A generator takes its first frame from the clock, so that its start fails with the same
#   chance.
# Source: pyltc/frames.py, microseconds_to_frame (no return behind the loop), Frame.from_dt.
# Output seen: "25: 940 is 12:00:05:23, 960 is 12:00:05:24, 970 is TypeError, 39 of 1000 fail", "29.97: (...) 32 of 1000 fail"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v setuptools==75.8.0 || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v python-ltc==0.0.3 || exit 2
cat >run.py <<'PY'
from datetime import datetime

from pyltc.frames import Frame, FrameFormat


def read(rate, milliseconds):
    frame = Frame(frame_format=FrameFormat(rate=rate, drop_frame=rate == 29.97))
    try:
        frame.from_dt(datetime(2026, 1, 2, 12, 0, 5, milliseconds * 1000))
    except TypeError as error:
        return type(error).__name__
    return frame.get_tc_string()


for rate in 25, 29.97:
    shown = ", ".join(f"{milliseconds} is {read(rate, milliseconds)}" for milliseconds in (940, 960, 970))
    print(f"{rate}: {shown}, {sum(read(rate, milliseconds) == 'TypeError' for milliseconds in range(1000))} of 1000 fail")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "25: 940 is 12:00:05:23, 960 is 12:00:05:24, 970 is TypeError, 39 of 1000 fail
29.97: 940 is 12:00:05;28, 960 is 12:00:05;29, 970 is TypeError, 32 of 1000 fail" ] || { echo "changed" >&2; exit 1; }
