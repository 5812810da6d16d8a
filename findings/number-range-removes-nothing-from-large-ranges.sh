#!/usr/bin/env bash
# Number::Range 0.12 (Debian libnumber-range-perl): what is deleted from a range of more than 1001 numbers stays in it.
#
# Guess: "1..65535" without "2905" has 65534 numbers, 2905 not among them, as "1..1000" without "905" has 999: the manual says of delrange that
#   it deletes ranges from the existing range, and its example deletes the middle of a range. Nothing limits the size.
# Seen: 2905 is in the range, before and after, and the size is 65535. A range that spans more than a thousand is kept as its two ends alone; what
#   is deleted is looked for among the single numbers, or, if it is as large, by the same two ends. Nothing is raised. Where
#   two such ranges overlap, the numbers of both are counted twice: "1..2000,1001..3000" has 4000.
# Source: Number/Range.pm, _addrange, _delrange, _delnumbers (keys "start .. end" of _largeRangehash); max_hash_size.
# Output seen: "1..1000 without 905: 0, 999", "1..65535 without 2905: 1, 65535", "1..65535 without 1..40000: 1, 65535", "overlap: 4000"
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
for (["1..1000", "905", 905], ["1..65535", "2905", 2905], ["1..65535", "1..40000", 2905]) {
    my ($all, $without, $number) = @$_;
    my $range = Number::Range->new($all);
    $range->delrange($without);
    print "$all without $without: ", scalar $range->inrange($number), ", ", $range->size, "\n";
}
print "overlap: ", Number::Range->new("1..2000,1001..3000")->size, "\n";
PERL
seen=$(perl -I root/usr/share/perl5 run.pl 2>/dev/null)
echo "$seen"
[ "$seen" = "1..1000 without 905: 0, 999
1..65535 without 2905: 1, 65535
1..65535 without 1..40000: 1, 65535
overlap: 4000" ] || { echo "changed" >&2; exit 1; }
