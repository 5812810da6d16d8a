#!/usr/bin/env bash
# syslogd 1.1.2 (npm): <13>, a notice of a user's program, is facility 5 and severity 1, an alert; of the kernel's messages the severity is not a number.
#
# Guess: the priority is eight times the facility plus the severity (RFC 5424 §6.2.1, which the code names): 13 is facility 1, user, and severity 5, notice.
# Seen: the three low bits are handed over as facility and the rest as severity. A critical message of facility 4, logins, <34>, is severity 4, a warning, of the mail system. Below 8,
#   the kernel's, nothing is left for the severity: NaN. The sample of the README has facility 7 and severity 22, which no message has; a severity ends at 7.
# Source: index.js, parsePRI: facility = parseInt(binary.substr(binary.length - 3), 2).
# Output seen: "<13>: facility 5, severity 1", "<34>: facility 2, severity 4", "<3>: facility 1, severity NaN"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts syslogd@1.1.2 >/dev/null 2>&1 || exit 2
cat >run.js <<'JS'
const { parser } = require("syslogd");
for (const priority of ["<13>", "<34>", "<3>"]) {
  const { facility, severity } = parser(Buffer.from(`${priority}Oct 11 22:14:15 host su: failed`), {});
  console.log(`${priority}: facility ${facility}, severity ${severity}`);
}
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "<13>: facility 5, severity 1
<34>: facility 2, severity 4
<3>: facility 1, severity NaN" ] || { echo "changed" >&2; exit 1; }
