#!/usr/bin/env bash
# inifile 1.0 (Debian lua-inifile): "heartbeat = false" is a text, which counts as true, and keys with a hyphen or point are skipped.
#
# Guess: a value "false" is the boolean, as "heartbeat=false" is here; blanks round the equals sign, as nearly all files have them, make no
#   difference. Keys are names such as rto-min or net.sctp.rto_min, or the file is refused.
# Seen: the blank behind the equals sign belongs to the value: " false" is no boolean but a text, and each text is true in Lua, so that what
#   the file turns off is on. Texts keep the blank, so that " alpha" is no host; numbers are well, since tonumber
#   skips blanks, which hides it. Lines whose key has a hyphen or a point are left out without an error.
# Source: inifile.lua, parse: "^([%w_]+)%s-=%s-(.+)$", where %s- takes as few blanks as it can, which is none.
# Output seen: "heartbeat= false, on", "ecn=false, off", "host= alpha", "port=2905", "rto_max=60, rto-min=nil, rto.initial=nil"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq lua5.4=5.4.4-3+deb12u1 lua-inifile=1.0-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LUA_PATH="$folder/root/usr/share/lua/5.4/?.lua;$folder/root/usr/share/lua/5.4/?/init.lua"
lua5.4() { "$folder/root/usr/bin/lua5.4" "$@"; }
cat >path.ini <<'INI'
[path]
heartbeat = false
ecn=false
host = alpha
port = 2905
rto_max=60
rto-min=1
rto.initial=3
INI
cat >run.lua <<'LUA'
local path = require("inifile").parse("path.ini").path
local function state(value) return value and "on" or "off" end
print(("heartbeat=%s, %s"):format(path.heartbeat, state(path.heartbeat)))
print(("ecn=%s, %s"):format(path.ecn, state(path.ecn)))
print(("host=%s"):format(path.host))
print(("port=%d"):format(path.port))
print(("rto_max=%s, rto-min=%s, rto.initial=%s"):format(path.rto_max, path["rto-min"], path["rto.initial"]))
LUA
seen=$(lua5.4 run.lua)
echo "$seen"
[ "$seen" = "heartbeat= false, on
ecn=false, off
host= alpha
port=2905
rto_max=60, rto-min=nil, rto.initial=nil" ] || { echo "changed" >&2; exit 1; }
