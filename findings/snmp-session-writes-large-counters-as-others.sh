#!/usr/bin/env bash
# SNMP_Session 1.14 (Debian libsnmp-session-perl), BER.pm: large Counter64 are written as others, 2^64 - 1 as 2^64 + 255.
#
# Guess: encode_counter64 writes any number of 64 bits that Perl has (SMIv2, RFC 2578 §7.1.10), and decode_by_template reads it
#   back; a length in the long form of any size is read (X.690 §8.1.3.5; RFC 3417 §8 forbids the indefinite form only).
# Seen: the number is divided by 256 in floating point, so that it is rounded up on the way where its last octets are large: 2^54 -
#   1 has 255 too much, 2^64 - 1 is written in ten octets as 2^64 + 255, which no Counter64 can be. Up to 2^53 all are right. An
#   octet string whose length is in the form with three or four octets, as agents write that reserve the place, is read as an empty
#   text, without an error.
# Who cares: agents and tests of octet counters on fast links; monitors (MRTG uses this module).
# Source: BER.pm, encode_intlike (`int($int / 256)`) and decode_length.
# Output seen: "9007199254740991: 46071fffffffffffff, right", "18446744073709551615: 46090100000000000000ff, right is
#   460900ffffffffffffffff", "length 820005: ready", "length 83000005: "
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libsnmp-session-perl=1.14~git20221124T101957-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use BER;

for my $number (4294967295, 9007199254740991, 18014398509481983, 18446744073709551615) {
    my $written = unpack "H*", BER::encode_counter64($number);
    my $octets = sprintf "%016x", $number;
    $octets =~ s/^(?:00(?=..))*(?=[0-7])//;
    $octets =~ s/^(?:00(?=00[89a-f])|(?=[89a-f]))/00/ if $octets !~ /^[0-7]/;
    my $right = sprintf "46%02x%s", length($octets) / 2, $octets;
    print "$number: $written, ", $written eq $right ? "right" : "right is $right", "\n";
}
for my $length ("05", "8105", "820005", "83000005", "8400000005") {
    my ($value) = BER::decode_string(pack "H*", "04" . $length . "7265616479");
    print "length $length: ", $value // "none", "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl -X run.pl) || exit 2
echo "$seen"
[ "$seen" = "4294967295: 460500ffffffff, right
9007199254740991: 46071fffffffffffff, right
18014398509481983: 4607400000000000ff, right is 46073fffffffffffff
18446744073709551615: 46090100000000000000ff, right is 460900ffffffffffffffff
length 05: ready
length 8105: ready
length 820005: ready
length 83000005: 
length 8400000005: " ] || { echo "changed" >&2; exit 1; }
