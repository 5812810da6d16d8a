#!/usr/bin/env bash
# Net::DHCP::Packet 0.696 (Debian libnet-dhcp-perl): the time offset of New York is 4294949296 seconds, and a table of path MTUs is sent as text.
#
# Guess: the time offset is two's complement, -18000 five hours west (RFC 2132 §3.4), and what addOptionValue takes, getOptionValue gives. The plateau table is a list of
#   16-bit numbers (§4.7), with a format of its own in the package.
# Seen: -18000 is packed rightly as ffffb9b0 and read as 4294949296, 136 years. For the table the format "shorts" is known to the reader and not to the writer, which sends the digits:
#   "68 296" is 3638 2032 3936, three other sizes for each client. Offsets east of Greenwich are right.
# Source: Net/DHCP/Packet.pm, getOptionValue (int => unpack 'N'), addOptionValue (%options without shorts: the value itself); Net/DHCP/Constants.pm, DHO_PATH_MTU_PLATEAU_TABLE.
# Output seen: "-18000: ffffb9b0, 4294949296", "3600: 00000e10, 3600", "68 296: 363820323936, 13880 8242 14646"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-dhcp-perl=0.696+dfsg-3 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Net::DHCP::Constants;
use Net::DHCP::Packet;
sub show {
    my ($code, $value) = @_;
    my $packet = Net::DHCP::Packet->new;
    $packet->addOptionValue($code, $value);
    print "$value: ", unpack("H*", $packet->getOptionRaw($code)), ", ", $packet->getOptionValue($code), "\n";
}
show(DHO_TIME_OFFSET(), -18000);
show(DHO_TIME_OFFSET(), 3600);
show(25, "68 296");
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "-18000: ffffb9b0, 4294949296
3600: 00000e10, 3600
68 296: 363820323936, 13880 8242 14646" ] || { echo "changed" >&2; exit 1; }
