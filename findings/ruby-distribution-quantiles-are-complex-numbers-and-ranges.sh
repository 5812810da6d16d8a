#!/usr/bin/env bash
# distribution 0.7.3 (Debian ruby-distribution): the median of a Weibull distribution is a complex number, that of a large Poisson one is "0..100".
#
# Guess: Weibull.p_value(0.5, 2, 1) is the value whose cumulative probability is 0.5, 0.8326, and Poisson.p_value(0.5, 200), packets that arrive at a
#   rate of 200, is 200; smaller rates, 20, give a whole number, and the cumulative function says 0.5 of 0.8326.
# Seen: -0.8326i for shape 2, another complex number for 3: the sign stands before the root, which is then that of a negative number; shape 1 is
#   right. Poisson sums from 0 to 100 and, if that was not enough, gives what Ruby's loop gives, the range 0..100 itself, on
#   which a later comparison raises.
# Source: lib/distribution/weibull/ruby.rb, p_value (-lam*(Math.log(1.0-y))**(1.0/k)); lib/distribution/poisson/ruby.rb, p_value.
# Output seen: "weibull 1: 0.6931", "weibull 2: Complex, cdf of 0.8326 is 0.5000", "poisson 20: 20", "poisson 200: 0..100"
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
weibull = Distribution::Weibull
puts format("weibull 1: %.4f", weibull.p_value(0.5, 1.0, 1.0))
puts format("weibull 2: %s, cdf of 0.8326 is %.4f", weibull.p_value(0.5, 2.0, 1.0).class, weibull.cdf(0.8326, 2.0, 1.0))
[20, 200].each { |rate| puts "poisson #{rate}: #{Distribution::Poisson.p_value(0.5, rate)}" }
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "weibull 1: 0.6931
weibull 2: Complex, cdf of 0.8326 is 0.5000
poisson 20: 20
poisson 200: 0..100" ] || { echo "changed" >&2; exit 1; }
