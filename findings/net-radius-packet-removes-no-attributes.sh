#!/usr/bin/env bash
# Net::Radius 2.103 (Debian libnet-radius-perl), Net::Radius::Packet: unset_attr(NAME) and unset_vsattr(VENDOR, NAME), as in its manual, remove nothing.
#
# Guess: a proxy that takes a request, removes two attributes and packs it sends the rest; the manual has unset_attr($name) and unset_vsattr($vendor, $name).
# Seen: unset_attr removes an attribute only if it is given its value as a second argument, of which the manual knows nothing; without it nothing
#   happens, silently. unset_vsattr deletes, from the list of vendors, a vendor that has the attribute's name: there is none, and nothing is
#   removed, whatever one passes. Both are on the wire again, a subscriber's IMSI for one. unset_attr_slot, by place, does remove.
# Source: Net/Radius/Packet.pm, unset_attr ($value eq $attr[$i][1]), unset_vsattr (delete $self->{VSAttributes}->{$name}).
# Output seen: "before: 20 + 33 octets", "unset_vsattr: 33", "unset_attr: 33", "unset_attr with the value: 28", "slot: 23"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-radius-perl=2.103+dfsg-1.1 2>/dev/null || exit 2
dpkg -x libnet-radius-perl_*.deb root
cat >dictionary <<'DICTIONARY'
ATTRIBUTE User-Name 1 string
ATTRIBUTE Calling-Station-Id 31 string
VENDOR 3GPP 10415
VENDORATTR 3GPP 3GPP-IMSI 1 string
DICTIONARY
cat >run.pl <<'PL'
use strict;
use warnings;
no warnings "void";
use Net::Radius::Dictionary;
use Net::Radius::Packet;

my $packet = Net::Radius::Packet->new(Net::Radius::Dictionary->new("dictionary"));
$packet->set_code("Access-Request");
$packet->set_identifier(1);
$packet->set_authenticator("x" x 16);
$packet->set_attr("User-Name", "bob");
$packet->set_attr("Calling-Station-Id", "100");
$packet->set_vsattr("3GPP", "3GPP-IMSI", "001010123456789");
my $length = sub { length($packet->pack) - 20 };
print "before: 20 + ", $length->(), " octets\n";
$packet->unset_vsattr("3GPP", "3GPP-IMSI");
print "unset_vsattr: ", $length->(), "\n";
$packet->unset_attr("User-Name");
print "unset_attr: ", $length->(), "\n";
$packet->unset_attr("User-Name", "bob");
print "unset_attr with the value: ", $length->(), "\n";
$packet->unset_attr_slot(0);
print "slot: ", $length->(), "\n";
PL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "before: 20 + 33 octets
unset_vsattr: 33
unset_attr: 33
unset_attr with the value: 28
slot: 23" ] || { echo "changed" >&2; exit 1; }
