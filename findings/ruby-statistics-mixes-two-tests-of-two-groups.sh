#!/usr/bin/env bash
# ruby-statistics 2.1.1 (Debian): an analysis of variance of two groups compares their spread, with the degrees of freedom of the means.
#
# Guess: FTest.one_way_anova of two groups is that of three or more, and the square of a t-test with equal variances: groups with the means 20.6 and 22.7
#   differ with p 0.0005. If it were the ratio of the variances instead, as a comment in the source says, ten values
#   in groups of five would have 4 and 4 degrees of freedom, and two equal groups p 0.5.
# Seen: p is 0.29 for the two groups, and 0.35 for a group with itself: F is the ratio of the variances, but 1 and n - 2 are taken as degrees
#   of freedom, so that it is the right p for neither question. A third group, or the second one once more, makes an analysis of the means
#   out of it.
# Source: lib/statistics/statistical_test/f_test.rb, anova_f_score, "if args.size == 2" (df1 = 1, df2 = n - 2).
# Output seen: "two: F 1.30, 1 and 8, p 0.2867", "itself: F 1.00, 1 and 8, p 0.3466", "three: p 0.0001"
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
Test = Statistics::StatisticalTest::FTest
short = [20.1, 21.3, 19.8, 20.7, 21.0]
long = [22.4, 23.0, 21.9, 23.3, 22.8]
{ "two" => [short, long], "itself" => [short, short] }.each do |name, groups|
  score, above, below = Test.anova_f_score(*groups)
  puts format("%s: F %.2f, %d and %d, p %.4f", name, score, above, below, Test.one_way_anova(0.05, *groups)[:p_value])
end
puts format("three: p %.4f", Test.one_way_anova(0.05, short, long, long)[:p_value])
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "two: F 1.30, 1 and 8, p 0.2867
itself: F 1.00, 1 and 8, p 0.3466
three: p 0.0001" ] || { echo "changed" >&2; exit 1; }
