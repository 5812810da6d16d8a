#!/usr/bin/env bash
# ruby-statistics 2.1.1 (Debian): the p of a paired t-test in both tails is up to 2, and depends on which sample is named first.
#
# Guess: round trips before and after a change, each 2 ms longer after it, give p 0.0002 in both tails, whichever is named first: t only changes
#   its sign, and a probability is at most 1. A mean against a number, the same test of one sample, gives that p, too.
# Seen: p is 1.9998 and the change not significant if the shorter ones come first, 0.0002 and significant if they come second: twice the
#   part above t is taken without the absolute value, which `perform` of the same class takes. A sample against a number has
#   one degree of freedom too many there, so that five values have p 0.0915 instead of 0.1055.
# Source: lib/statistics/statistical_test/t_test.rb, paired_test (p_value *= 2) and perform (degrees_of_freedom = args[1].size).
# Output seen: "before, after: 1.9998 false", "after, before: 0.0002 true", "against 20: perform 0.0915, paired 0.1055"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-statistics=2.1.1-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$folder/root/usr/share/rubygems-integration/all/gems/ruby-statistics-2.1.1/lib
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "statistics"
Test = Statistics::StatisticalTest::TTest
before = [20.1, 21.3, 19.8, 20.7, 21.0]
after = [22.4, 23.0, 21.9, 23.3, 22.8]
{ "before, after" => [before, after], "after, before" => [after, before] }.each do |name, samples|
  result = Test.paired_test(0.05, :two_tail, *samples)
  puts format("%s: %.4f %s", name, result[:p_value], result[:alternative])
end
alone = Test.perform(0.05, :two_tail, 20, before)[:p_value]
paired = Test.paired_test(0.05, :two_tail, before, [20] * 5)[:p_value]
puts format("against 20: perform %.4f, paired %.4f", alone, paired)
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "before, after: 1.9998 false
after, before: 0.0002 true
against 20: perform 0.0915, paired 0.1055" ] || { echo "changed" >&2; exit 1; }
