#!/usr/bin/env bash
# anubi.mdns 0.1.0a0 (PyPI): a life time of two minutes, in milliseconds as documented, is announced as 33 hours, and names are compared letter by letter.
#
# Guess: ttl is "the record TTL in milliseconds" (documentation of each record class), so that 120000 becomes 120 on the wire, where TTL is in seconds (RFC 1035, §3.2.1;
#   RFC 6762, §10, recommends 120 for addresses). Names are the same whatever the case of their letters (RFC 6762, §16).
# Seen: the number goes to the wire and comes from there as it is. A record whose unit is taken from the documentation stays in the caches of all neighbours a
#   thousand times too long: a host that got another address is looked for at the old one for a day. Only the example of the README, with a
#   bare 120, hints at seconds. answer_to says no to a question for Printer.local. by a record of printer.local.
# Source: anubi/mdns/dnsrrecords.py, DnsRRecord.encode (write_int(self.ttl)), decode and answer_to.
# Output seen: "120000 ms is 120000 s", "printer.local.: True", "Printer.local.: False"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v anubi.mdns==0.1.0a0 || exit 2
cat >run.py <<'PY'
from anubi.mdns.dnsenums import DnsClass, DnsType
from anubi.mdns.dnsqrecord import DnsQRecord
from anubi.mdns.dnsrrecords import DnsRRecordA

record = DnsRRecordA("printer.local.", 120_000, "192.0.2.7")
octets = bytearray()
record.encode(octets, None)
at = octets.index(0, 8) + 5
print(f"{record.ttl} ms is {int.from_bytes(octets[at:at + 4], 'big')} s")
for name in "printer.local.", "Printer.local.":
    print(f"{name}: {record.answer_to(DnsQRecord(name, DnsType.A, DnsClass.IN))}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "120000 ms is 120000 s
printer.local.: True
Printer.local.: False" ] || { echo "changed" >&2; exit 1; }
