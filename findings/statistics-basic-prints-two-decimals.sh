#!/usr/bin/env bash
# Statistics::Basic 1.6611 (Debian libstatistics-basic-perl): a mean of 1.5 ms, in seconds, is printed as 0, and 12345.678 as 12,345.68.
#
# Guess: `mean(0.001, 0.002)` printed is 0.0015, as a number of Perl is; rounding is for who prints (printf).
# Seen: the results are objects that become text with two decimals and commas between thousands: round trips in seconds have the
#   mean 0, a loss rate of 0.4 % is 0, and a rate in bit/s has commas, which make two or three columns of it in a CSV file; read
#   again, "12,345.68" is 12 to Perl. In sums and comparisons the object has its full value, so that what prints as 0
#   is not equal to 0. The variance is divided by n, not n - 1.
# Source: Statistics/Basic.pm, the options ipres (2) and the format of Number::Format; its manual, "ipres".
# Output seen: "text 0, number 0.0015", "text 12,345.68, number 12345.678, read again 12", "variance of 1..4: 1.25"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libstatistics-basic-perl=1.6611-3 libnumber-format-perl=1.75-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.pl <<'PERL'
use Statistics::Basic qw(mean variance);

my $short = mean(0.001, 0.002);
print "text $short, number ", 0 + $short, "\n";
my $long = mean(12345.678);
{
    no warnings "numeric";
    print "text $long, number ", 0 + $long, ", read again ", 0 + "$long", "\n";
}
print "variance of 1..4: ", variance(1 .. 4), "\n";
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "text 0, number 0.0015
text 12,345.68, number 12345.678, read again 12
variance of 1..4: 1.25" ] || { echo "changed" >&2; exit 1; }
