#!/usr/bin/env bash
# async-dns 2.0.1 (PyPI): a truncated answer announces the records that it has no room for, so that it cannot be read as it stands.
#
# Guess: pack(size_limit=...) leaves out the records that do not fit and sets TC, so that the client asks again over TCP (RFC 1035, §4.1.1; RFC 2181, §9);
#   the counts in the header are those of the records that are there.
# Seen: the counts are the lengths of the lists, whatever was written: 4 answers announced, 2 present. A client that reads the whole message before it looks
#   at TC, as the package's own parser does, takes it for broken and does not try TCP. Answers within the limit are right.
# Source: async_dns/core/record.py, DNSMessage.pack (len(self.an)); async_dns/server uses it with the limit of UDP.
# Output seen: "limit 300: TC 1, 4 answers announced, 2 present: ParseError", "limit 4096: TC 0, 4 announced, 4 present: read 4"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v async-dns==2.0.1 || exit 2
cat >run.py <<'PY'
from async_dns.core import types
from async_dns.core.record import REQUEST, RESPONSE, DNSMessage, Record, TXT_RData

for limit in 300, 4096:
    message = DNSMessage(qr=RESPONSE, qid=1)
    message.qd = [Record(REQUEST, "x.example", types.TXT)]
    message.an = [Record(RESPONSE, "x.example", types.TXT, ttl=60, data=TXT_RData("a" * 100)) for _ in range(4)]
    octets = message.pack(limit)
    line = f"limit {limit}: TC {octets[2] >> 1 & 1}, {int.from_bytes(octets[6:8], 'big')} answers announced, {octets.count(b'a' * 100)} present"
    try:
        print(f"{line}: read {len(DNSMessage.parse(octets).an)}")
    except Exception as error:
        print(f"{line}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "limit 300: TC 1, 4 answers announced, 2 present: ParseError
limit 4096: TC 0, 4 answers announced, 4 present: read 4" ] || { echo "changed" >&2; exit 1; }
