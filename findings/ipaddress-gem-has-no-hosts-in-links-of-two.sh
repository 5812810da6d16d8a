#!/usr/bin/env bash
# ipaddress 0.8.3 (Debian ruby-ipaddress): a /31 has a first and a last host, but no hosts; a /32 has itself as its first host, and none, too.
#
# Guess: the link 192.0.2.0/31 has two hosts (RFC 3021), and the library knows it: `first` is 192.0.2.0 and `last` 192.0.2.1. So `hosts` and
#   `each_host` give these two, and 192.0.2.7/32 gives its own address.
# Seen: `hosts` is empty for both, and `each_host` gives nothing: they leave out the first and the last address always. `first` and `last`, and
#   `broadcast`, ask for the length of the prefix. A loop over the hosts of the networks between routers, which are of this
#   length, tests none of them.
# Source: lib/ipaddress/ipv4.rb, hosts (to_a[1..-2]) and each_host; first and last of the same file.
# Output seen: "/30: 192.0.2.1 to 192.0.2.2, hosts 2, each 2", "/31: 192.0.2.0 to 192.0.2.1, hosts 0, each 0", "/32: 192.0.2.0 to 192.0.2.0, hosts 0, each 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq ruby3.1=3.1.2-7+deb12u1 libruby3.1=3.1.2-7+deb12u1 ruby-ipaddress=0.8.3-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
lib=$folder/root/usr/lib
path=$lib/ruby/3.1.0:$lib/x86_64-linux-gnu/ruby/3.1.0:$folder/root/usr/share/rubygems-integration/all/gems/ipaddress-0.8.3/lib
ruby() { "$folder/root/usr/bin/ruby3.1" --disable=gems -I "$path" "$@"; }
cat >run.rb <<'RUBY'
require "ipaddress"
[30, 31, 32].each do |length|
  network = IPAddress("192.0.2.0/#{length}")
  each = 0
  network.each_host { each += 1 }
  puts "/#{length}: #{network.first} to #{network.last}, hosts #{network.hosts.size}, each #{each}"
end
RUBY
seen=$(ruby run.rb)
echo "$seen"
[ "$seen" = "/30: 192.0.2.1 to 192.0.2.2, hosts 2, each 2
/31: 192.0.2.0 to 192.0.2.1, hosts 0, each 0
/32: 192.0.2.0 to 192.0.2.0, hosts 0, each 0" ] || { echo "changed" >&2; exit 1; }
