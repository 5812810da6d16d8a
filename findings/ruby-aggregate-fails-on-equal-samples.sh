#!/usr/bin/env bash
# aggregate 0.2.3 (Debian ruby-aggregate): the deviation of three equal samples of 0.1 is an error, that of three of 1.1 is 0.
#
# Guess: equal samples deviate by 0, or by something near it, and times around a large one by what they differ.
# Seen: the deviation comes from the difference of two large sums, which rounding makes negative now and then: [0.1, 0.1, 0.1] raises
#   Math::DomainError, and so do time stamps of this century that are 100 ms or 1 s apart; stamps a minute apart deviate by 55.4 instead
#   of 60. A report over a steady path ends with an exception that a busy one never shows.
# Source: aggregate.rb, std_dev: (sum2 - sum * sum / count) under the root, without a look at its sign.
# Output seen: "0.1: DomainError", "1.1: 0.0", "tenths: DomainError", "seconds: DomainError", "minutes: 55.4"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-aggregate=0.2.3-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$lib/ruby/vendor_ruby
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "aggregate"

collect = ->(samples) { samples.each_with_object(Aggregate.new) { |sample, statistics| statistics << sample } }
deviation = lambda do |name, samples|
  value = begin
    collect.call(samples).std_dev.round(1)
  rescue Math::DomainError
    "DomainError"
  end
  puts "#{name}: #{value}"
end
deviation.call("0.1", [0.1] * 3)
deviation.call("1.1", [1.1] * 3)
deviation.call("tenths", [1764480000.1, 1764480000.2, 1764480000.3])
deviation.call("seconds", [1764480000.5, 1764480001.5, 1764480002.5])
deviation.call("minutes", [1764480000.5, 1764480060.5, 1764480120.5])
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "0.1: DomainError
1.1: 0.0
tenths: DomainError
seconds: DomainError
minutes: 55.4" ] || { echo "changed" >&2; exit 1; }
