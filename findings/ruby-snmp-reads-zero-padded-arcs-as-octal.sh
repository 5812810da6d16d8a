#!/usr/bin/env bash
# snmp 1.3.2 (Debian ruby-snmp 1.3.2-1): "10.0.0.010" ends in 8 as an index and in 10 as an address, and "10.0.0.x" is an address.
#
# Guess: numbers of an object identifier in dots are decimal, with or without zeros in front, as net-snmp reads them; what is no
#   number is refused, in identifiers as in addresses. An address that is an index of a row reads the same as the address as a
#   value.
# Seen: ObjectId takes Ruby's prefixes: .010 is 8, .0x10 is 16, .0b11 is 3, and .08 is an error, so that names with padded parts,
#   as many lists of equipment have them, ask for rows of others. IpAddress takes what digits it finds: .010 is 10, .08 is 8,
#   "10.0.0.x" is 10.0.0.0 and "10.0.0.0x10" as well, without an error.
# Who cares: tables with addresses as index (ipNetToMedia, SCTP-MIB's remote addresses): the GET names another host.
# Source: snmp/varbind.rb, ObjectId#make_integers (Kernel#Integer) and IpAddress#parse_string (String#to_i).
# Output seen: "10.0.0.010: index 10.0.0.8, address 10.0.0.10", "10.0.0.08: index error, address 10.0.0.8", "10.0.0.x: index error,
#   address 10.0.0.0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-snmp=1.3.2-1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$lib/ruby/vendor_ruby
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "snmp/varbind"

read = ->(type, text) do
  type.new(text).to_s
rescue ArgumentError
  "error"
end
%w[10.0.0.10 10.0.0.010 10.0.0.08 10.0.0.0x10 10.0.0.x].each do |text|
  puts "#{text}: index #{read.call(SNMP::ObjectId, text)}, address #{read.call(SNMP::IpAddress, text)}"
end
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "10.0.0.10: index 10.0.0.10, address 10.0.0.10
10.0.0.010: index 10.0.0.8, address 10.0.0.10
10.0.0.08: index error, address 10.0.0.8
10.0.0.0x10: index 10.0.0.16, address 10.0.0.0
10.0.0.x: index error, address 10.0.0.0" ] || { echo "changed" >&2; exit 1; }
