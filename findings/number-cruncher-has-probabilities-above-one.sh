#!/usr/bin/env bash
# Math::NumberCruncher 5.00 (Debian libmath-numbercruncher-perl): the significance of a sign test can be 1.48, and what is sure is impossible.
#
# Guess: SignSignificance(10, 8, 0.5), how likely 8 hits or more are in 10 trials by chance, is the sum of the probabilities of 8, 9 and 10
#   hits, 56 of 1024, 0.0547; for 5 hits or more it is 0.6230. Binomial(10, 10, 1) is 1: what always happens happens ten times.
# Seen: 0.1318 and 1.4766: the probability of the first number is added once for each, 3 times that of 8, 6 times that of 5. With 10 hits it is
#   right. That a path is better in 8 of 10 runs seems more than twice as likely by chance as it is. Binomial with probability 1 gives nothing for
#   10 of 10, and 1 for 3 of 10: the comparison is turned around; with 0.999999 it is right.
# Source: Math/NumberCruncher.pm, SignSignificance (Binomial( $trials, $hits, ...) in a loop over $_), Binomial ($k != $n).
# Output seen: "8 or more: 0.1318, sum 0.0547", "5 or more: 1.4766, sum 0.6230", "sure: 10 of 10 '', 3 of 10 '1'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libmath-numbercruncher-perl=5.00-14 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use Math::NumberCruncher;
for my $hits (8, 5) {
    my $sum = 0;
    $sum += Math::NumberCruncher::Binomial(10, $_, 0.5) for $hits .. 10;
    printf "%d or more: %.4f, sum %.4f\n", $hits, Math::NumberCruncher::SignSignificance(10, $hits, 0.5), $sum;
}
printf "sure: 10 of 10 '%s', 3 of 10 '%s'\n", map { Math::NumberCruncher::Binomial(10, $_, 1) } 10, 3;
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "8 or more: 0.1318, sum 0.0547
5 or more: 1.4766, sum 0.6230
sure: 10 of 10 '', 3 of 10 '1'" ] || { echo "changed" >&2; exit 1; }
