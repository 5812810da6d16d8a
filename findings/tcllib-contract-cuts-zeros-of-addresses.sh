#!/usr/bin/env bash
# tcllib 1.21 (Debian), ip::contract: 10.0.0.10 becomes 10.0.0.1, and 192.0.2.200 becomes 192.0.2.2.
#
# Guess: "the shortest form of an address" leaves out whole octets of zero at the end, as the package reads them back:
#   10.0.0.0 is 10, 192.168.0.0 is 192.168. Whatever comes out, `ip::normalize` gives the address that went in.
# Seen: all dots and zeros at the end are cut, those of the last number as well. One in ten addresses becomes another valid
#   one, without an error: 10.0.0.10, .20 and .100, .200 are .1, .2 and .1, .2. 10.0.0.0 is the empty text's neighbour "1",
#   which is read as 1.0.0.0. For IPv6 the form is right, though it is the first run of zeros that goes, not the longest (RFC
#   5952 §4.2.3).
# Source: modules/dns/ip.tcl, ip::contract (string trimright $s .0).
# Output seen: "10.0.0.10 -> 10.0.0.1 -> 10.0.0.1", "10.0.0.0 -> 1 -> 1.0.0.0", "192.0.2.200 -> 192.0.2.2 -> 192.0.2.2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq tcllib=1.21+dfsg-1 {tcl8.6,libtcl8.6}=8.6.13+dfsg-2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
library=$(dirname "$(find root -path '*/dns/ip.tcl')")
[ -d "$library" ] || exit 2
cat >run.tcl <<'TCL'
source [lindex $argv 0]
foreach address {192.168.0.0 192.0.2.1 10.0.0.10 192.0.2.200 10.0.0.0} {
    set short [ip::contract $address]
    puts "$address -> $short -> [ip::normalize $short]"
}
puts "2001:db8:0:0:1:0:0:0 -> [ip::contract 2001:db8:0:0:1:0:0:0]"
TCL
seen=$(LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu TCL_LIBRARY=root/usr/share/tcltk/tcl8.6 root/usr/bin/tclsh8.6 run.tcl \
    "$library/ip.tcl")
echo "$seen"
[ "$seen" = "192.168.0.0 -> 192.168 -> 192.168.0.0
192.0.2.1 -> 192.0.2.1 -> 192.0.2.1
10.0.0.10 -> 10.0.0.1 -> 10.0.0.1
192.0.2.200 -> 192.0.2.2 -> 192.0.2.2
10.0.0.0 -> 1 -> 1.0.0.0
2001:db8:0:0:1:0:0:0 -> 2001:db8::1:0:0:0" ] || { echo "changed" >&2; exit 1; }
