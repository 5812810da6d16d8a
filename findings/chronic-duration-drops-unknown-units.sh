#!/usr/bin/env bash
# gitlab-chronic-duration 0.10.6.2 (Debian ruby-chronic-duration): "500 ms" is 500 seconds, and "-5 s" is 5.
#
# Guess: "nil is returned if the string can't be parsed" (README): milliseconds are known, or else the result is nil, so that a program
#   that reads timers of a transport from its configuration sees the error at once.
# Seen: a word that is no unit is left out, and a number without a unit counts as seconds: 500 ms are 500 s, and "1 s 500 ms" is 501. So are
#   signs, exponents and commas: "-5 s" is 5, "1e3 s" is 3, "1,500 s" is 500. nil comes only if no number is left. All five are errors
#   with raise_exceptions, which is off unless somebody sets it for the whole program.
# Source: gitlab_chronic_duration.rb, cleanup: float_matcher scans for digits, and unknown words raise only if asked to.
# Output seen: "500 ms: 500", "1 s 500 ms: 501", "-5 s: 5", "1e3 s: 3", "1,500 s: 500", "strict: 5 errors"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-chronic-duration=0.10.6.2-2 ruby-numerizer=0.2.0-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$lib/ruby/vendor_ruby
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "gitlab_chronic_duration"

texts = ["500 ms", "1 s 500 ms", "-5 s", "1e3 s", "1,500 s"]
texts.each { |text| puts "#{text}: #{ChronicDuration.parse(text).inspect}" }
ChronicDuration.raise_exceptions = true
errors = texts.count do |text|
  ChronicDuration.parse(text)
  false
rescue ChronicDuration::DurationParseError
  true
end
puts "strict: #{errors} errors"
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "500 ms: 500
1 s 500 ms: 501
-5 s: 5
1e3 s: 3
1,500 s: 500
strict: 5 errors" ] || { echo "changed" >&2; exit 1; }
