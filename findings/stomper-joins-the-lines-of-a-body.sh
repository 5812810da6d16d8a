#!/usr/bin/env bash
# stomper 0.4.3 (PyPI): the lines of a message are joined without anything between them, and its blanks and empty lines are gone.
#
# Guess: the body is what stands between the first empty line and the null octet, octet for octet (STOMP 1.1, "STOMP Frames"), so that a frame that is packed
#   and unpacked has the same body.
# Seen: the whole frame is split into lines, and each line of the body is stripped and put behind the one before: a table of two rows becomes one row,
#   indented text loses its indentation, "end\nof" is "endof". The content-length that came with it no longer fits. A body of one
#   line without blanks at its ends is right.
# Source: stomper/stomp_11.py, unpack_frame (bodyD strips, "".join(body)); stomp_10.py has the same.
# Output seen: "1.1: sent 'one\n  two\n\nthree\n' of 17, read 'onetwothree' of 11"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v stomper==0.4.3 || exit 2
cat >run.py <<'PY'
from stomper import stomp_10, stomp_11

body = "one\n  two\n\nthree\n"
for name, version in ("1.0", stomp_10), ("1.1", stomp_11):
    frame = version.Frame()
    frame.cmd = "MESSAGE"
    frame.headers = {"content-length": str(len(body))}
    frame.body = body
    read = version.unpack_frame(frame.pack())
    print(f"{name}: sent {body!r} of {read['headers']['content-length']}, read {read['body']!r} of {len(read['body'])}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "1.0: sent 'one\\n  two\\n\\nthree\\n' of 17, read 'onetwothree' of 11
1.1: sent 'one\\n  two\\n\\nthree\\n' of 17, read 'onetwothree' of 11" ] || { echo "changed" >&2; exit 1; }
