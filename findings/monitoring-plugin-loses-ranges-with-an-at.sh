#!/usr/bin/env bash
# Monitoring::Plugin 0.40 (Debian libmonitoring-plugin-perl 0.40-1): performance data loses a range "@10:20" and all that stands behind it.
#
# Guess: parse_perfstring gives warning and critical as ranges, in the form that the same package's Range reads and writes, "@" for "inside"
#   (monitoring plugins' guidelines, threshold and ranges), and perfoutput writes what was read. A number may have an exponent.
# Seen: the pattern has no "@", and as each part of it is optional, it ends there: a warning "@10:20" is lost with the critical value, minimum and
#   maximum behind it, with no error, and a graph or a second check has no limits. "1.5E-4s", as Java writes it, is 1.5 of the unit "E" with
#   a warning at -4; "1.5e-4s" is right. A value "U", unknown, which perfoutput writes itself, makes the entry vanish.
# Source: Monitoring/Plugin/Performance.pm, _parse ($value_re, $value_with_negative_infinity).
# Output seen: "rta=5ms;@10:20;30;0;100: 5 ms, limits none", "rta=1.5E-4s;1;2: 1.5 E, limits -4", "rta=U;1;2: nothing"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libmonitoring-plugin-perl=0.40-1 libclass-accessor-perl libparams-validate-perl libmodule-implementation-perl \
    libmodule-runtime-perl libtry-tiny-perl libmath-calc-units-perl 2>/dev/null || exit 2
for package in ./*.deb; do dpkg -x "$package" root; done
cat >run.pl <<'PERL'
use strict;
use warnings;
use Monitoring::Plugin::Performance;

for my $text (qw(rta=5ms;10:20;30;0;100 rta=5ms;@10:20;30;0;100 rta=1.5e-4s;1;2 rta=1.5E-4s;1;2 rta=U;1;2)) {
    my ($found) = Monitoring::Plugin::Performance->parse_perfstring($text);
    my $limits = $found ? join " ", grep { defined } $found->warning, $found->critical, $found->min, $found->max : "";
    print "$text: ", $found ? $found->value . " " . $found->uom . ", limits " . ($limits || "none") : "nothing", "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5:$folder/root/usr/lib/x86_64-linux-gnu/perl5/5.36 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "rta=5ms;10:20;30;0;100: 5 ms, limits 10:20 30 0 100
rta=5ms;@10:20;30;0;100: 5 ms, limits none
rta=1.5e-4s;1;2: 0.00015 s, limits 1 2
rta=1.5E-4s;1;2: 1.5 E, limits -4
rta=U;1;2: nothing" ] || { echo "changed" >&2; exit 1; }
