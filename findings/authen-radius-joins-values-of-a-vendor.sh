#!/usr/bin/env bash
# Authen::Radius 0.32 (Debian libauthen-radius-perl): of several values in one attribute of a vendor the first has all the others.
#
# Guess: a Vendor-Specific attribute can hold more than one attribute of the vendor (RFC 2865 §5.26); each has its own octet of
#   length, and get_attributes lists them all. A value that comes from the list can go back into a request, as State and Class
#   must, unchanged.
# Seen: the first vendor's length is read and not used: the value goes on over type and length of the next attributes to the end,
#   and these are not listed. "a=1" and "b=2" are one value of eight characters, with 01 and 05 in it; of two integers the first is
#   right, the second gone. Octets are listed as a text "0x6162", and written as those characters, six octets in place of two.
# Who cares: rules for a subscriber, as several Cisco-AVPair; access lists whose first line is damaged and whose others are
#   missing.
# Source: Authen/Radius.pm, get_attributes (`( $vendor_id, $id, $length, $rawvalue ) = unpack( 'NCCa*', ...`); _decode_octets and
#   _encode_octets.
# Output seen: "apart: Cisco-AVPair=a=1 Cisco-AVPair=b=2", "together: Cisco-AVPair=a=1<01><05>b=2", "State: 6162 becomes
#   307836313632"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libauthen-radius-perl=0.32-1 libdata-hexdump-perl=0.04-2 libnet-ip-perl=1.26-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >dictionary <<'TEXT'
ATTRIBUTE	State	24	octets
ATTRIBUTE	Vendor-Specific	26	octets
VENDOR	Cisco	9
BEGIN-VENDOR	Cisco
ATTRIBUTE	Cisco-AVPair	1	string
END-VENDOR	Cisco
TEXT
cat >run.pl <<'PERL'
use strict;
use warnings;
use Authen::Radius;

Authen::Radius->load_dictionary("dictionary");
my $radius = Authen::Radius->new(Host => "127.0.0.1:1812", Secret => "secret");
sub attribute { pack "CCa*", $_[0], 2 + length $_[1], $_[1] }
sub vendor { attribute(26, pack("N", 9) . join "", map { attribute(1, $_) } @_) }
sub show {
    my ($name, $octets) = @_;
    $radius->{attributes} = $octets;
    my $text = join " ", map { "$_->{Name}=$_->{Value}" } $radius->get_attributes;
    print "$name: ", $text =~ s/([^ -~])/sprintf "<%02x>", ord $1/ger, "\n";
}
show("apart", vendor("a=1") . vendor("b=2"));
show("together", vendor("a=1", "b=2"));
$radius->{attributes} = attribute(24, "ab");
my ($state) = $radius->get_attributes;
$radius->clear_attributes;
$radius->add_attributes({ Name => "State", Value => $state->{Value} });
print "State: 6162 becomes ", unpack("H*", substr $radius->{attributes}, 2), "\n";
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "apart: Cisco-AVPair=a=1 Cisco-AVPair=b=2
together: Cisco-AVPair=a=1<01><05>b=2
State: 6162 becomes 307836313632" ] || { echo "changed" >&2; exit 1; }
