#!/usr/bin/env bash
# bind9-records 1.0.0 (PyPI): an SPF policy with redirect or exp is written with a semicolon behind it, which is part of the name.
#
# Guess: a record that is read and written says the same; terms of SPF are parted by blanks alone (RFC 7208, §4.6.1, "terms = *( 1*SP ( directive / modifier ) )"),
#   unlike the tags of DKIM and DMARC, which end with semicolons.
# Seen: modifiers get a semicolon as tags do: the mail server looks for the policy of "_spf.example.com;", a name with a letter that host names do not have, and
#   the result is permerror (RFC 7208, §6.1), for all mail of the domain. Mechanisms have no semicolon, so that policies with
#   include and all are right.
# Source: bind9_records/text/spf.py, SPFData.__str__ (_modifier).
# Output seen: "v=spf1 mx redirect=_spf.example.com; (with a semicolon)", "v=spf1 include:_spf.example.com -all"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-compile --target v bind9-records==1.0.0 || exit 2
cat >run.py <<'PY'
from bind9_records import Record

for policy in "v=spf1 include:_spf.example.com -all", "v=spf1 mx redirect=_spf.example.com", "v=spf1 mx -all exp=why.example.com":
    print(str(Record(f'example.com. IN TXT "{policy}"')).replace("\t", " "))
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = 'example.com. IN TXT "v=spf1 include:_spf.example.com -all"
example.com. IN TXT "v=spf1 mx redirect=_spf.example.com;"
example.com. IN TXT "v=spf1 mx -all exp=why.example.com;"' ] || { echo "changed" >&2; exit 1; }
