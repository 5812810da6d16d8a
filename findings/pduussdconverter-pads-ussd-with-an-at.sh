#!/usr/bin/env bash
# PDUUSSDConverter 0.0.2.post1 (PyPI): a USSD request of seven characters is sent with an "@" behind it.
#
# Guess: a package for USSD strings fills the seven spare bits of a text of 8n - 1 characters with a carriage return, as TS 23.038, §6.1.2.3.1, wants of
#   USSD, just since zeros would be read as the letter "@".
# Seen: zeros. "*144*1#" is AA188DA68A8D00, which a network reads as "*144*1#@". Its own reader hides that: it takes an "@" off where the length fits. A
#   carriage return that a network filled in right stays at the end of the text.
# Source: PDUUSSDConverter/converter.py, text_to_pdu, pdu_to_text (strip_at). 3GPP TS 23.038.
# Output seen: "sent: AA188DA68A8D00", "expected: AA188DA68A8D1A", "read: '*144*1#@'", "the expected one is read: '*144*1#\r'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pduussdconverter==0.0.2.post1 2>/dev/null || exit 2
cat >run.py <<'PY'
from PDUUSSDConverter import converter

TEXT = "*144*1#"
sent = converter.text_to_pdu(TEXT)
expected = sum(ord(character) << 7 * place for place, character in enumerate(TEXT + "\r")).to_bytes(7, "little").hex().upper()
print("sent:", sent)
print("expected:", expected)
print(f"read: {converter.pdu_to_text(sent, strip_at=False)!r}")
print(f"the expected one is read: {converter.pdu_to_text(expected)!r}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "sent: AA188DA68A8D00
expected: AA188DA68A8D1A
read: '*144*1#@'
the expected one is read: '*144*1#\\r'" ] || { echo "changed" >&2; exit 1; }
