#!/usr/bin/env bash
# NetPacket 1.7.2 (Debian libnetpacket-perl): one UDP packet of 65536 is written with the checksum 0, which IPv6 forbids.
#
# Guess: a checksum that comes out as 0 is sent as ffff, since 0 means that there is none (RFC 768), and over IPv6 a receiver drops
#   a datagram with 0 (RFC 8200 §8.1). Payloads that are counted up, as by a probe, meet it sooner or later.
# Seen: what is computed is what is written, 0 too. Over IPv4 that packet is unprotected, over IPv6 it never arrives: a loss of one
#   in 65536 that no network has. All other checksums are right.
# Who cares: tests that send what it builds, and whoever measures rare losses.
# Source: NetPacket/UDP.pm, checksum.
# Output seen: "IPv4: payload 41a3 has 0000, the next fffe", "IPv6: payload 3a32 has 0000, the next fffe"
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
use NetPacket::UDP;

my %ip = (
    IPv4 => bless({ src_ip => "192.0.2.1", dest_ip => "192.0.2.2" }, "NetPacket::IP"),
    IPv6 => bless({ src_ip => "2001:db8::1", dest_ip => "2001:db8::2" }, "NetPacket::IPv6"),
);
my $udp = bless { src_port => 5000, dest_port => 9899 }, "NetPacket::UDP";
sub written {
    my ($name, $number) = @_;
    $udp->{data} = pack "n", $number;
    return unpack "n", substr $udp->encode($ip{$name}), 6, 2;
}
for my $name (sort keys %ip) {
    # The sum with the payload 0 says which payload makes it 0.
    my $number = written($name, 0);
    printf "%s: payload %04x has %04x, the next %04x\n", $name, $number, written($name, $number), written($name, $number + 1);
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "IPv4: payload 41a3 has 0000, the next fffe
IPv6: payload 3a32 has 0000, the next fffe" ] || { echo "changed" >&2; exit 1; }
