#!/usr/bin/env bash
# ministat 20150715 (Debian): the median of four values is the third, and the deviation of four large values is 0.
#
# Guess: the median of 1, 2, 3, 4 is 2.5, as everywhere. The standard deviation does not depend on where the values lie: add a
#   hundred million to each, as for rates in bit/s, and it is the same.
# Seen: the median is 3; of 1 2 3 10 20 30 it is 10, not 6.5. Where a queue is empty half of the time, the "median" is that of
#   the full one. The deviation is computed from the sum of squares: it is 0 for 100000000.1 to .4. With 0 any difference of
#   two means is "proven".
# Source: ministat.c, Median (points[n / 2]) and Var (syy - sy * sy / n).
# Output seen: "1 2 3 4: median 3, deviation 1.2909944", "1 2 3 10 20 30: median 10, deviation 11.730303", "100000000.1
#   100000000.2 100000000.3 100000000.4: median 1e+08, deviation 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ministat=20150715-1+b1 2>/dev/null || exit 2
dpkg -x ministat*.deb root
shown() {
    tr ' ' '\n' <<<"$1" >values
    root/usr/bin/ministat -A values | awk -v name="$1" '$1 == "x" && NF == 7 {print name ": median " $5 ", deviation " $7}'
}
seen=$(shown "1 2 3 4" && shown "1 2 3 4 5" && shown "1 2 3 10 20 30" &&
    shown "100000000.1 100000000.2 100000000.3 100000000.4" && shown "0.1 0.2 0.3 0.4")
echo "$seen"
[ "$seen" = "1 2 3 4: median 3, deviation 1.2909944
1 2 3 4 5: median 3, deviation 1.5811388
1 2 3 10 20 30: median 10, deviation 11.730303
100000000.1 100000000.2 100000000.3 100000000.4: median 1e+08, deviation 0
0.1 0.2 0.3 0.4: median 0.3, deviation 0.12909944" ] || { echo "changed" >&2; exit 1; }
