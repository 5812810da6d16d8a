#!/usr/bin/env bash
# gsm7 1.3.1 (npm): a letter that the GSM alphabet lacks changes the letter behind it, so that "mãe" is sent as "m€".
#
# Guess: a letter outside the alphabet of TS 23.038 is an error, a question mark or left out; its neighbours are unharmed.
# Seen: it becomes a lone escape, which makes the next letter one of the extension table: "ãe" is the euro sign and "õ(" an opening brace
#   for every phone. Before other letters the package's own decoder writes the word "undefined" into the text, where
#   a phone shows the next letter alone (TS 23.038 §6.2.1.1, an unknown code behind the escape). gsm0338 1.1.0 (PyPI), a
#   reader of its own, agrees on the octets.
# Source: index.js, getCharCode: a search that finds nothing gives undefined, and undefined << 8 | 27 is 27.
# Output seen: "mãe: m€, other reader m€", "forêt: forundefined, other reader error", "até: até, other reader até"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --target v gsm0338==1.1.0 || exit 2
npm install --silent --no-audit --no-fund gsm7@1.3.1 >/dev/null || exit 2
cat >write.js <<'JS'
const { encode, decode } = require("gsm7");
for (const text of ["mãe", "forêt", "até"]) {
  const octets = encode(text);
  console.log([text, octets.toString("hex"), decode(octets)].join(" "));
}
JS
node write.js >written
cat >read.py <<'PY'
import gsm0338

codec = gsm0338.Codec()
for line in open("written"):
    text, octets, own = line.split()
    number = int.from_bytes(bytes.fromhex(octets), "little")
    septets = bytes(number >> 7 * place & 0x7F for place in range(len(bytes.fromhex(octets)) * 8 // 7))
    try:
        other = codec.decode(septets)[0]
    except UnicodeError:
        other = "error"
    print(f"{text}: {own}, other reader {other}")
PY
seen=$(PYTHONUTF8=1 PYTHONPATH=v python3 read.py)
echo "$seen"
[ "$seen" = "mãe: m€, other reader m€
forêt: forundefined, other reader error
até: até, other reader até" ] || { echo "changed" >&2; exit 1; }
