#!/usr/bin/env bash
# Net::IPv6Addr 1.02 (Debian libnet-ipv6addr-perl 1.02-1): 1:2:3:4:5:6:7:0 is written as "1:2:3:4:5:6:7:", which is no address, and 0:2:3:4:5:6:7:8 with one colon in front.
#
# Guess: a single group of zeros is either written as 0 (RFC 5952 §4.2.2) or, as RFC 4291 §2.2 allows, as "::"; what to_string_compressed gives can be read by the package itself.
# Seen: at either end a lone group of zeros becomes one colon: the text is refused by new, and by inet_pton. In the middle "::" is written, against RFC 5952, and read. Addresses with
#   more zeros, as most are, are right; but the first address of each /112 may be of this kind.
# Source: Net/IPv6Addr.pm, to_string_compressed.
# Output seen: "1:2:3:4:5:6:7:0: 1:2:3:4:5:6:7:, refused", "0:2:3:4:5:6:7:8: :2:3:4:5:6:7:8, refused", "2001:db8:0:0:1:0:0:1: 2001:db8::1:0:0:1, read"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-ipv6addr-perl=1.02-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Net::IPv6Addr;
for my $address ("1:2:3:4:5:6:7:0", "0:2:3:4:5:6:7:8", "2001:db8:0:0:1:0:0:1") {
    my $text = Net::IPv6Addr->new($address)->to_string_compressed;
    my $back = eval { Net::IPv6Addr->new($text) };
    print "$address: $text, ", $back ? "read" : "refused", "\n";
}
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "1:2:3:4:5:6:7:0: 1:2:3:4:5:6:7:, refused
0:2:3:4:5:6:7:8: :2:3:4:5:6:7:8, refused
2001:db8:0:0:1:0:0:1: 2001:db8::1:0:0:1, read" ] || { echo "changed" >&2; exit 1; }
