#!/usr/bin/env bash
# tcllib 1.21 (Debian), math::statistics: the significance of a linear regression is too large by the root of the sample size.
#
# Guess: "significance level of B", the last number of `linear-model`, is t: the slope divided by its standard error, which
#   stands before it. For ten values it is to be compared with 2.31 (95 %, 8 degrees of freedom).
# Seen: it is t times the square root of n - 2. A slope of noise, t 1.05, is given as 2.97, "significant at 98 %"; with 1000
#   samples everything is significant by a factor of 32. Round trips seem to drift, clocks to be skew. The number that is
#   called "degrees of freedom" is n, not n - 2. Slope, standard errors and R2 are right.
# Source: modules/math/statistics.tcl, linear-model ($B/$seB*sqrt($df-2), $A/$seA*sqrt($df-2)).
# Output seen: "slope 0.1394, standard error 0.1326, quotient 1.05, given 2.97, degrees of freedom 10"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq tcllib=1.21+dfsg-1 {tcl8.6,libtcl8.6}=8.6.13+dfsg-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
library=$(dirname "$(find root -path '*/math/statistics.tcl')")
[ -d "$library" ] || exit 2
cat >run.tcl <<'TCL'
lappend auto_path [lindex $argv 0]
package require math::statistics
set times {1 2 3 4 5 6 7 8 9 10}
set round_trips {20.3 21.0 19.1 20.8 22.4 19.5 20.9 23.0 20.2 21.6}
foreach {intercept slope deviation r2 freedom error_a t_a error_b t_b} [math::statistics::linear-model $times $round_trips] break
puts [format "slope %.4f, standard error %.4f, quotient %.2f, given %.2f, degrees of freedom %d" \
    $slope $error_b [expr $slope / $error_b] $t_b $freedom]
TCL
seen=$(LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu TCL_LIBRARY=root/usr/share/tcltk/tcl8.6 root/usr/bin/tclsh8.6 run.tcl \
    "$library")
echo "$seen"
[ "$seen" = "slope 0.1394, standard error 0.1326, quotient 1.05, given 2.97, degrees of freedom 10" ] || {
    echo "changed" >&2; exit 1; }
