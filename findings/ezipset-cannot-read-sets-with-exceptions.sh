#!/usr/bin/env bash
# ezIPSet 1.0.0 (PyPI): a set with one exception ("nomatch") or made with forceadd cannot be read, and a plain saved file cannot be restored.
#
# Guess: get_set_members gives a dictionary of members and their parameters; a member with nomatch, which VALID_SET_TYPES lists for this type of
#   set, has it as a flag. restore() of a file that save() wrote runs "ipset restore".
# Seen: the words behind a member are taken two by two as name and value, and a flag has no value: an IndexError for the whole set, so that neither
#   it nor get_all_sets, with all other sets, can be read. Of the header's flags three are known and forceadd is not. restore() of a file
#   that is neither compressed nor filtered fails with an UnboundLocalError before ipset is asked: the name of the file is set for the others only.
# Source: ezipset/ezipset.py, get_set_members, get_set_header (params_to_pop), restore (new_file_to_restore).
# Output seen: "plain: {'10.0.0.0/8,sctp:2905': {'packets': 5, ..}}", "exception: IndexError", "forceadd: IndexError", "restore: UnboundLocalError"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v ezipset==1.0.0 >/dev/null 2>&1 || exit 2
# Answers as ipset 7.17 does, so that no rights and no kernel are needed.
cat >ipset <<'SH'
#!/bin/sh
[ "$1" = --version ] && echo "ipset v7.17, protocol version: 7"
[ "$1" = list ] && [ "$2" = -name ] && printf 'plain\nexception\nforceadd\n'
[ "$1" = list ] && [ "$2" != -name ] || exit 0
[ "$2" = forceadd ] && flag="forceadd " || flag=
printf 'Name: %s\nType: hash:net,port\nRevision: 8\nHeader: family inet hashsize 1024 maxelem 65536 counters %sbucketsize 12 initval 0x1\n' "$2" "$flag"
printf 'Size in memory: 600\nReferences: 0\nNumber of entries: 1\n'
[ "$3" = -terse ] || printf 'Members:\n10.0.0.0/8,sctp:2905 packets 5 bytes 600\n'
[ "$2" = exception ] && printf '10.1.0.0/16,sctp:2905 nomatch\n'
exit 0
SH
chmod +x ipset
cat >run.py <<'PY'
from ezipset.ezipset import ezIPSet

ipset = ezIPSet(ipset_command="./ipset")
open("saved", "w").write("create plain hash:net,port\n")
for name, ask in (
    ("plain", lambda: ipset.get_set_members("plain")),
    ("exception", lambda: ipset.get_set_members("exception")),
    ("plain header", lambda: ipset.get_set_header("plain")["header"]["maxelem"]),
    ("forceadd", lambda: ipset.get_set_header("forceadd")["header"]["maxelem"]),
    ("restore", lambda: ipset.restore("saved")),
):
    try:
        print(f"{name}: {ask()}")
    except (IndexError, UnboundLocalError) as error:
        print(f"{name}: {type(error).__name__}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "plain: {'10.0.0.0/8,sctp:2905': {'packets': 5, 'bytes': 600}}
exception: IndexError
plain header: 65536
forceadd: IndexError
restore: UnboundLocalError" ] || { echo "changed" >&2; exit 1; }
