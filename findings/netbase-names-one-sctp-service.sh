#!/usr/bin/env bash
# netbase 6.4 (Debian): of the services that IANA registers for SCTP /etc/services has one, amqp.
#
# Guess: the table follows IANA's registry, as it does for TCP and UDP: sip 5060, m3ua 2905, diameter 3868, s1-control 36412
#   and bgp 179 are registered for SCTP, some for SCTP alone, so that getaddrinfo with IPPROTO_SCTP resolves them.
# Seen: `getaddrinfo(host, "sip", SCTP)` is EAI_SERVICE and getservbyname fails, though "sip" is there for TCP and UDP and the
#   same call with IPPROTO_TCP works; tools print numbers for SCTP. The table that nmap brings (7.93) has 52 such lines.
#   A configuration needs numbers, or lines of its own in the table.
# Source: the file etc/services of the package, whose comment promises what is used in the real world.
# Output seen: "netbase: amqp 5672, of tcp more than 200", "nmap: m3ua 2905, sip 5060, diameter 3868"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq netbase=6.4 nmap-common=7.93+dfsg1-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.py <<'PY'
import re

def services(path, protocol):
    rows = (re.match(rf"(\S+)\s+(\d+)/{protocol}\b", line) for line in open(path))
    return [f"{row[1]} {row[2]}" for row in rows if row]

table = "root/etc/services"
more = "more than 200" if len(services(table, "tcp")) > 200 else "fewer"
print(f"netbase: {', '.join(services(table, 'sctp'))}, of tcp {more}")
known = services("root/usr/share/nmap/nmap-services", "sctp")
print("nmap:", ", ".join(one for one in ("m3ua 2905", "sip 5060", "diameter 3868") if one in known))
PY
seen=$(python3 run.py)
echo "$seen"
[ "$seen" = "netbase: amqp 5672, of tcp more than 200
nmap: m3ua 2905, sip 5060, diameter 3868" ] || { echo "changed" >&2; exit 1; }
