#!/usr/bin/env bash
# num-utils 0.5 (Debian): the mean of 2.5e-05 and 3.5e-05 is 3, and the sum of +6 and -5 is -5.
#
# Guess: tools for columns of numbers take what awk, Python and most simulators print: small delays as 2.5e-05, offsets with their sign; or
#   a line that is no number is passed over with a warning.
# Seen: the part in front of the "e" is the number: two delays of 25 and 35 µs have a mean of 3 s, and their largest is 3.5; with 0.0001, which
#   is printed without an exponent, in the same column small values are the largest. A line that begins with "+" is left
#   out of the sum, without a word. The manual pages speak of neither.
# Source: numaverage, numsum, numbound: the pattern (\-?[0-9]*\.?[0-9]+) at the beginning of a line, whatever comes behind it.
# Output seen: "mean 3", "largest 3.5", "smallest 0.0001", "sum -5"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
command -v perl >/dev/null || exit 2
apt-get download -qq num-utils=0.5-15 2>/dev/null || exit 2
dpkg -x ./*.deb root
PATH=$folder/root/usr/bin:$PATH
seen="mean $(printf '%s\n' 2.5e-05 3.5e-05 | numaverage)
largest $(printf '%s\n' 2.5e-05 3.5e-05 0.0001 | numbound)
smallest $(printf '%s\n' 2.5e-05 3.5e-05 0.0001 | numbound -l)
sum $(printf '%s\n' +6 -5 | numsum)"
echo "$seen"
[ "$seen" = "mean 3
largest 3.5
smallest 0.0001
sum -5" ] || { echo "changed" >&2; exit 1; }
