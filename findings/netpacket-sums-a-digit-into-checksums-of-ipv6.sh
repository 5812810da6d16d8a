#!/usr/bin/env bash
# NetPacket 1.7.2 (Debian libnetpacket-perl): checksums of UDP over IPv6 are wrong by 0x3000, and one of 0 is sent as 0.
#
# Guess: UDP encoded with an IPv6 header as its parent has the checksum over the pseudo-header: addresses, length, three zero
#   bytes, next header (RFC 8200 §8.1); receivers take it. A checksum that comes to 0 is sent as 0xffff (RFC 768).
# Seen: the first of the three zero bytes is the character "0", 0x30: pack has "a3" for a number. Each checksum is 0x3000 too
#   small, so that no host takes such a datagram. IPv4 is right, but for those that come to 0: they are sent as 0, "no
#   checksum".
# Source: NetPacket/IPv6.pm, pseudo_header (pack('a16a16Na3C', ..., 0, ...)); NetPacket/UDP.pm, checksum.
# Output seen: "IPv4: 5cea, by hand 5cea", "IPv4, payload that makes it 0: 0000, by hand ffff", "IPv6: 557a, by hand 857a"
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
use NetPacket::UDP;

sub sent {
    my ($parent, $payload) = @_;
    my $datagram = {src_port => 5000, dest_port => 2905, len => 10, cksum => 0, data => pack("n", $payload)};
    return unpack("x6n", bless($datagram, "NetPacket::UDP")->encode($parent));
}

sub by_hand {
    my ($pseudo, $payload) = @_;
    my $sum = 0;
    $sum += $_ for unpack("n*", $pseudo . pack("nnnnn", 5000, 2905, 10, 0, $payload));
    $sum = ($sum & 0xFFFF) + ($sum >> 16) while $sum >> 16;
    return 0xFFFF - $sum || 0xFFFF;
}

my $address = "\x20\x01\x0D\xB8" . "\0" x 11 . "\1";
my $four = NetPacket::IP->decode(pack("CCnnnCCnNN", 0x45, 0, 30, 1, 0, 64, 17, 0, 0xC0000201, 0xC0000202));
my $six = NetPacket::IPv6->decode(pack("NnCCa16a16", 0x60000000, 10, 17, 64, $address, $address));
my $pseudo_four = pack("NNnn", 0xC0000201, 0xC0000202, 17, 10);
my $pseudo_six = pack("a16a16NN", $address, $address, 10, 17);
printf "IPv4: %04x, by hand %04x\n", sent($four, 11), by_hand($pseudo_four, 11);
printf "IPv4, payload that makes it 0: %04x, by hand %04x\n", sent($four, 0x5CF5), by_hand($pseudo_four, 0x5CF5);
printf "IPv6: %04x, by hand %04x\n", sent($six, 11), by_hand($pseudo_six, 11);
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "IPv4: 5cea, by hand 5cea
IPv4, payload that makes it 0: 0000, by hand ffff
IPv6: 557a, by hand 857a" ] || { echo "changed" >&2; exit 1; }
