#!/usr/bin/env bash
# Convert::ASN1 0.33 (Debian libconvert-asn1-perl 0.33-1): a CHOICE with a tag, written in place, goes out as primitive and is refused from peers.
#
# Guess: "legID [0] CHOICE { sending [0] .., receiving [1] .. }" (CAP's and INAP's LegID, TCAP's and MAP's addresses) is the same as a reference to a
#   CHOICE with that tag: such a tag is always explicit (X.680 §31.2.7), and so constructed (X.690 §8.14.3): a0 03 80 01 01.
# Seen: with a reference it is so; written in place the first octet is 80, the tag of a primitive, around a whole element. A peer's right message is a
#   "decode error a0<=>80". Written and read by the module alone all is well, so a test of its own shows nothing. With the word EXPLICIT,
#   which the standard does not ask for, it is right.
# Source: Convert/ASN1/parser.pm, compile_one: ASN_CONSTRUCTOR is set before a CHOICE with a tag is made explicit.
# Output seen: "in place: 30058003800101, peer's: decode error", "reference: 3005a003800101, peer's: read", "EXPLICIT: 3005a003800101, peer's: read"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libconvert-asn1-perl=0.33-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Convert::ASN1;

my $choice = "CHOICE { sending [0] OCTET STRING, receiving [1] OCTET STRING }";
for (
    ["in place", "Leg ::= SEQUENCE { legID [0] $choice }"],
    ["reference", "LegID ::= $choice Leg ::= SEQUENCE { legID [0] LegID }"],
    ["EXPLICIT", "Leg ::= SEQUENCE { legID [0] EXPLICIT $choice }"],
) {
    my ($name, $text) = @$_;
    my $module = Convert::ASN1->new(encoding => "BER");
    $module->prepare($text) or die $module->error;
    my $leg = $module->find("Leg");
    my $written = unpack "H*", $leg->encode(legID => { sending => "\x01" });
    my $read = $leg->decode(pack "H*", "3005a003800101");
    print "$name: $written, peer's: ", $read ? "read" : $leg->error =~ /(decode error \w+<=>\w+)/, "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "in place: 30058003800101, peer's: decode error a0<=>80
reference: 3005a003800101, peer's: read
EXPLICIT: 3005a003800101, peer's: read" ] || { echo "changed" >&2; exit 1; }
