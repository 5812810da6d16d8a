#!/usr/bin/env bash
# Net::SMPP 1.19 (Debian libnet-smpp-perl): a parameter given by its tag is a number as long as its value needs, a text is a zero.
#
# Guess: "arbitrary" optional parameters go by their tag in decimal, with a value in the right format, as those that go by name,
#   whose value the caller packs. 5121 and more are for operators (SMPP 3.4 §5.3.2), mostly texts. 526, sar_total_segments, has one
#   octet (§5.3.2.23).
# Seen: by name the octets are sent as they are. By tag the value is taken as a number, and its length chosen by its size: "abc",
#   or two octets of pack "n", become one octet 00; 1 to 126 have one octet, 127 to 255 two, so that a one-octet parameter has a
#   wrong length. A text "0150" of digits loses its zero and is sent as 0096 in binary. A warning of Perl is all, and only where
#   warnings are on.
# Who cares: users of operators' parameters (billing, service codes); the centre answers "invalid length", or charges code 0.
# Source: Net/SMPP.pm, encode_optional_params: `$val > -128 && $val < 127`.
# Output seen: "sar_total_segments C 200: 020e 0001 c8", "526 200: 020e 0002 00c8", "5121 abc: 1401 0001 00", "5121 0150: 1401 0002
#   0096"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-smpp-perl=1.19-3 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use Net::SMPP;

sub show {
    my ($name, $tag, $value) = @_;
    my ($number, $length, $octets) = unpack "H4 H4 H*", Net::SMPP::encode_optional_params($tag, $value);
    print "$name: $number $length $octets\n";
}
show("sar_total_segments C 200", "sar_total_segments", pack "C", 200);
show("526 100", 526, 100);
show("526 200", 526, 200);
show("526 C 200", 526, pack "C", 200);
show("5121 abc", 5121, "abc");
show("5121 0150", 5121, "0150");
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "sar_total_segments C 200: 020e 0001 c8
526 100: 020e 0001 64
526 200: 020e 0002 00c8
526 C 200: 020e 0001 00
5121 abc: 1401 0001 00
5121 0150: 1401 0002 0096" ] || { echo "changed" >&2; exit 1; }
