#!/usr/bin/env bash
# nsyslog-parser 0.10.1 (npm): structured data whose name is registered, as timeQuality is, becomes part of the text.
#
# Guess: RFC 5424 has two kinds of names for structured data: name@number for everybody, and names without "@" for what IANA registers
#   (§6.3.2, §7: timeQuality, origin, meta); each is given as data. Host names may be addresses (§6.2.4), of IPv6, too.
# Seen: only names with "@" and with at least one parameter are data. Of [timeQuality tzKnown="1" isSynced="1"] path up the structured
#   data is empty and the text begins at tzKnown: who measures delays between two hosts by their logs cannot know whether
#   clocks were in step, and rules that look at the beginning of a text miss. With an IPv6 address for a host name host,
#   program, process and message id are all empty, and the whole line is the text.
# Source: parser.js: a word with a letter of RXS.invalid ends the header, as "@" and ":" are; "[timeQuality" has none, and is taken for its last
#   word. glossy 0.1.7 (npm) reads all three lines.
# Output seen: 'own: data 1, "path up"', 'registered: data 0, "tzKnown=..."', 'ipv6: host "", program undefined, "2001:db8::1 sctpd 1 up - path up"'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund nsyslog-parser@0.10.1 >/dev/null || exit 2
cat >run.js <<'JS'
const parse = require("nsyslog-parser");
const show = (name, host, data) => {
  const line = parse(`<13>1 2025-01-01T00:00:00Z ${host} sctpd 1 up ${data} path up`);
  console.log(`${name}: host "${line.host}", program ${line.appName}, data ${line.structuredData.length}, "${line.message}"`);
};
show("own", "alpha", '[path@32473 rto="1"]');
show("registered", "alpha", '[timeQuality tzKnown="1" isSynced="1"]');
show("ipv6", "2001:db8::1", "-");
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = 'own: host "alpha", program sctpd, data 1, "path up"
registered: host "alpha", program sctpd, data 0, "tzKnown="1" isSynced="1"] path up"
ipv6: host "", program undefined, data 0, "2001:db8::1 sctpd 1 up - path up"' ] || { echo "changed" >&2; exit 1; }
