#!/usr/bin/env bash
# zonefile-parser 0.1.20 (PyPI): of two SRV records of a service the second belongs to the zone itself, and a NAPTR is its first number.
#
# Guess: a line that begins with a blank has the owner of the line before (RFC 1035 §5.1), as backup servers of a service are written. The value of
#   a NAPTR record is all that follows its type. A TXT has all its strings.
# Seen: a blank stands for the origin, whatever owner came last, so that the service has one server and the zone's name an SRV record. Of each
#   type but MX, SOA, SRV and CAA only the first word is kept: a NAPTR, by which Diameter's and SIP's servers over SCTP are found, is {"value":
#   "50"}, a TLSA "3", and of a TXT the second string is gone. No error.
# Source: zonefile_parser/main.py (owner of a line without one); zonefile_parser/parser.py, parse_record (parts[RecordEnum.RDATA]).
# Output seen: "example.com. SRV .. hss2", "example.com. NAPTR {'value': '50'}", "hss1 .. TXT {'value': 'a=1'}"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v zonefile-parser==0.1.20 || exit 2
cat >run.py <<'PY'
from zonefile_parser.main import parse

ZONE = """\
$ORIGIN example.com.
$TTL 3600
@ IN SOA ns root ( 2026113001 7200 900 1209600 300 )
@ IN NAPTR 50 50 "s" "aaa+ap16777251:diameter.sctp" "" _diameter._sctp.example.com.
_diameter._sctp IN SRV 0 5 3868 hss1.example.com.
    IN SRV 1 5 3868 hss2.example.com.
hss1 IN TXT "a=1" "b=2"
"""
for record in parse(ZONE)[1:]:
    print(record.name, record.rtype, record.rdata)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "example.com. NAPTR {'value': '50'}
_diameter._sctp.example.com. SRV {'priority': '0', 'weight': '5', 'port': '3868', 'host': 'hss1.example.com.'}
example.com. SRV {'priority': '1', 'weight': '5', 'port': '3868', 'host': 'hss2.example.com.'}
hss1.example.com. TXT {'value': 'a=1'}" ] || { echo "changed" >&2; exit 1; }
