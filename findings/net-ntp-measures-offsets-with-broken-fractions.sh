#!/usr/bin/env bash
# net-ntp 2.1.3 (Debian ruby-net-ntp): between two equal clocks it measures an offset of up to half a second.
#
# Guess: a client writes its time into the request, the server copies it, and the offset is (T2 - T1 + T3 - T4) / 2 (RFC 5905 §8): with the server
#   in the same program, and a clock that stands still, it is 0. Who compares the time stamps of two hosts' captures needs just that.
# Seen: the fraction of the request's time is computed from the whole time, whose seconds make the first step ten digits long, and each digit
#   becomes a bit. At the full second the request says .804, and the offset is half of that. The rest of the
#   answer is odd as well: -23, the usual exponent of a clock's precision, is -22, a root dispersion of 20 ms is 0, and a root
#   delay of 1.25 s is .25 s, since one has its whole and the other its fractional part only.
# Source: lib/net/ntp/ntp.rb: frac2bin(client_adj_localtime), precision (less 255), root_delay (delay_fb), root_dispersion (disp).
# Output seen: "at 0.0: offset -0.402", "precision -22, delay 0.25, dispersion 0", "at 0.25: offset -0.278", "at 0.6: offset -0.103"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-net-ntp=2.1.3-4 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$lib/ruby/vendor_ruby:$folder/root/usr/share/rubygems-integration/all/gems/net-ntp-2.1.3/lib
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "net/ntp"

server = UDPSocket.new
server.bind("127.0.0.1", 0)
thread = Thread.new do
  [0.0, 0.25, 0.6].each do |fraction|
    request, sender = server.recvfrom(100)
    seconds = 1764480000 + Net::NTP::NTP_ADJ
    stamp = [seconds, (fraction * 2**32).to_i].pack("N2")
    head = [0x24, 1, 6, -23, 0x00014000, 0x0000051e].pack("C3cN2") + "GPS\0"
    server.send(head + stamp + request[40, 8] + stamp + stamp, 0, sender[3], sender[1])
  end
end
[0.0, 0.25, 0.6].each do |fraction|
  Time.define_singleton_method(:now) { Time.at(1764480000 + fraction) }
  answer = Net::NTP.get("127.0.0.1", server.addr[1], 5)
  puts "at #{fraction}: offset #{answer.offset.round(3)}"
  next unless fraction.zero?
  puts "precision #{answer.precision}, delay #{answer.root_delay}, dispersion #{answer.root_dispersion}"
end
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "at 0.0: offset -0.402
precision -22, delay 0.25, dispersion 0
at 0.25: offset -0.278
at 0.6: offset -0.103" ] || { echo "changed" >&2; exit 1; }
