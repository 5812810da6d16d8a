#!/usr/bin/env bash
# Convert::ASN1 0.33 (Debian libconvert-asn1-perl 0.33-1): a REAL of base 8 or 16 is read thousands of times too large, a canonical decimal not at all.
#
# Guess: all forms of X.690 §8.5 are read: 3 * 16^1 (a0 01 03) is 48, 3 * 8^-1 (90 ff 03) is 0.375, and the text 15.E-1, the one form that CER and
#   DER have for decimals (§11.3.2), is 1.5.
# Seen: bytes of the mantissa are counted in powers of two, and base and exponent put together afterwards, so that each byte is 8^8 or 16^8 in place
#   of 2^8: 48 is read as 805306368 and 0.375 as 24576, with no error. Base 2 is right. "15.E-1" is a "REAL decode error", since
#   a digit must follow the point; "1.5E0", which is not canonical, is read.
# Source: Convert/ASN1/_decode.pm, _dec_real: $exp += 8 with pow(base, $exp); the pattern \.\d+(?:[Ee]..).
# Output seen: "800103 6: 6", "a00103 48: 805306368", "90ff03 0.375: 24576", "0331352e452d31 1.5: REAL decode error", "03312e354530 1.5: 1.5"
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

my $module = Convert::ASN1->new(encoding => "BER");
$module->prepare("value REAL") or die $module->error;
for (["800103", 6], ["a00103", 48], ["90ff03", 0.375], ["0331352e452d31", 1.5], ["03312e354530", 1.5]) {
    my ($octets, $right) = @$_;
    my $read = $module->decode(pack "C C H*", 9, length($octets) / 2, $octets);
    print "$octets $right: ", $read ? $read->{value} : $module->error =~ /(REAL decode error)/, "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "800103 6: 6
a00103 48: 805306368
90ff03 0.375: 24576
0331352e452d31 1.5: REAL decode error
03312e354530 1.5: 1.5" ] || { echo "changed" >&2; exit 1; }
