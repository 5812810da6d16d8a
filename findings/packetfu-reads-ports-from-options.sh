#!/usr/bin/env bash
# PacketFu 1.1.11 (Debian ruby-packetfu): in a packet with an option of IPv4, ports, length and payload of UDP are read from the option.
#
# Guess: the header of UDP begins behind the options, where the header length (IHL, RFC 791 §3.1) says: 40000 and 2905 with or without a router
#   alert (RFC 2113, 4 bytes). The packet has methods for the length, ip_hl and ip_hlen, and both are right, 6 and 24.
# Seen: the body of IPv4 begins at the 20th byte always. With a router alert the ports are 37892 and 0, the option itself (94 04, 00 00), and the payload
#   has half of the header of UDP before it; TCP is read the same way. Such a packet counts for ports that nobody used.
# Source: packetfu/protos/ip/header.rb, IPHeader#read (str[20,str.size]).
# Output seen: "no option: 40000 2905 4", "router alert: 37892 0 8, header of 24"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-packetfu=1.1.11-2.1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$lib/ruby/vendor_ruby
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "packetfu"
ethernet = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0].pack("C*")
udp = [40_000, 2905, 12, 0].pack("n4") + "data"
{ "no option" => [], "router alert" => [0x94, 4, 0, 0] }.each do |name, option|
  length = 20 + option.size
  fields = [0x40 | length / 4, 0, length + udp.size, 1, 0, 64, 17, 0, 192, 0, 2, 1, 192, 0, 2, 2]
  packet = PacketFu::Packet.parse(ethernet + fields.pack("CCnnnCCnC8") + option.pack("C*") + udp)
  print "#{name}: #{packet.udp_sport} #{packet.udp_dport} #{packet.payload.size}"
  puts option.empty? ? "" : ", header of #{packet.ip_hlen}"
end
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "no option: 40000 2905 4
router alert: 37892 0 8, header of 24" ] || { echo "changed" >&2; exit 1; }
