#!/usr/bin/env bash
# cidr-trie 3.1.2 (PyPI): a default route in one trie is in every trie, of both versions of IP, and each new one writes over it.
#
# Guess: a trie holds what was inserted into it. A table for each interface or routing domain is a trie of its own, IPv4 and
#   IPv6 are two ("Cannot store IPv6 prefix in IPv4 trie" is an error).
# Seen: 0.0.0.0/0 of the first trie is found in a second one that never had it, and in one for IPv6 as ::/0, with the next hop
#   of IPv4. A second default route replaces the first one's. Prefixes other than those with the address 0 are kept apart.
# Why it matters: longest-prefix matches for flows, paths of multi-homed hosts and simulated routers end at a route of another
#   table.
# Source: cidr_trie/__init__.py, PatriciaNode.__init__ (the dictionary `masks={}` is one default argument for all roots), and
#   PatriciaTrie.insert, which stores addresses of 0 in the root.
# Output seen: "second: default [('0.0.0.0/0', 'first')]", "IPv6: 2001:db8::1 [('::/0', 'first')]", "first, after the second
#   got its own: [('0.0.0.0/0', 'second')]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip --quiet --disable-pip-version-check install --target lib cidr-trie==3.1.2 || exit 2
cat >run.py <<'PY'
from cidr_trie import PatriciaTrie

first, second, sixth = PatriciaTrie(), PatriciaTrie(), PatriciaTrie()
first.insert("0.0.0.0/0", "first")
first.insert("192.0.2.0/24", "lan")
second.insert("198.51.100.0/24", "lan")
sixth.insert("2001:db8:1::/48", "lan")
print("second: default", second.find_all("203.0.113.1"))
print("second: lan of the first", second.find_all("192.0.2.1", children=False)[1:])
print("IPv6: 2001:db8::1", sixth.find_all("2001:db8::1"))
second.insert("0.0.0.0/0", "second")
print("first, after the second got its own:", first.find_all("203.0.113.1"))
PY
seen=$(PYTHONPATH=lib python3 run.py)
echo "$seen"
[ "$seen" = "second: default [('0.0.0.0/0', 'first')]
second: lan of the first []
IPv6: 2001:db8::1 [('::/0', 'first')]
first, after the second got its own: [('0.0.0.0/0', 'second')]" ] || { echo "changed" >&2; exit 1; }
