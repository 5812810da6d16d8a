#!/usr/bin/env bash
# amshan 2.1.1 (PyPI): the code 1-0:1.8.0 is written as 1-1.8, and 1-1:1.8.1 as 1-1-1:1.8.1, which its own reader refuses.
#
# Guess: the text of a code is the code: a group of 0 is a value (0 is "no channel" or "total", IEC 62056-61), unlike a group that is left out, and
#   what is written can be read again as the same.
# Seen: a group is written if it is true, so that zeros are left out: 1-0:1.8.0 is 1-1.8, and is read back without channel and tariff. With a channel
#   the medium is written twice, as the text so far is added to itself. Nearly each code of electricity has the channel 0.
# Source: han/obis.py, Obis.to_reduced_str (if self._groups[0]; obis_code += obis_code + ...).
# Output seen: "1-1:1.8.1: 1-1-1:1.8.1, read again: refused", "1-0:1.8.1: 1-1.8.1, read again: another", "1-0:1.8.0: 1-1.8, read again: another", "1.0.1.8.0.255: 1-1.8*255, read again: another", "0-0:96.1.0: 96.1, read again: another"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v amshan==2.1.1 || exit 2
cat >run.py <<'PY'
from han.obis import Obis

for text in ("1-1:1.8.1", "1-0:1.8.1", "1-0:1.8.0", "1.0.1.8.0.255", "0-0:96.1.0"):
    code = Obis.from_string(text)
    try:
        again = "the same" if Obis.from_string(str(code)) == code else "another"
    except ValueError:
        again = "refused"
    print(f"{text}: {code}, read again: {again}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "1-1:1.8.1: 1-1-1:1.8.1, read again: refused
1-0:1.8.1: 1-1.8.1, read again: another
1-0:1.8.0: 1-1.8, read again: another
1.0.1.8.0.255: 1-1.8*255, read again: another
0-0:96.1.0: 96.1, read again: another" ] || { echo "changed" >&2; exit 1; }
