#!/usr/bin/env bash
# aprslib 0.7.2 (PyPI): a compressed position has the status of its GPS fix only if its c byte is a space, where the three bytes mean nothing.
#
# Guess: the third byte of csT has the bit "current fix" for each position with a course, a range or an altitude; if c is a space, the three bytes are
#   to be ignored (APRS101, chapter 9), so that no status is reported.
# Seen: the other way round: with course and speed no gpsfixstatus, whether the bit is set or not; with a space it is there, and is made of a byte
#   without a meaning.
# Source: aprslib/parsing/position.py, parse_compressed (c1 == -1).
# Output seen: "course, current fix: course 88, fix -", "course, old fix: course 88, fix -", "nothing, current fix: course -, fix 1", "nothing, old fix: course -, fix 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v aprslib==0.7.2 || exit 2
cat >run.py <<'PY'
import aprslib

def show(name, bytes_of_course):
    report = aprslib.parse("N0CALL>APRS:!/5L!!<*e7>" + bytes_of_course)
    print(f"{name}: course {report.get('course', '-')}, fix {report.get('gpsfixstatus', '-')}")

show("course, current fix", "7P" + chr(33 + 0b111000))
show("course, old fix", "7P" + chr(33 + 0b011000))
show("nothing, current fix", " P" + chr(33 + 0b111000))
show("nothing, old fix", " P" + chr(33 + 0b011000))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "course, current fix: course 88, fix -
course, old fix: course 88, fix -
nothing, current fix: course -, fix 1
nothing, old fix: course -, fix 0" ] || { echo "changed" >&2; exit 1; }
