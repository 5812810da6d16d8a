#!/usr/bin/env bash
# gsmcodecs 1.0.0 and gsm0338 1.1.0 (PyPI): one escaped letter of a national table makes a message unreadable where the table is not set.
#
# Guess: b"d\x1bias", "días" with the Spanish table, is read with the default tables as "dias": a receiver that has no symbol for an escaped
#   code shows the main table's letter at that place (TS 23.038 §6.2.1.1). The national tables are laid out for that: í is at i, á at a.
# Seen: both raise UnicodeDecodeError, and with errors="replace" gsmcodecs has a "?" in the letter's place. So a text from a phone with newer
#   tables, or one whose header, which names the table, was left out by a gateway, is lost, though an old phone shows it.
# Source: gsmcodecs/__init__.py, Codec.decode, where the main table is not asked; the same in gsm0338.
# Output seen: "gsm23.038-0-2: buenos días", "gsm23.038: UnicodeDecodeError, buenos d?as", "gsm0338: UnicodeDecodeError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v gsmcodecs==1.0.0 gsm0338==1.1.0 || exit 2
cat >run.py <<'PY'
import gsm0338
import gsmcodecs

message = b"buenos d\x1bias"
for codec in ("gsm23.038-0-2", "gsm23.038"):
    try:
        text = message.decode(codec)
    except UnicodeDecodeError as error:
        text = f"{type(error).__name__}, {message.decode(codec, 'replace')}"
    print(f"{codec}: {text}")
try:
    text = gsm0338.Codec().decode(message)[0]
except UnicodeDecodeError as error:
    text = type(error).__name__
print(f"gsm0338: {text}")
PY
seen=$(PYTHONUTF8=1 PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "gsm23.038-0-2: buenos días
gsm23.038: UnicodeDecodeError, buenos d?as
gsm0338: UnicodeDecodeError" ] || { echo "changed" >&2; exit 1; }
