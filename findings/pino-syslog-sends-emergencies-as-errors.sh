#!/usr/bin/env bash
# pino-syslog 4.0.0 (npm): a level of one's own that is mapped to "emergency" is sent as an error, severity 3; "alert" is right.
#
# Guess: customLevels with syslogSeverity "emergency" give severity 0 (RFC 5424 §6.2.1, and the table of the package); "When the given severity level does not exist" the default is
#   error, and emergency exists.
# Seen: 0 counts as missing: the priority is 11 with facility 1, an error, where 8 is right. Pagers that wait for severity 0 never ring; each other severity, 1 to 7, is passed on.
# Source: lib/utils.js, buildOptions: severity[syslogSeverity] || severity.error.
# Output seen: "emergency: <11>", "alert: <9>", "debug: <15>"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts pino-syslog@4.0.0 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { buildOptions } = require("pino-syslog/lib/utils");
const { messageBuilderFactory } = require("pino-syslog/lib/rfc5424");
const levels = { emergency: 70, alert: 65, debug: 15 };
const customLevels = Object.fromEntries(Object.entries(levels).map(([syslogSeverity, level]) => [`my-${syslogSeverity}`, { level, syslogSeverity }]));
const build = messageBuilderFactory(buildOptions({ customLevels, facility: 1, messageOnly: true }));
for (const [name, level] of Object.entries(levels)) {
  console.log(`${name}: ${build({ level, time: 0, hostname: "host", pid: 1, msg: "text" }).match(/^<\d+>/)[0]}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "emergency: <11>
alert: <9>
debug: <15>" ] || { echo "changed" >&2; exit 1; }
