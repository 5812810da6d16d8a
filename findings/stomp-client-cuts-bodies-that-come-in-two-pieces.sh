#!/usr/bin/env bash
# stomp-client 0.9.0 (npm): a body with a NUL ends at it if its frame arrives in two pieces; in one piece it is whole.
#
# Guess: a frame with content-length has a body of that many octets, NULs among them (STOMP 1.0 to 1.2, "content-length"), however TCP divides the stream; the parser keeps what it
#   has until the rest is there.
# Seen: as long as fewer octets are there than the length says, or just as many, the parser looks for a NUL as though there were no length: of "ab", NUL, "cdef" the frame with
#   "ab" is handed over, and the rest is taken for the beginning of the next frame, which is refused as "No such command". Long bodies often come in pieces.
# Source: lib/parser.js, parseBody: only if remainingLength < the buffer's length is the length heeded.
# Output seen: "one piece: 61620063646566", "two pieces: 6162", "last octet later: 6162", "next frame: 6162", "next frame: No such command"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts stomp-client@0.9.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { StompFrameEmitter } = require("stomp-client/lib/parser");
const HEAD = "MESSAGE\ndestination:/queue/a\ncontent-length:7\n\n";
const show = (name, ...pieces) => {
  const emitter = new StompFrameEmitter({ MESSAGE: { headers: {} } });
  emitter.on("parseError", ({ message }) => console.log(`${name}: ${message.trim()}`));
  emitter.on("frame", ({ body }) => console.log(`${name}: ${Buffer.from(body).toString("hex")}`));
  for (const piece of pieces) emitter.handleData(Buffer.from(piece));
};
show("one piece", `${HEAD}ab\0cdef\0`);
show("two pieces", `${HEAD}ab\0c`, "def\0");
show("last octet later", `${HEAD}ab\0cdef`, "\0");
show("next frame", `${HEAD}ab\0c`, "def\0", `${HEAD}1234567\0`);
JS
seen=$(node --no-deprecation run.js)
echo "$seen"
[ "$seen" = "one piece: 61620063646566
two pieces: 6162
last octet later: 6162
next frame: 6162
next frame: No such command" ] || { echo "changed" >&2; exit 1; }
