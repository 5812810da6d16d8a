#!/usr/bin/env bash
# penlight 1.13.1 (Debian lua-penlight), pl.config: of "ports = 2905, 2906" the second port is a text, and "64 kB" is 64.
#
# Guess: a list is split at its commas, blanks are trimmed, and what is a number becomes one, as in "ports = 2905,2906" of the module's own
#   description; a blank behind the comma changes nothing. A size in kB is 64000 or 65536, or stays a text, as "64 MB" does.
# Seen: only the first element is a number, those behind a blank are texts that look like one: a set of ports has no 2906, 2906 == "2906" is
#   false in Lua, and comparing such a list is an error. "64 kB" loses its unit, with any key, and is less than 65 bytes. A section
#   whose name comes twice has the second's values only.
# Source: pl/config.lua, process_value: asks for a digit at the beginning before blanks are trimmed; value:match ' kB$'; t[section] = {}.
# Output seen: 'close: {2905,2906}', 'spaced: {2905,"2906"}', 'sizes: 64 "64 MB"', 'sections: a=nil b=2'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq lua5.4=5.4.4-3+deb12u1 lua-penlight=1.13.1-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LUA_PATH="$folder/root/usr/share/lua/5.4/?.lua;$folder/root/usr/share/lua/5.4/?/init.lua"
lua5.4() { "$folder/root/usr/bin/lua5.4" "$@"; }
cat >run.lua <<'LUA'
local config, pretty, stringio = require("pl.config"), require("pl.pretty"), require("pl.stringio")
local function read(text) return config.read(stringio.open(text)) end
print("close: " .. pretty.write(read("ports = 2905,2906\n").ports, ""))
print("spaced: " .. pretty.write(read("ports = 2905, 2906\n").ports, ""))
local sizes = read("rwnd = 64 kB\nbuffer = 64 MB\n")
print(("sizes: %d %q"):format(sizes.rwnd, sizes.buffer))
local path = read("[path]\na = 1\n[path]\nb = 2\n").path
print(("sections: a=%s b=%s"):format(path.a, path.b))
LUA
seen=$(lua5.4 run.lua)
echo "$seen"
[ "$seen" = 'close: {2905,2906}
spaced: {2905,"2906"}
sizes: 64 "64 MB"
sections: a=nil b=2' ] || { echo "changed" >&2; exit 1; }
