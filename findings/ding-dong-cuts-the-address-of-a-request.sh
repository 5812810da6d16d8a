#!/usr/bin/env bash
# ding-dong 0.1.7 (npm): agi_request is "agi" for each call, and a command that Asterisk refuses is the end of the call.
#
# Guess: of "agi_request: agi://192.0.2.1:4573/menu?language=de" the value is all behind the first colon, and "510 Invalid or unknown command" is an
#   error of that command, while "HANGUP" on a line of its own is the hangup (Asterisk, res_agi).
# Seen: a value ends at its second colon: the address that says which script is wanted is "agi", and an IPv6 address or a SIP URI in a variable
#   loses all but its scheme. Any line that is no "NNN result=" is announced as a hangup, 510 and 520 among them, and the promise of the command is never
#   settled; the call goes on meanwhile.
# Source: lib/context.js, readVariables (line.split(':')[1]), readResponseLine (if (!parsed) emit('hangup')).
# Output seen: "agi_request: agi", "agi_extension: 100", "510: hangup", "200: 1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ding-dong@0.1.7 >/dev/null || exit 2
cat >run.js <<'JS'
const { Duplex } = require("stream");
const Context = require("ding-dong/lib/context");
const start = async (reply) => {
  const stream = new Duplex({ read() {}, write(chunk, encoding, done) { this.push(reply); done(); } });
  const context = new Context(stream);
  const variables = context.onEvent("variables");
  stream.push("agi_network: yes\nagi_request: agi://192.0.2.1:4573/menu?language=de\nagi_extension: 100\n\n");
  return { context, variables: await variables };
};
(async () => {
  for (const reply of ["510 Invalid or unknown command\n", "200 result=1\n"]) {
    const { context, variables } = await start(reply);
    if (reply.startsWith("5")) console.log(`agi_request: ${variables.agi_request}\nagi_extension: ${variables.agi_extension}`);
    const hangup = context.onEvent("hangup").then(() => "hangup");
    const answer = context.sendCommand("STREAM FILE beep #").then(({ result }) => result, () => "error");
    console.log(`${reply.slice(0, 3)}: ${await Promise.race([hangup, answer])}`);
  }
  process.exit(0);
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "agi_request: agi
agi_extension: 100
510: hangup
200: 1" ] || { echo "changed" >&2; exit 1; }
