#!/usr/bin/env bash
# Miller 6.6.0 (Debian): "+6" is a text, which sums and means leave out without a word, while the count has it.
#
# Guess: offsets of clocks and differences of delays are written with their sign, "+6" as "-5", and both are numbers, as "5.", ".5", "1e5" and
#   "0x10" are; what is no number is an error in a sum, as it is for the operator + (mlr help type-arithmetic-info).
# Seen: stats1 of -5, +6 and -2 gives a sum of -7 and a mean of -3.5: the positive one is left out, and the mean is over two, though the count
#   is 3. The largest value is +6, since texts are above all numbers, and so it is for +1 and 5. Sorting by number puts it last,
#   and a filter for more than 5 misses it. Only "put" shows "(error)". Leading zeros are texts, too, which the manual says.
# Source: internal/pkg/scan, where "-" and no "+" may stand before digits; issue 1267 of johnkerl/miller, mended after this release.
# Output seen: "sum -7, mean -3.5, count 3, max +6", "max of 5 and +1: +1", "sorted: -5 -2 7 +6", "more than 5: 7", "plus 1: (error)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq miller=6.6.0-2+b3 2>/dev/null || exit 2
dpkg -x ./*.deb root
values() { printf 'offset=%s\n' "$@"; }
mlr() { "$folder/root/usr/bin/mlr" "$@"; }
seen=$(
  values -5 +6 -2 | mlr --onidx stats1 -a sum,mean,count,max -f offset | sed 's/\(.*\) \(.*\) \(.*\) \(.*\)/sum \1, mean \2, count \3, max \4/'
  echo "max of 5 and +1: $(values 5 +1 | mlr --onidx stats1 -a max -f offset)"
  echo "sorted:" $(values +6 -2 7 -5 | mlr --onidx sort -nf offset)
  echo "more than 5:" $(values +6 7 | mlr --onidx filter '$offset > 5')
  echo "plus 1: $(values +6 | mlr --onidx put '$offset = $offset + 1')"
)
echo "$seen"
[ "$seen" = "sum -7, mean -3.5, count 3, max +6
max of 5 and +1: +1
sorted: -5 -2 7 +6
more than 5: 7
plus 1: (error)" ] || { echo "changed" >&2; exit 1; }
