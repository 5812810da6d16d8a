#!/usr/bin/env bash
# Protocol::OSC 0.09 (Debian libprotocol-osc-perl): a 64-bit integer is one octet, the first digit of its decimal text, and a double is nothing at all.
#
# Guess: "Typetag supports these OSC-types: ifstdbht": h is a big-endian integer of eight octets and d a double (Open Sound Control 1.0, OSC type tags), and message and parse
#   are each other's opposite.
# Seen: 1099511627776 with h is the octet 01, no multiple of four, as the template letter is Perl's h, a string of hexadecimal digits, lowest nibble first; with d the octets are missing,
#   while the tag says that they are there. A message of others with h and i gives a digit, and the next octets of the number as the integer. i, f, s, b and t are right.
# Source: Protocol/OSC.pm, %converter: "h h", and no d.
# Output seen: "h: 2f6100002c680000 01", "d: 2f6100002c640000 ", "i: 2f6100002c690000 00000007", "hi of others: 0 65536"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libprotocol-osc-perl=0.09-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Protocol::OSC;
my $osc = Protocol::OSC->new;
for my $message (["h", 2**40], ["d", 1.5], ["i", 7]) {
    my $octets = unpack "H*", $osc->message("/a", @$message);
    print "$message->[0]: ", substr($octets, 0, 16), " ", substr($octets, 16), "\n";
}
my $others = pack("a4 a4 q> N", "/a", ",hi", 2**40, 7);
print "hi of others: ", join(" ", $osc->parse($others)->args), "\n";
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "h: 2f6100002c680000 01
d: 2f6100002c640000 
i: 2f6100002c690000 00000007
hi of others: 0 65536" ] || { echo "changed" >&2; exit 1; }
