#!/usr/bin/env bash
# distribution 0.7.3 (Debian ruby-distribution): the density of the logistic distribution has an area of pi / 2.
#
# Guess: Logistic.pdf(0, 0, 1) is 0.25, the slope of Logistic.cdf there, and the area of all densities is 1, as for the other distributions of the
#   library.
# Seen: 0.5, twice the slope, and an area of 1.5708: the square is that of the exponential in the denominator alone, 1 + e^-2x, where the density has
#   the square of the whole, (1 + e^-x)^2. The cumulative function and the quantiles are right. A likelihood of round trips that is
#   compared with that of a normal distribution is too large, the more so the nearer the values are to the middle.
# Source: lib/distribution/logistic/ruby.rb, pdf (s*(1+Math.exp(...)**2)).
# Output seen: "density 0.5000, slope 0.2500", "area of logistic 1.5708, of normal 1.0000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-distribution=0.7.3+dfsg-1.1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib/ruby
prime=$(echo "$lib"/gems/3.1.0/gems/prime-*/lib)
path=$lib/3.1.0:$folder/root/usr/lib/x86_64-linux-gnu/ruby/3.1.0:$lib/vendor_ruby:$prime
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "distribution"
logistic = Distribution::Logistic
slope = (logistic.cdf(0.001, 0.0, 1.0) - logistic.cdf(-0.001, 0.0, 1.0)) / 0.002
puts format("density %.4f, slope %.4f", logistic.pdf(0.0, 0.0, 1.0), slope)
area = ->(density) { (-4000..4000).sum { |step| density[step / 100.0] / 100.0 } }
sums = [->(x) { logistic.pdf(x, 0.0, 1.0) }, ->(x) { Distribution::Normal.pdf(x) }].map(&area)
puts format("area of logistic %.4f, of normal %.4f", *sums)
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "density 0.5000, slope 0.2500
area of logistic 1.5708, of normal 1.0000" ] || { echo "changed" >&2; exit 1; }
