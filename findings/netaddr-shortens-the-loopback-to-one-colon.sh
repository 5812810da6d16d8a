#!/usr/bin/env bash
# NetAddr 1.5.1 (Debian ruby-netaddr): the short form of ::1 is ":1", that of :: is empty, and the default route of IPv6 is written "/0".
#
# Guess: CIDR.create("::1").ip(:Short => true) is "::1", that of "::" is "::", and ::/0 is "::/0" (RFC 4291 §2.2, RFC 5952 §4.2); "2001:db8::1" and
#   "2001:db8::" come out right, and what was written short can be read again by the same library.
# Seen: one colon is missing where the zeros that are cut begin the address. ":1" is refused by CIDR.create, as by everybody else, and the empty
#   text and "/0" name no address at all. The parts are put together with one empty part for the zeros, which needs another one at the
#   beginning. Addresses whose zeros are in the middle or at the end, as those of most networks, are right.
# Source: lib/methods.rb, shorten; lib/cidr.rb, ip and to_s with :Short.
# Output seen: "::1 ':1' ValidationError", ":: '' ValidationError", "2001:db8::1 '2001:db8::1' read again", "::/0 '/0'"
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
require "netaddr"
["::1", "::", "2001:db8::1", "2001:db8::"].each do |address|
  short = NetAddr::CIDR.create(address).ip(Short: true)
  again = begin
    NetAddr::CIDR.create(short.dup).ip(Short: true) == short ? "read again" : "another"
  rescue StandardError => error
    error.class.name.split("::").last
  end
  puts "#{address} '#{short}' #{again}"
end
puts "::/0 '#{NetAddr::CIDR.create("::/0").to_s(Short: true)}'"
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "::1 ':1' ValidationError
:: '' ValidationError
2001:db8::1 '2001:db8::1' read again
2001:db8:: '2001:db8::' read again
::/0 '/0'" ] || { echo "changed" >&2; exit 1; }
