#!/usr/bin/env bash
# syslog-parse 2.0.0 (npm): a line without a priority, as each line of a log file is, has facility kern and severity emerg.
#
# Guess: the priority is optional for the parser (its pattern says so); without one facility and severity are undefined, or 13, user.notice, which a
#   relay has to put in (RFC 3164 §4.3.3).
# Seen: a missing priority becomes the number 0, which is the kernel and an emergency. A table of /var/log/syslog has nothing but emergencies of the
#   kernel; <0> itself cannot be told from it.
# Source: dist/index.js, syslogParse (Number of an empty text).
# Output seen: "<34>: auth.crit", "<13>: user.notice", "<0>: kern.emerg", "none: kern.emerg"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts syslog-parse@2.0.0 >/dev/null 2>&1 || exit 2
cat >run.mjs <<'MJS'
import syslogParse from "syslog-parse";

for (const priority of ["<34>", "<13>", "<0>", ""]) {
  const { facility, severity } = syslogParse(`${priority}Oct 11 22:14:15 host su[12]: text`);
  console.log(`${priority || "none"}: ${facility}.${severity}`);
}
MJS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "<34>: auth.crit
<13>: user.notice
<0>: kern.emerg
none: kern.emerg" ] || { echo "changed" >&2; exit 1; }
