#!/usr/bin/env bash
# NetAddr 1.5.1 (Debian ruby-netaddr): an address of IPv6 with three runs of zeros is shortened to another address.
#
# Guess: of 2001:db8:0:1:0:2:0:0 the longest run of zeros, the last two groups, becomes "::" (RFC 5952 §4.2), 2001:db8:0:1:0:2::, and any
#   short form stands for the address that it was made from.
# Seen: 2001:db8:0:1::, which is 2001:db8:0:1:0:0:0:0; the 2 is gone. The beginning of a run is forgotten only if the run was the longest so far; after
#   one that was not, the next one seems to begin there, and everything between the two is cut. Two runs, or three in falling order, are right. The short
#   form is what the library prints with :Short, so that a list of networks can name some that are not in it.
# Source: lib/methods.rb, shorten: start_field, end_field = nil, nil stands inside "if (consecutive > longest)".
# Output seen: "2001:db8:0:1:0:2:0:0 2001:db8:0:1:: another", "2001:0:1:0:2:0:0:3 2001:0:1::3 another", "2001:0:0:1:0:2:0:0 2001::1:0:2:0:0 the same"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-netaddr=1.5.1-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$folder/root/usr/share/rubygems-integration/all/gems/netaddr-1.5.1/lib
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "ipaddr"
require "netaddr"
%w[2001:db8:0:1:0:2:0:0 2001:0:1:0:2:0:0:3 2001:0:0:1:0:2:0:0].each do |address|
  short = NetAddr::CIDR.create(address.dup).ip(Short: true)
  puts "#{address} #{short} #{IPAddr.new(short) == IPAddr.new(address) ? "the same" : "another"}"
end
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "2001:db8:0:1:0:2:0:0 2001:db8:0:1:: another
2001:0:1:0:2:0:0:3 2001:0:1::3 another
2001:0:0:1:0:2:0:0 2001::1:0:2:0:0 the same" ] || { echo "changed" >&2; exit 1; }
