#!/usr/bin/env bash
# enzyme 0.5.2 (PyPI): a Matroska or WebM file with a number of no octets is a malformed file.
#
# Guess: an element of size 0 has its default value, or 0 if it has none (RFC 8794 §7), so that an empty FlagLacing is 1, its default.
# Seen: sizes 1 to 8 are read for integers, 4 and 8 for floats; another size ends the whole file with MalformedMKVError, "Parsing error: 0", as the
#   message is the size. Nothing of the file is given, not even its duration.
# Source: enzyme/parsers/ebml/readers.py, read_element_uinteger, read_element_integer and read_element_float (SizeError).
# Output seen: "left out: 0:01:40, A_OPUS", "one octet: 0:01:40, A_OPUS", "empty: Parsing error: 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v enzyme==0.5.2 || exit 2
cat >run.py <<'PY'
import io
import enzyme

def element(code, content):
    return bytes.fromhex(code) + (0x10000000 | len(content)).to_bytes(4, "big") + content

def file(lacing):
    info = element("1549a966", element("4489", bytes.fromhex("40f86a0000000000")))  # 100 seconds
    entry = element("d7", b"\1") + element("83", b"\2") + lacing + element("86", b"A_OPUS") + element("e1", element("9f", b"\2"))
    tracks = element("1654ae6b", element("ae", entry))

    def seek(*places):
        codes = (bytes.fromhex("1549a966"), bytes.fromhex("1654ae6b"))
        pairs = zip(codes, places)
        return element("114d9b74", b"".join(element("4dbb", element("53ab", code) + element("53ac", bytes([place]))) for code, place in pairs))

    size = len(seek(0, 0))
    segment = element("18538067", seek(size, size + len(info)) + info + tracks)
    return io.BytesIO(element("1a45dfa3", element("4282", b"webm")) + segment)

for name, lacing in (("left out", b""), ("one octet", element("9c", b"\1")), ("empty", element("9c", b""))):
    try:
        read = enzyme.MKV(file(lacing))
        print(f"{name}: {read.info.duration}, {read.audio_tracks[0].codec_id}")
    except enzyme.MalformedMKVError as error:
        print(f"{name}: {error}")
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "left out: 0:01:40, A_OPUS
one octet: 0:01:40, A_OPUS
empty: Parsing error: 0" ] || { echo "changed" >&2; exit 1; }
