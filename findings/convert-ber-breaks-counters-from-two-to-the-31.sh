#!/usr/bin/env bash
# Convert::BER 1.3200 (Debian libconvert-ber-perl 1.3200-5): an integer from 2^31 on is written with a wrong length and read as another.
#
# Guess: "Numbers can be native perl integers" (manual, INTEGER), which have 64 bits: 2147483648, as counters and times of SNMP and TCAP reach it, is
#   02 05 00 80 00 00 00 (X.690 §8.3), and that is read as 2147483648. The OID 2.999.1 is read as it was written (§8.19.4).
# Seen: the length is that of the whole number, and the octets are the lowest four: 02 05 80 00 00 00 takes the next element's first octet for its
#   own, and 2^40 is 02 04 00 00 00 00. Of five octets read the first four count: 2147483648 is 8388608, 4294967295 is 16777215, with no
#   error. 2.999.1 is read as 26.39.1, since 40 is divided out of whatever comes first.
# Source: Convert/BER.pm: pack and unpack of Convert::BER::INTEGER (num_length and "N") and of Convert::BER::OBJECT_ID.
# Output seen: "2147483647: 02047fffffff, read 2147483647", "2147483648: 020580000000, peer's read 8388608", "2.999.1: read 26.39.1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libconvert-ber-perl=1.3200-5 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Convert::BER;

for ([2147483647, "02047fffffff"], [2147483648, "02050080000000"], [4294967295, "020500ffffffff"], [1099511627776, "0206010000000000"]) {
    my ($number, $peers) = @$_;
    my $written = unpack "H*", Convert::BER->new(INTEGER => $number)->buffer;
    Convert::BER->new(pack "H*", $peers)->decode(INTEGER => \my $read);
    print "$number: $written, peer's read $read\n";
}
Convert::BER->new(OBJECT_ID => "2.999.1")->decode(OBJECT_ID => \my $read);
print "2.999.1: read $read\n";
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "2147483647: 02047fffffff, peer's read 2147483647
2147483648: 020580000000, peer's read 8388608
4294967295: 0205ffffffff, peer's read 16777215
1099511627776: 020400000000, peer's read 16777216
2.999.1: read 26.39.1" ] || { echo "changed" >&2; exit 1; }
