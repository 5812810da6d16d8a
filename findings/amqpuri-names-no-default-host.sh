#!/usr/bin/env bash
# amqpuri 2.0.1 (npm): the address of the default virtual host "/" is that of the virtual host without a name.
#
# Guess: vhost: "/" gives amqp://broker/%2F, since a virtual host is one segment of the address and its slashes are escaped (the
#   broker's URI specification, which the source refers to: "amqp://host/" is the empty name, "amqp://host/%2f" is "/").
# Seen: the name is put in as a path and only gets a slash in front if it has none: "/" stays "/", which names the empty host; "/ops" and
#   "ops" are the same address, although both are names that a broker can have; "a/b" has two segments. User and password are
#   escaped rightly. A client that follows the specification is refused, one that takes an empty path for "/" is not.
# Source: lib/amqp-uri.js, vhost ({ pathname }).
# Output seen: "/ is amqp://ann:p%2Fq@broker:5672/", "ops is amqp://ann:p%2Fq@broker:5672/ops", "/ops is amqp://ann:p%2Fq@broker:5672/ops"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund amqpuri@2.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { format } = require("amqpuri");

for (const vhost of ["/", "ops", "/ops", "a/b"])
  console.log(`${vhost} is ${format({ hostname: "broker", port: 5672, username: "ann", password: "p/q", vhost })}`);
JS
seen=$(node run.js)
echo "$seen"
[ "$seen" = "/ is amqp://ann:p%2Fq@broker:5672/
ops is amqp://ann:p%2Fq@broker:5672/ops
/ops is amqp://ann:p%2Fq@broker:5672/ops
a/b is amqp://ann:p%2Fq@broker:5672/a/b" ] || { echo "changed" >&2; exit 1; }
