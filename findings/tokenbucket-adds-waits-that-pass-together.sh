#!/usr/bin/env bash
# tokenbucket 0.3.2 (npm): a bucket with a parent refuses to wait 0.4 s if at most 0.6 s are allowed, since it counts the wait of the parent once more.
#
# Guess: both buckets are empty and have a token every 400 ms: the next token comes after 400 ms from both, as the wait without a limit shows,
#   so that a `maxWait` of 600 ms, "the maximum time that we would wait for enough tokens", is enough.
# Seen: ExceedsMaxWait. The waits of the bucket and of its parents are added before they are compared, 800 ms here, 1200 ms with three levels, while all of
#   them fill at the same time. Without `maxWait` the same call is served after 400 ms, with 900 ms, too.
# Source: lib/tokenbucket.js, removeTokens: hierarchyWaitInterval += calculateWaitInterval(parentBucket).
# Output seen: "no limit: served within 600 ms", "900: served within 600 ms", "600: ExceedsMaxWait"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts tokenbucket@0.3.2 >/dev/null || exit 2
cat >run.js <<'JS'
const TokenBucket = require("tokenbucket");
(async () => {
  for (const maxWait of [undefined, 900, 600]) {
    const settings = { size: 1, tokensToAddPerInterval: 1, interval: 400, spread: true };
    const parentBucket = new TokenBucket(settings);
    const bucket = new TokenBucket({ ...settings, parentBucket, maxWait });
    await bucket.removeTokens(1);
    const start = Date.now();
    const answer = await bucket.removeTokens(1).then(
      () => `served ${Date.now() - start < 600 ? "within" : "after"} 600 ms`,
      (error) => error.name,
    );
    console.log(`${maxWait ?? "no limit"}: ${answer}`);
  }
})();
JS
seen=$(timeout 20 node run.js 2>/dev/null)
echo "$seen"
[ "$seen" = "no limit: served within 600 ms
900: served within 600 ms
600: ExceedsMaxWait" ] || { echo "changed" >&2; exit 1; }
