#!/usr/bin/env bash
# @logtape/syslog 1.3.10 (npm): over TLS the messages are sent without the length that RFC 5425 puts in front of each.
#
# Guess: secure: true is syslog over TLS as in RFC 5425: each message has its length in octets and a blank before it (§4.3, SYSLOG-FRAME = MSG-LEN SP
#   SYSLOG-MSG; line ends have no meaning).
# Seen: there is no length, and a line end behind each message, over TLS as over TCP. A receiver of RFC 5425 finds "<" where a digit must be.
# Source: dist/syslog.js, NodeTcpSyslogConnection.send (message + "\n"), used for both; the option "secure" in its types, which name no framing.
# Output seen: "2 lines, 0 with a length", "<134>1 2026-01-02T00:00:00.000Z alpha sctpd 1 - - first", "<134>1 (...) second"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @logtape/syslog@1.3.10 @logtape/logtape@1.3.10 >/dev/null || exit 2
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem 2>/dev/null || exit 2
cat >run.mjs <<'JS'
import { readFileSync } from "node:fs";
import { createServer } from "node:tls";
import { getSyslogSink } from "@logtape/syslog";
const cert = readFileSync("cert.pem");
const server = createServer({ cert, key: readFileSync("key.pem") }, (socket) => {
  let text = "";
  socket.on("data", (piece) => (text += piece));
  socket.on("end", () => {
    const lines = text.replace(/\n$/, "").split("\n");
    console.log(`${lines.length} lines, ${lines.filter((line) => /^\d/.test(line)).length} with a length`);
    for (const line of lines) console.log(line);
    server.close();
  });
});
server.listen(0, async () => {
  const sink = getSyslogSink({ hostname: "localhost", port: server.address().port, protocol: "tcp", secure: true, tlsOptions: { ca: cert.toString() },
    appName: "sctpd", syslogHostname: "alpha", processId: "1" });
  for (const text of ["first", "second"]) {
    sink({ category: ["sctpd"], level: "info", message: [text], rawMessage: "", properties: {}, timestamp: Date.UTC(2026, 0, 2) });
  }
  await sink[Symbol.asyncDispose]();
});
JS
seen=$(node run.mjs)
echo "$seen"
[ "$seen" = "2 lines, 0 with a length
<134>1 2026-01-02T00:00:00.000Z alpha sctpd 1 - - first
<134>1 2026-01-02T00:00:00.000Z alpha sctpd 1 - - second" ] || { echo "changed" >&2; exit 1; }
