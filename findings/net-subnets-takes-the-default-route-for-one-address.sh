#!/usr/bin/env bash
# Net::Subnets 1.02 (Debian libnet-subnets-perl): 0.0.0.0/0 holds the address 0.0.0.0 alone, and which network is found depends on how many there are.
#
# Guess: 198.51.100.1 is in 0.0.0.0/0 if no other network has it, and 10.1.2.3 is in 10.1.0.0/16 if 10.0.0.0/8 is there, too: the longest prefix
#   is taken, or the first one of the list.
# Seen: no network has 198.51.100.1: a length of 0 counts as "not given", and 32 stands in for it. Of overlapping networks that one is taken whose
#   length fewer other networks have: 10.0.0.0/8 if there are two /16, 10.1.0.0/16 if there are two /8, whatever these others
#   are. A network that is added somewhere else changes the answer for an address that it does not hold.
# Source: Net/Subnets.pm, subnets: 32 - ($2 || 32), and the sort by %masks, the numbers of networks of each length.
# Output seen: "198.51.100.1 in 0.0.0.0/0 192.0.2.0/24: none", "10.1.2.3 in 10.0.0.0/8 10.1.0.0/16 172.16.0.0/16: 10.0.0.0/8",
#   "10.1.2.3 in 10.0.0.0/8 10.1.0.0/16 11.0.0.0/8: 10.1.0.0/16"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-subnets-perl=1.02-3 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use Net::Subnets;
sub ask {
    my ($address, @networks) = @_;
    my $subnets = Net::Subnets->new;
    $subnets->subnets(\@networks);
    my $found = $subnets->check(\$address);
    print "$address in @networks: ", $found ? $$found : "none", "\n";
}
ask("198.51.100.1", "0.0.0.0/0", "192.0.2.0/24");
ask("10.1.2.3", "10.0.0.0/8", "10.1.0.0/16", "172.16.0.0/16");
ask("10.1.2.3", "10.0.0.0/8", "10.1.0.0/16", "11.0.0.0/8");
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "198.51.100.1 in 0.0.0.0/0 192.0.2.0/24: none
10.1.2.3 in 10.0.0.0/8 10.1.0.0/16 172.16.0.0/16: 10.0.0.0/8
10.1.2.3 in 10.0.0.0/8 10.1.0.0/16 11.0.0.0/8: 10.1.0.0/16" ] || { echo "changed" >&2; exit 1; }
