#!/usr/bin/env bash
# NetPacket 1.7.2 (Debian libnetpacket-perl): of a packet with the total length 0, as offload leaves it, the last 20 bytes are lost.
#
# Guess: captures on the sending host have packets that the card is still to cut up. Above 64 KB their total length is 0
#   (IPv4), their payload length 0 (IPv6), and readers take what was captured; tcpdump and Wireshark do. NetPacket at least
#   returns the rest of the bytes or nothing.
# Seen: data is cut to "total length minus header", here minus 20, and a negative length counts from the end in Perl: the last
#   20 bytes are missing, with 24 bytes of header the last 24. No warning; what is summed up is short by that, and a parser of
#   the payload finds its end cut. The same packet over IPv6 has no data at all. In the same module IPTOS_PREC_CRITIC_ECP is
#   0x0a instead of 0xa0 (precedence 5, RFC 791 §3.1).
# Source: NetPacket/IP.pm, decode (substr ..., 0, len - 4 * hlen); NetPacket/IPv6.pm, decode (substr ..., 0, len).
# Output seen: "IPv4, length 120: 100 of 100", "IPv4, length 0: 80 of 100", "IPv6, length 0: 0 of 100", "CRITIC/ECP 0x0a"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnetpacket-perl=1.7.2-2 2>/dev/null || exit 2
dpkg -x libnetpacket*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use NetPacket::IP;
use NetPacket::IPv6;

for my $length (120, 0) {
    my $packet = pack("CCnnnCCnNNa*", 0x45, 0, $length, 1, 0x4000, 64, 6, 0, 0xC0000201, 0xC0000202, "x" x 100);
    print "IPv4, length $length: ", length(NetPacket::IP->decode($packet)->{data}), " of 100\n";
}
for my $length (100, 0) {
    my $packet = pack("NnCCa16a16a*", 0x60000000, $length, 6, 64, "\x20" . "\0" x 15, "\x20" . "\0" x 15, "x" x 100);
    print "IPv6, length $length: ", length(NetPacket::IPv6->decode($packet)->{data}), " of 100\n";
}
printf "CRITIC/ECP 0x%02x\n", NetPacket::IP::IPTOS_PREC_CRITIC_ECP();
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "IPv4, length 120: 100 of 100
IPv4, length 0: 80 of 100
IPv6, length 100: 100 of 100
IPv6, length 0: 0 of 100
CRITIC/ECP 0x0a" ] || { echo "changed" >&2; exit 1; }
