#!/usr/bin/env bash
# piccata 2.0.3 (PyPI): its two helpers for requests of a block refuse each call, whatever the type of message, also their own default.
#
# Guess: create_block_2_request(0, ["firmware"]) is a confirmable GET with the option Block2 (RFC 7959 §2.1), as the default mtype=CON says;
#   create_block_1_request() a PUT with Block1; only an acknowledgement or a reset is refused.
# Seen: "Block 2 request should be of type CON or NON" for CON, for NON and without a type. The parameter is called mtype, and the check asks
#   for `type`, as the help text calls it: that is Python's own function and never one of the two. The helper for responses has no such
#   check and works, so that a server can be built with the helpers and a client cannot.
# Source: piccata/block_transfer.py, create_block_1_request and create_block_2_request ("if type not in (CON, NON)").
# Output seen: "default: Block 2 request should be of type CON or NON", the same for "CON" and "NON", "Block1: Block 1 request should ..."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v piccata==2.0.3 || exit 2
cat >run.py <<'PY'
from piccata.block_transfer import create_block_1_request, create_block_2_request
from piccata.constants import CON, NON

def show(name, call):
    try:
        print(f"{name}: {call().opt.uri_path}")
    except ValueError as error:
        print(f"{name}: {error}")

path = [b"firmware"]
show("default", lambda: create_block_2_request(0, path))
show("CON", lambda: create_block_2_request(0, path, mtype=CON))
show("NON", lambda: create_block_2_request(0, path, mtype=NON))
show("Block1", lambda: create_block_1_request(bytes(100), 0, path))
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "default: Block 2 request should be of type CON or NON
CON: Block 2 request should be of type CON or NON
NON: Block 2 request should be of type CON or NON
Block1: Block 1 request should be of type CON or NON" ] || { echo "changed" >&2; exit 1; }
