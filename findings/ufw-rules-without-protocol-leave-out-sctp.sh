#!/usr/bin/env bash
# ufw 0.36.2 (Debian): a rule for a port without a protocol is one for TCP and UDP, and no rule can name SCTP.
#
# Guess: "ufw allow 3868" holds for whatever has ports, so for Diameter over SCTP; to be exact one writes 3868/sctp, as in
#   firewalld, or "proto sctp". Where igmp, gre and vrrp may be named, SCTP may.
# Seen: the rule is kept as "-p all" and becomes one rule for tcp and one for udp; the SCTP port stays closed by the default policy,
#   though the status names no protocol. "3868/sctp" is a bad port, "proto sctp" is unsupported. A rule without a port
#   does hold for all protocols; what is left is to open the host for an address, or iptables lines in before.rules.
# Who cares: who installs a core network or signalling point on Ubuntu or Debian and opens its ports in the usual way.
# Source: ufw/backend_iptables.py, _get_rules_from_formatted; ufw/util.py, supported_protocols.
# Output seen: "allow 3868: -p tcp --dport 3868 -j ACCEPT, -p udp --dport 3868 -j ACCEPT", "allow 3868/sctp: Bad port",
#   "allow proto sctp to any port 3868: Unsupported protocol 'sctp'", "allow proto vrrp from any: -p vrrp -j ACCEPT"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq ufw=0.36.2-1 2>/dev/null || exit 2
dpkg -x ufw_*.deb root
cat >run.py <<'PY'
import gettext
import sys

sys.path.insert(0, "root/usr/lib/python3/dist-packages")
gettext.install("ufw")
from ufw.backend_iptables import UFWBackendIptables
from ufw.common import UFWError
from ufw.parser import UFWCommandRule, UFWParser

for text in ("allow 3868", "allow 3868/tcp", "allow 3868/sctp", "allow proto sctp to any port 3868", "allow proto vrrp from any"):
    parser = UFWParser()
    parser.register_command(UFWCommandRule("allow"))
    try:
        rule = parser.parse_command(text.split()).data["rule"].format_rule()
        print(f"{text}: {', '.join(UFWBackendIptables._get_rules_from_formatted(None, rule, 'ufw', 'input'))}")
    except UFWError as error:
        print(f"{text}: {error.value}")
PY
seen=$(/usr/bin/python3 run.py)
echo "$seen"
[ "$seen" = "allow 3868: -p tcp --dport 3868 -j ACCEPT, -p udp --dport 3868 -j ACCEPT
allow 3868/tcp: -p tcp --dport 3868 -j ACCEPT
allow 3868/sctp: Bad port
allow proto sctp to any port 3868: Unsupported protocol 'sctp'
allow proto vrrp from any: -p vrrp -j ACCEPT" ] || { echo "changed" >&2; exit 1; }
