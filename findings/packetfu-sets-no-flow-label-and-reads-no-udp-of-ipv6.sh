#!/usr/bin/env bash
# PacketFu 1.1.11 (Debian ruby-packetfu): class and flow label of IPv6 cannot be set, and UDP over IPv6 that it wrote is not read as UDP.
#
# Guess: `ipv6_class = 0xb8` and `ipv6_label = 5` work as `ipv6_hop = 5` does, and Packet.parse of a UDPPacket with `on_ipv6`, which is written right, is
#   a UDPPacket again, since it is one for IPv4.
# Seen: both raise a NameError: "no member 'ip_class' in struct". The setters name members of IPv4 that the header of IPv6 has not; the only way is the
#   constructor. The packet that was written is read as IPv6Packet without ports: UDPPacket asks whether it could be IPv4
#   first. TCPPacket, which can be built on IPv6 as well, asks the same.
# Source: packetfu/protos/ipv6/header.rb, ipv6_v=, ipv6_class=, ipv6_label=; packetfu/protos/udp.rb and tcp.rb, can_parse?.
# Output seen: "hop 5", "class NameError", "label NameError", "written UDPPacket, read IPv6Packet"
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
packet = PacketFu::UDPPacket.new(on_ipv6: true)
packet.ipv6_saddr = "2001:db8::1"
packet.ipv6_daddr = "2001:db8::2"
packet.udp_dport = 2905
packet.payload = "data"
packet.recalc
{ "hop" => 5, "class" => 0xb8, "label" => 5 }.each do |name, value|
  packet.ipv6_header.send("ipv6_#{name}=", value)
  puts "#{name} #{packet.ipv6_header.send("ipv6_#{name}")}"
rescue NameError => error
  puts "#{name} #{error.class}"
end
short = ->(one) { one.class.name.split("::").last }
puts "written #{short[packet]}, read #{short[PacketFu::Packet.parse(packet.to_s)]}"
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "hop 5
class NameError
label NameError
written UDPPacket, read IPv6Packet" ] || { echo "changed" >&2; exit 1; }
