#!/usr/bin/env bash
# Math::Calc::Units 1.07 (Debian libmath-calc-units-perl): a megabit is 2^20 bits, "Mb" are megabytes, and "Gbit" is no unit.
#
# Guess: a calculator for "network and disk traffic" knows that rates of links are decimal: 1500 bytes at 10 Mbps take 1.2 ms.
#   "b" beside "bps" is a bit, so that 1 Mb at 1 Mbps is a second. A unit that it does not know is an error.
# Seen: 1.144 ms, since M is 2^20 for bits as for bytes; a link of 10 Gbit/s is 7 % too fast. "Mb" and "Gb" are bytes: 1 Mb at
#   1 Mbps are 8 s, while "megabit" is a bit. "1 Gbit / 1 Gbps" has the unit "sec Gbit / byte": an unknown word becomes a unit
#   of its own without a warning.
# Source: Math/Calc/Units/Convert/Base2Metric.pm, and Byte.pm, simple_convert ("mb == megabyte").
# Output seen: "1500 bytes / 10 Mbps: 0.0011444 sec", "1 Mb / 1 Mbps: 8 sec", "1 megabit / 1 Mbps: 1 sec", "1 Gbit / 1 Gbps:
#   7.451e-09 sec Gbit / byte"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libmath-calc-units-perl=1.07-2.1 2>/dev/null || exit 2
dpkg -x libmath*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Math::Calc::Units qw(calc);

for my $text ("1500 bytes / 10 Mbps", "1 Mb / 1 Mbps", "1 megabit / 1 Mbps", "1 Gbit / 1 Gbps") {
    my $result = calc($text);
    $result =~ s/^\(| =.*//g;
    print "$text: $result\n";
}
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "1500 bytes / 10 Mbps: 0.0011444 sec
1 Mb / 1 Mbps: 8 sec
1 megabit / 1 Mbps: 1 sec
1 Gbit / 1 Gbps: 7.451e-09 sec Gbit / byte" ] || { echo "changed" >&2; exit 1; }
