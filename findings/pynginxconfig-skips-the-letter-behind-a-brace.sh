#!/usr/bin/env bash
# pynginxconfig 0.3.4 (PyPI): "events{worker_connections 4;}user nobody;" has a directive "ser", and a last line without a line end is left out.
#
# Guess: braces and semicolons end what they end, whatever stands behind them; line ends and blanks between directives are for people (nginx.conf,
#   "Beginner's Guide", structure of the file). A block is named by its first word, with or without a blank in front of the brace.
# Seen: both the block and the one around it step over the brace: the letter behind it is lost. Of two braces in a row the second is lost, so that what
#   follows the block is within it. The last character of the file is never looked at, and with it goes its last directive or brace. A name next to its
#   brace is a parameter of no name.
# Source: pynginxconfig.py, parse_block (self.i += 1 twice, name only at a blank) and load (self.length = len(config) - 1).
# Output seen: "'events {worker_connections 4;}\nuser nobody;\n' [{'name': 'events', 'param': '', 'value': [('worker_connections', '4')]}, ('user', 'nobody')]", "'events {worker_connections 4;}user nobody;\n' [{'name': 'events', 'param': '', 'value': [('worker_connections', '4')]}, ('ser', 'nobody')]", "'http {server {listen 80;} }\nuser nobody;\n' [{'name': 'http', 'param': '', 'value': [{'name': 'server', 'param': '', 'value': [('listen', '80')]}]}, ('user', 'nobody')]", "'http {server {listen 80;}}\nuser nobody;\n' [{'name': 'http', 'param': '', 'value': [{'name': 'server', 'param': '', 'value': [('listen', '80')]}, ('user', 'nobody')]}]", "'user nobody;\npid a;\n' [('user', 'nobody'), ('pid', 'a')]", "'user nobody;\npid a;' [('user', 'nobody')]", "'events{pid a;}\n' [{'name': None, 'param': 'events', 'value': [('pid', 'a')]}]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip -qq --disable-pip-version-check install --no-deps --target v pynginxconfig==0.3.4 || exit 2
cat >run.py <<'PY'
from pynginxconfig import NginxConfig

for text in ("events {worker_connections 4;}\nuser nobody;\n", "events {worker_connections 4;}user nobody;\n", "http {server {listen 80;} }\nuser nobody;\n", "http {server {listen 80;}}\nuser nobody;\n", "user nobody;\npid a;\n", "user nobody;\npid a;", "events{pid a;}\n"):
    config = NginxConfig()
    config.load(text)
    print(repr(text), config.data)
PY
seen=$(PYTHONPATH=v python3 -W ignore run.py)
echo "$seen"
[ "$seen" = "'events {worker_connections 4;}\\nuser nobody;\\n' [{'name': 'events', 'param': '', 'value': [('worker_connections', '4')]}, ('user', 'nobody')]
'events {worker_connections 4;}user nobody;\\n' [{'name': 'events', 'param': '', 'value': [('worker_connections', '4')]}, ('ser', 'nobody')]
'http {server {listen 80;} }\\nuser nobody;\\n' [{'name': 'http', 'param': '', 'value': [{'name': 'server', 'param': '', 'value': [('listen', '80')]}]}, ('user', 'nobody')]
'http {server {listen 80;}}\\nuser nobody;\\n' [{'name': 'http', 'param': '', 'value': [{'name': 'server', 'param': '', 'value': [('listen', '80')]}, ('user', 'nobody')]}]
'user nobody;\\npid a;\\n' [('user', 'nobody'), ('pid', 'a')]
'user nobody;\\npid a;' [('user', 'nobody')]
'events{pid a;}\\n' [{'name': None, 'param': 'events', 'value': [('pid', 'a')]}]" ] || { echo "changed" >&2; exit 1; }
