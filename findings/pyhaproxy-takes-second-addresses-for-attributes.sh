#!/usr/bin/env bash
# pyhaproxy 0.3.7 (PyPI): of a bind with two addresses the second is an attribute, attributes are one text, and a resolvers section is lines.
#
# Guess: Bind has the addresses of "bind 10.0.0.1:2905,10.0.0.2:2905" (HAProxy manual §4.2, a list), or refuses it. Server.attributes, a list, has
#   the words of "check inter 2000". A section that the library does not know is refused ("Raises: when there are unsupported section").
# Seen: host and port are the first address's, and ",10.0.0.2:2905" is the one attribute, so that a host with two addresses has one. The list
#   of attributes always has one text, since it is split at the two characters blank and tab in a row: "check" in attributes is false
#   for "check inter 2000". The lines of "resolvers" and of other sections belong to the section before, as settings of its
#   own. A listen with "bind :::2905", all addresses of IPv6, is an exception.
# Source: pyhaproxy/parse.py, __build_server and __build_bind (split(' \t')); pyhaproxy/pegnode.py, the grammar of addresses and sections.
# Output seen: "bind 10.0.0.1 2905 [',10.0.0.2:2905']", "server 10.0.0.9 2905 ['check inter 2000']", "resolvers: dns", "bind :::2905: Exception"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pyhaproxy==0.3.7 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
from pyhaproxy.config import Bind, Server
from pyhaproxy.parse import Parser

CONFIG = """\
listen one
    bind 10.0.0.1:2905,10.0.0.2:2905
    server a 10.0.0.9:2905 check inter 2000

resolvers dns
    nameserver a 10.0.0.53:53
"""
(listen,) = Parser(filestring=CONFIG).build_configuration().listens
for line in listen.config_block:
    if isinstance(line, (Bind, Server)):
        print(type(line).__name__.lower(), line.host, line.port, line.attributes)
    else:
        print(f"{line.keyword}: {line.value}")
try:
    print(Parser(filestring="listen one\n    bind :::2905\n").build_configuration().listens[0].host)
except Exception as error:
    print(f"bind :::2905: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "bind 10.0.0.1 2905 [',10.0.0.2:2905']
server 10.0.0.9 2905 ['check inter 2000']
resolvers: dns
nameserver: a 10.0.0.53:53
bind :::2905: Exception" ] || { echo "changed" >&2; exit 1; }
