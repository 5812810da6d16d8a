#!/usr/bin/env bash
# @datadog/sketches-js 2.1.1 (npm): merging two sketches drops the negative values of the second, but counts them.
#
# Guess: merge is what such sketches are for: those of two hosts or minutes together give the quantiles of all values, within the relative
#   accuracy, and negative values, such as offsets of clocks and differences of delays, are values as others (they have a store of
#   their own, and one sketch gets them right).
# Seen: count, sum and min have the negative ones, the quantiles do not: of -8, -4 and 2 merged into 1 the quantile of 0.4 is 1.99
#   instead of -4, and that of 0 is 0.99, beside a min of -8. Merging into an empty sketch copies both stores and is right, so that
#   the first of many is kept whole and the rest is cut.
# Source: src/ddsketch/DDSketch.ts, merge: store.merge and no negativeStore.merge.
# Output seen: "one: -7.92 -4.01 0.99 1.99", "merged: 0.99 1.99 1.99 1.99, count 4, min -8", "into empty: -7.92 -4.01 ..."
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @datadog/sketches-js@2.1.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { DDSketch } = require("@datadog/sketches-js");
const sketch = (values) => {
  const filled = new DDSketch();
  values.forEach((value) => filled.accept(value));
  return filled;
};
const show = (name, filled) => {
  const quantiles = [0, 0.4, 0.7, 1].map((share) => filled.getValueAtQuantile(share).toFixed(2));
  console.log(`${name}: ${quantiles.join(" ")}, count ${filled.count}, min ${filled.min}`);
};
const one = sketch([1, -8, -4, 2]);
show("one", one);
const merged = sketch([1]);
merged.merge(sketch([-8, -4, 2]));
show("merged", merged);
const empty = new DDSketch();
empty.merge(sketch([1, -8, -4, 2]));
show("into empty", empty);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "one: -7.92 -4.01 0.99 1.99, count 4, min -8
merged: 0.99 1.99 1.99 1.99, count 4, min -8
into empty: -7.92 -4.01 0.99 1.99, count 4, min -8" ] || { echo "changed" >&2; exit 1; }
