#!/usr/bin/env bash
# Number::Range 0.12 (Debian libnumber-range-perl): in scalar context, several numbers count as in the range if the first one is.
#
# Guess: `if ($range->inrange(2905, 9999))` is true if both ports are in the range; the manual: in scalar context a single 1 if all are true,
#   a single 0 if one of them failed. In list context there is one answer for each.
# Seen: 1 for (2905, 9999), 0 for (9999, 2905): "return 1" stands inside the loop, behind the question for the first number, so that no
#   other is looked at. In list context the answers are right, 1 and 0.
# Source: Number/Range.pm, inrange, the last loop.
# Output seen: "2905 9999: 1", "9999 2905: 0", "list: 1 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnumber-range-perl=0.12-2 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use Number::Range;
my $range = Number::Range->new("2904..2910");
print "2905 9999: ", scalar $range->inrange(2905, 9999), "\n";
print "9999 2905: ", scalar $range->inrange(9999, 2905), "\n";
print "list: ", join(" ", $range->inrange(2905, 9999)), "\n";
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "2905 9999: 1
9999 2905: 0
list: 1 0" ] || { echo "changed" >&2; exit 1; }
