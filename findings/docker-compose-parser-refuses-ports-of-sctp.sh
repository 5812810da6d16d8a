#!/usr/bin/env bash
# docker-compose-parser 0.0.30 (PyPI): ports with a protocol or an address are refused, and a service may start before what it depends on.
#
# Guess: host_container_ports gives the numbers of each port of a Compose file, "2905:2905/sctp" among them, and iter_sorted_services the services
#   in an order in which each comes behind those that it depends on ("`depends_on` is used if it exists").
# Seen: all forms but "number:number" are errors: with a protocol, which is the one way to publish SCTP, with an address of the host, and ranges
#   in the call; a bare number and the long form (target, published, protocol) for the whole file. The services are sorted by comparing two
#   at a time: one that depends on its neighbour is moved, one that depends on the next but one is not, if the one between has nothing to
#   do with both, as an order that is not transitive has it.
# Source: docker_compose_parser/file_models.py, ComposeServiceInfo.host_container_ports and default_ports; _NameDict.__lt__.
# Output seen: "2905:2905/sctp: ValueError", "127.0.0.1:80:80: ValueError", "2905: ValidationError", "a needs b: b a c", "a needs c: a b c"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v docker-compose-parser==0.0.30 model-lib==0.0.30 zero-3rdparty==0.0.30 \
    pydantic==2.14.4 PyYAML==6.0.1 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
from pathlib import Path

from docker_compose_parser.file_models import iter_sorted_services, read_compose_info

path = Path("compose.yaml")
for port in ('"2905:2905"', '"2905:2905/sctp"', '"127.0.0.1:80:80"', "2905", "{target: 2905, published: 2905, protocol: sctp}"):
    path.write_text(f"services:\n  a:\n    image: one\n    ports: [{port}]\n")
    try:
        shown = list(read_compose_info(path, "a").host_container_ports)
    except ValueError as error:
        shown = type(error).__name__
    print(f"{port}: {shown}")
for needed in "bc":
    path.write_text(f"services:\n  a:\n    image: one\n    depends_on: [{needed}]\n  b:\n    image: one\n  c:\n    image: one\n")
    print(f"a needs {needed}:", *(name for name, _ in iter_sorted_services(path)))
PY
seen=$(PYTHONPATH=v python3 run.py 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = '"2905:2905": [(2905, 2905)]
"2905:2905/sctp": ValueError
"127.0.0.1:80:80": ValueError
2905: ValidationError
{target: 2905, published: 2905, protocol: sctp}: ValidationError
a needs b: b a c
a needs c: a b c' ] || { echo "changed" >&2; exit 1; }
