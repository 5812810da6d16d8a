#!/usr/bin/env bash
# h264-profile-level-id 2.3.2 (npm) and 1.0.0 (PyPI, its port): the lower of level 3.1 and level 1b is 3.1, and the lower of 1 and 1b is 1b.
#
# Guess: without level-asymmetry-allowed the answer has the lower of both levels (RFC 6184 §8.2.2), and 1b lies between 1 and 1.1 (H.264, table A-1: 64, 128
#   and 192 kbit/s): 42f00b from an end that can do 1b at most is answered by 42f00b.
# Seen: the comparison with 1b as its second value is turned round: each level but 1 is said to be less than 1b. An end with 3.1 answers 3.1 to an offer of 1b,
#   and may send pictures 36 times as large as the other end can decode; level 1 is raised to 1b. With 1b as the first value the result
#   is right, so that the outcome depends on who offers. All other pairs are right in both packages.
# Source: lib/index.js (npm) and core.py (PyPI), isLessLevel: with b as 1b it asks whether a is not level 1, for whether it is.
# Output seen: "own 3.1, offer 1b: 42e01f 42e01f", "own 1b, offer 3.1: 42f00b 42f00b", "own 1, offer 1b: 42f00b 42f00b", "own 3.1, offer 1: 42e00a 42e00a"
#   (npm, PyPI)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund h264-profile-level-id@2.3.2 >/dev/null 2>&1 || exit 2
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v h264-profile-level-id==1.0.0 || exit 2
cat >pairs <<'TEXT'
own 3.1, offer 1b:42e01f:42f00b
own 1b, offer 3.1:42f00b:42e01f
own 1, offer 1b:42e00a:42f00b
own 3.1, offer 1:42e01f:42e00a
TEXT
cat >run.js <<'JS'
const { generateProfileLevelIdStringForAnswer } = require("h264-profile-level-id");
for (const line of require("fs").readFileSync("pairs", "utf8").trim().split("\n")) {
  const [name, own, offer] = line.split(":");
  console.log(`${name}: ${generateProfileLevelIdStringForAnswer({ "profile-level-id": own }, { "profile-level-id": offer })}`);
}
JS
cat >run.py <<'PY'
from h264_profile_level_id import generateProfileLevelIdForAnswer

for line in open("pairs"):
    _, own, offer = line.strip().split(":")
    print(generateProfileLevelIdForAnswer({"profile-level-id": own}, {"profile-level-id": offer}))
PY
node run.js >first
PYTHONPATH=v python3 run.py >second
seen=$(paste -d " " first second)
echo "$seen"
[ "$seen" = "own 3.1, offer 1b: 42e01f 42e01f
own 1b, offer 3.1: 42f00b 42f00b
own 1, offer 1b: 42f00b 42f00b
own 3.1, offer 1: 42e00a 42e00a" ] || { echo "changed" >&2; exit 1; }
