#!/usr/bin/env bash
# maritime-frame 0.1.0 (PyPI): a decoder that is registered for a maker's code is never called, not even with the key of the README.
#
# Guess: behind the P of a proprietary sentence are the three letters of its maker (NMEA 0183 and IEC 61162-1, "Proprietary sentences"): $PGRME is of GRM, Garmin. So
#   ProprietaryRegistry().register("GRM", ...) decodes it, or "PGR", as the README registers it for Garmin.
# Seen: the address is cut behind the third letter, P included, and the registry looks for what is left without the P: "GR". Under that key all of GRM, GRE
#   and GRL meet. Nothing is raised: decode() hands the sentence back as if no decoder were registered.
# Source: maritime_frame/nmea0183.py, parse_sentence (head[:3]); proprietary.py, decode (sentence.talker[1:]); README, "OneNet, legacy, and proprietary layers".
# Output seen: "talker PGR, type ME", "registered as GRM: not called", "registered as PGR: not called", "registered as GR: called"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v maritime-frame==0.1.0 || exit 2
cat >run.py <<'PY'
from maritime_frame import checksum, parse_sentence
from maritime_frame.proprietary import ProprietaryRegistry

BODY = "PGRME,15.0,M,45.0,M,25.0,M"
sentence = parse_sentence(f"${BODY}*{checksum(BODY):02X}")
print(f"talker {sentence.talker}, type {sentence.sentence_type}")
for key in "GRM", "PGRM", "PGR", "GR":
    registry = ProprietaryRegistry()
    registry.register(key, lambda found: "called")
    seen = registry.decode(sentence)
    print(f"registered as {key}: {seen if seen == 'called' else 'not called'}")
PY
seen=$(PYTHONPATH=v python3 run.py)
echo "$seen"
[ "$seen" = "talker PGR, type ME
registered as GRM: not called
registered as PGRM: not called
registered as PGR: not called
registered as GR: called" ] || { echo "changed" >&2; exit 1; }
