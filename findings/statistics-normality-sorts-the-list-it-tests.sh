#!/usr/bin/env bash
# Statistics::Normality 0.01 (Debian libstatistics-normality-perl): its test of Shapiro and Wilk sorts the caller's list, and misjudges less than twelve values.
#
# Guess: shapiro_wilk_test(\@round_trips) reads the list, so that it is as before; and for eleven values, from six on are allowed, p is that of Royston
#   1992, 0.0067 for the weights of Shapiro's and Wilk's own article, as R says.
# Seen: the list is sorted behind the call, in place: a drift, an autocorrelation or a smoothing that is computed from it next is that of a
#   rising line. p is 0.0098, since the transformation is always that for 12 to 2000 values; Royston has another one for 4 to 11,
#   and eight values with one outlier have 0.0024 instead of 0.0008. W itself is right.
# Source: Statistics/Normality.pm, shapiro_wilk_test (@{$sample_distribution} = sort ...; log (1 - $w_statistic)); Royston 1992, AS R94.
# Output seen: "weights: W 0.7888, p 0.0098, of Royston 0.0067", "before 20.1 25.9 19.8 20.7, behind 19.8 20.1 20.4 20.6"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libstatistics-normality-perl=0.01-2 libstatistics-distributions-perl=1.02-1.1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.pl <<'PERL'
use strict;
use Statistics::Distributions;
use Statistics::Normality;
my @weights = (148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236);
my ($p, $w) = Statistics::Normality::shapiro_wilk_test(\@weights);
my $n = @weights;
my $value = -log(0.459 * $n - 2.273 - log(1 - $w));
my $mean = 0.544 - 0.39978 * $n + 0.025054 * $n**2 - 0.0006714 * $n**3;
my $deviation = exp(1.3822 - 0.77857 * $n + 0.062767 * $n**2 - 0.0020322 * $n**3);
my $royston = Statistics::Distributions::uprob(($value - $mean) / $deviation);
printf "weights: W %.4f, p %.4f, of Royston %.4f\n", $w, $p, $royston;
my @round_trips = (20.1, 25.9, 19.8, 20.7, 21.0, 21.3, 20.4, 20.6);
my $before = "@round_trips[0 .. 3]";
Statistics::Normality::shapiro_wilk_test(\@round_trips);
print "before $before, behind @round_trips[0 .. 3]\n";
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "weights: W 0.7888, p 0.0098, of Royston 0.0067
before 20.1 25.9 19.8 20.7, behind 19.8 20.1 20.4 20.6" ] || { echo "changed" >&2; exit 1; }
