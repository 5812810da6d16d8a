#!/usr/bin/env bash
# numru-units 1.9.0 (Debian ruby-numru-units): a yard has six feet, so that a mile is 3.2 km, a mile per hour twice as fast, an acre four times as large.
#
# Guess: as in UDUNITS, whose class library for Ruby this is: a foot is 0.3048 m, a yard three of them, 0.9144 m, a mile 1760 yards, 1609.344 m,
#   and 60 mph are 26.82 m/s. The nautical mile and the knot of the same table are right.
# Seen: the yard is 1.8288 m, two yards, which is a fathom, and all that is made of it is too large: mile 3218.688 m, 60 mph 53.64 m/s, acre 16187 m2.
#   The foot and the inch are right. A distance along a road, from which the delay of a path is reckoned, is doubled without a word.
# Source: lib/numru/units/units.rb, the table of units: "yard" => "6 feet"; "mile" => "1760 yard" below it.
# Output seen: "foot 0.3048 m", "yard 1.8288 m", "mile 3218.688 m", "60 mph 53.6448 m/s", "knot 0.5144 m/s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-numru-units=1.9.0-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$lib/ruby/vendor_ruby
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "numru/units"
[[1, "foot", "m"], [1, "yard", "m"], [1, "mile", "m"], [60, "mph", "m/s"], [1, "knot", "m/s"]].each do |value, from, to|
  seen = NumRu::Units.new(from).convert2(value.to_f, NumRu::Units.new(to)).round(4)
  puts "#{"#{value} " if value > 1}#{from} #{seen} #{to}"
end
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "foot 0.3048 m
yard 1.8288 m
mile 3218.688 m
60 mph 53.6448 m/s
knot 0.5144 m/s" ] || { echo "changed" >&2; exit 1; }
