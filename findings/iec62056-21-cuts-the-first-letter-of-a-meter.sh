#!/usr/bin/env bash
# iec62056-21 0.0.2 (PyPI): the meter that says /LGZ4ZMD120AR is known as MD120AR, and is written as /LGZ4\MD120AR.
#
# Guess: behind the three letters of the maker and the rate comes the name of the meter; a backslash and a letter between them are optional (IEC
#   62056-21, identification message), so that the name of this one is ZMD120AR, as it is for all meters of modes A to C without them.
# Seen: the sixth octet is always skipped, whatever it is, and always written as a backslash. A client that asks for the model finds another; the
#   message that it writes has the first letter in the place of the enhanced rate, which means another mode.
# Source: iec62056_21/messages.py, IdentificationMessage.from_representation and to_representation.
# Output seen: "/LGZ4ZMD120AR.B14: MD120AR.B14, written /LGZ4\MD120AR.B14", "/ACE5ACE661: CE661, written /ACE5\CE661", "/ELS5\3EMH4: 3EMH4, written /ELS5\3EMH4"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v iec62056-21==0.0.2 attrs==24.2.0 pyserial==3.5 || exit 2
cat >run.py <<'PY'
from iec62056_21.messages import IdentificationMessage

for text in ("/LGZ4ZMD120AR.B14", "/ACE5ACE661", "/ELS5\\3EMH4"):
    message = IdentificationMessage.from_bytes(text.encode() + b"\r\n")
    print(f"{text}: {message.identification}, written {message.to_bytes().decode().strip()}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = '/LGZ4ZMD120AR.B14: MD120AR.B14, written /LGZ4\MD120AR.B14
/ACE5ACE661: CE661, written /ACE5\CE661
/ELS5\3EMH4: 3EMH4, written /ELS5\3EMH4' ] || { echo "changed" >&2; exit 1; }
