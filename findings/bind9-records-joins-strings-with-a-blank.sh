#!/usr/bin/env bash
# bind9-records 1.0.0 (PyPI): the strings of a TXT record are joined with a blank, in the middle of a word as well.
#
# Guess: "v=spf1 ip4:192.0." "2.0/24 -all" is one text, "concatenated together without adding spaces" (RFC 7208, §3.3, and the same for DKIM, RFC 6376, §3.6.2.2): the
#   strings are cut at 255 octets, wherever that is.
# Seen: the blanks between the strings of the zone file become one blank of the text: the mechanism is ip4:192.0. and there is one more, 2.0/24. Written
#   again, it is one string with the blank in it, and mail servers find an error in the policy. What the package itself wrapped over several
#   lines comes back with blanks too, except where it broke at one, as for short texts.
# Source: bind9_records/data.py, Data._join (token.isspace()).
# Output seen: "ip4:192.0. | 2.0/24 | -all", "300 letters, written and read: 303"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-compile --target v bind9-records==1.0.0 || exit 2
cat >run.py <<'PY'
from bind9_records import Record, TextData

record = Record('example.com. IN TXT "v=spf1 ip4:192.0." "2.0/24 -all"')
print(" | ".join(record.data.mechanisms))
print(str(record).replace("\t", " "))
written = str(Record(name="x", record_class="IN", type="TXT", data=TextData(value=";" + "k" * 299)))
print(f"300 letters, written and read: {len(Record(written).data.value)}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = 'ip4:192.0. | 2.0/24 | -all
example.com. IN TXT "v=spf1 ip4:192.0. 2.0/24 -all"
300 letters, written and read: 303' ] || { echo "changed" >&2; exit 1; }
