#!/usr/bin/env bash
# dhcppython 0.1.4 (PyPI): a static route whose router is named before its destination is a route to the router by way of the destination.
#
# Guess: the parts of a route are named "destination" and "router", those of a policy filter "address" and "mask", and are found by their names, as with each
#   dictionary; the order on the wire is fixed (RFC 2132, §5.8 and §4.3).
# Seen: the values are taken in the order in which the dictionary was filled, and the names are not looked at, so that any two names do as well. With sorted
#   keys a filter (address, mask) and a route (destination, router) are right. In a configuration that a person wrote, either may be
#   turned round, without an error.
# Source: dhcppython/options.py, StaticRoute.from_value and PolicyFilter.from_value (pair.values()).
# Output seen: "destination, router: 2108c6336409c0000201", "router, destination: 2108c0000201c6336409", which is read as a route to 192.0.2.1
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v dhcppython==0.1.4 || exit 2
cat >run.py <<'PY'
from dhcppython.options import options

route = {"destination": "198.51.100.9", "router": "192.0.2.1"}
for names in ("destination", "router"), ("router", "destination"):
    octets = options.value_to_bytes({"static_routes": [{name: route[name] for name in names}]})
    print(f"{', '.join(names)}: {octets.hex()}, read {options.bytes_to_object(octets).value['static_routes'][0]}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "destination, router: 2108c6336409c0000201, read {'destination': '198.51.100.9', 'router': '192.0.2.1'}
router, destination: 2108c0000201c6336409, read {'destination': '192.0.2.1', 'router': '198.51.100.9'}" ] || { echo "changed" >&2; exit 1; }
