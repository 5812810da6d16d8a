#!/usr/bin/env bash
# pysflow 0.1.2 (PyPI): one record of a kind that it does not know makes a whole sFlow datagram an error.
#
# Guess: each sample and record has a length in front, so that one of an unknown format is skipped or given as bytes, and the others are read.
#   sFlow version 5 demands that: "applications ... must always use the opaque length information when decoding opaque<> structures so
#   that encountering extended structures will not cause decoding errors".
# Seen: a ValueError for the datagram. The library has the formats of the first version of the standard: no expanded samples, which
#   switches with large interface numbers send, and none of the host counters that the common agent of Linux sends.
#   A record that is longer than expected shifts all that follows, since lengths are read and not used.
# Source: sflow/base.py, get_decoder; sflow/datagram.py, FlowRecord, CounterRecord, SampleRecord.
# Output seen: "known: ifSpeed 1000", "known and unknown: ValueError Unknown data format: (0, 2001)", "expanded: ValueError Unknown data format: (0, 4)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v pysflow==0.1.2 >/dev/null 2>&1 || exit 2
cat >run.py <<'PY'
import struct

import sflow


def opaque(kind, body):
    return struct.pack(">II", kind, len(body)) + body


def datagram(*samples):
    return struct.pack(">IIIIIII", 5, 1, 0x7F000001, 0, 1, 1000, len(samples)) + b"".join(samples)


def counters(*records, kind=2, source=(1,)):
    return opaque(kind, struct.pack(f">I{len(source)}II", 1, *source, len(records)) + b"".join(records))


interface = opaque(1, struct.pack(">IIQIIQIIIIIIQIIIIII", 1, 6, 1000, *16 * (0,)))
adapters = opaque(2001, struct.pack(">I", 0))
for name, sample in (
    ("known", counters(interface)),
    ("known and unknown", counters(interface, adapters)),
    ("expanded", counters(interface, kind=4, source=(0, 1))),
):
    try:
        print(f"{name}: ifSpeed", sflow.decode(datagram(sample))["samples"][0]["counters"][0]["ifSpeed"])
    except ValueError as error:
        print(f"{name}: {type(error).__name__} {error}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py) || exit 2
echo "$seen"
[ "$seen" = "known: ifSpeed 1000
known and unknown: ValueError Unknown data format: (0, 2001)
expanded: ValueError Unknown data format: (0, 4)" ] || { echo "changed" >&2; exit 1; }
