#!/usr/bin/env bash
# keepalived-config 0.2.1 (PyPI): a virtual address with a device or a label makes a file an error, and a tab is part of a name.
#
# Guess: the package reads what keepalived reads, but for include, which its list of things to do names: virtual addresses, routes
#   and members of a group stand in lines that begin with an address (keepalived.conf(5)), and words are parted by blanks or tabs.
# Seen: the first word of a line with several must be letters, digits, _ or -, so that "10.0.0.1/24 dev eth0" is a ValueError for the whole
#   file, and "10.0.0.1/24" alone is not. "protocol<tab>SCTP" is a parameter of the name "protocol\tSCTP" without a value, silently: to
#   look for "protocol" finds none, and to add one gives the server two. Of the 25 sample files of keepalived 2.2.7 (Debian) it refuses ten.
# Source: keepalived_config/keepalived_config_parser.py, KEY_VALUE_REGEX.
# Output seen: "address with device: ValueError", "blank: 'protocol' = 'SCTP'", "tab: 'protocol\tSCTP' = ''", "group: ValueError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v keepalived-config==0.2.1 || exit 2
cat >run.py <<'PY'
from keepalived_config import KeepAlivedConfigParser

for name, text in (
    ("address", "vrrp_instance one {\n    virtual_ipaddress {\n        10.0.0.1/24\n    }\n}\n"),
    ("address with device", "vrrp_instance one {\n    virtual_ipaddress {\n        10.0.0.1/24 dev eth0\n    }\n}\n"),
    ("blank", "virtual_server 10.0.0.1 2905 {\n    protocol SCTP\n}\n"),
    ("tab", "virtual_server 10.0.0.1 2905 {\n    protocol\tSCTP\n}\n"),
    ("group", "virtual_server_group one {\n    10.0.0.1 2905\n}\n"),
):
    try:
        (inner,) = KeepAlivedConfigParser().parse_string(text).params[0].params
        print(f"{name}: {inner.name!r} = {inner.value!r}")
    except ValueError as error:
        print(f"{name}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 run.py) || exit 2
echo "$seen"
[ "$seen" = "address: 'virtual_ipaddress' = ''
address with device: ValueError
blank: 'protocol' = 'SCTP'
tab: 'protocol\\tSCTP' = ''
group: ValueError" ] || { echo "changed" >&2; exit 1; }
