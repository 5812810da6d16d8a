#!/usr/bin/env bash
# syslog-pro 1.0.0 (npm): each message of RFC 5424 begins with the letters "BOM", and the kernel's facility is sent as 23.
#
# Guess: BOM in the grammar of RFC 5424 §6 is the octets EF BB BF; facility 0, the kernel's messages (§6.2.1), is sent as 0.
# Seen: "disk full" arrives as "BOMdisk full", so that filters on the beginning of a text fail. With facility: 0 the priority is 184 and more: 0 counts as no value.
# Source: index.js, RFC5424.buildMessage: fmtMsg += ' BOM' + msg, with utf8BOM, as by default; options.facility || 23.
# Output seen: "disk full: BOMdisk full", "facility 0: <187>"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts syslog-pro@1.0.0 moment@2.29.4 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { RFC5424 } = require("syslog-pro");
const build = (text, options) => new RFC5424({ hostname: "host", applacationName: "app", color: false }).buildMessage(text, { severity: 3, ...options });
(async () => {
  console.log("disk full:", (await build("disk full")).trim().split(" - ").pop().replace("- ", ""));
  console.log("facility 0:", (await build("text", { facility: 0 })).match(/^<\d+>/)[0]);
})();
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "disk full: BOMdisk full
facility 0: <187>" ] || { echo "changed" >&2; exit 1; }
