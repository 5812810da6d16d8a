#!/usr/bin/env bash
# dftt-timecode 1.0.0 (PyPI): at 23.976 frames a second frames are dropped from the count, whatever drop_frame says, and timecode of film is refused.
#
# Guess: drop-frame counting is that of 29.97 and 59.94 (SMPTE ST 12-1: two or four numbers a minute); at 23.976 each second has the numbers 0 to 23, so
#   that frame 86,400 is 01:00:00:00. "Strict SMPTE drop-frame/non-drop-frame compliance", and drop_frame=False is non-drop.
# Seen: the rate decides: 23.976 and 23.98 are drop-frame always, 1.6 numbers a minute; frame 86,400 is 01:00:03;14, and "01:00:00:00" does not "match
#   drop_frame status [True]". At 29.97 the argument is heeded.
# Source: dftt_timecode/core/dftt_timecode.py, __validate_drop_frame (round(fps, 2) % 23.98 == 0), __init_smpte (nominal_fps / 30 * 2).
# Output seen: "24: frame 86400 is 01:00:00:00", "23.976: frame 86400 is 01:00:03;14", "23.976: 01:00:00:00 is DFTTTimecodeInitializationError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dftt-timecode==1.0.0 || exit 2
cat >run.py <<'PY'
from dftt_timecode import DfttTimecode
from dftt_timecode.error import DFTTError

for rate in 24, 23.976, 29.97:
    code = DfttTimecode(86400, "frame", rate, drop_frame=False)
    print(f"{rate}: frame 86400 is {code.timecode_output('smpte')}, drop-frame {code.is_drop_frame}")
for rate in 24, 23.976:
    try:
        seen = f"frame {DfttTimecode('01:00:00:00', fps=rate, drop_frame=False).framecount}"
    except DFTTError as error:
        seen = type(error).__name__
    print(f"{rate}: 01:00:00:00 is {seen}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "24: frame 86400 is 01:00:00:00, drop-frame False
23.976: frame 86400 is 01:00:03;14, drop-frame True
29.97: frame 86400 is 00:48:00:00, drop-frame False
24: 01:00:00:00 is frame 86400
23.976: 01:00:00:00 is DFTTTimecodeInitializationError" ] || { echo "changed" >&2; exit 1; }
