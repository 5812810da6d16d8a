#!/usr/bin/env bash
# NetPacket 1.7.2 (Debian libnetpacket-perl): a segment that the card was to split has 20 octets too few over IPv4, none over IPv6.
#
# Guess: a host that hands large segments to its card captures them with a total length of 0 (segmentation offload), or for IPv6 a
#   payload length of 0; Wireshark and tcpdump then take what was captured. NetPacket cuts padding of Ethernet by the length of the
#   header, and leaves the data alone if that length says nothing.
# Seen: 0 less the header's 20 is -20, which Perl's substr takes as "all but the last 20": the end of each such segment is missing,
#   without an error. Of IPv6 nothing is left. With options in the header up to 60 octets go. Packets with a length are right.
# Who cares: scripts that count or reassemble what a server sent, as captured on that server.
# Source: NetPacket/IP.pm and NetPacket/IPv6.pm, decode (`substr $self->{data}, 0, ...`).
# Output seen: "IPv4, length 1020: 1000 octets", "IPv4, length 0: 980 octets", "IPv6, length 1000: 1000 octets", "IPv6, length 0: 0
#   octets"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnetpacket-perl=1.7.2-2 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use NetPacket::IP;
use NetPacket::IPv6;

my $data = "x" x 1000;
for my $length (1020, 0) {
    my $ip = NetPacket::IP->decode(pack "CCnnnCCnNNa*", 0x45, 0, $length, 1, 0x4000, 64, 6, 0, 0xc0000201, 0xc0000202, $data);
    print "IPv4, length $length: ", length $ip->{data}, " octets\n";
}
for my $length (1000, 0) {
    my $ip = NetPacket::IPv6->decode(pack "NnCCa16a16a*", 0x60000000, $length, 6, 64, "\x20", "\x20", $data);
    print "IPv6, length $length: ", length $ip->{data}, " octets\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "IPv4, length 1020: 1000 octets
IPv4, length 0: 980 octets
IPv6, length 1000: 1000 octets
IPv6, length 0: 0 octets" ] || { echo "changed" >&2; exit 1; }
