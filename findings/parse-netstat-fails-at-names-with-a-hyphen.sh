#!/usr/bin/env bash
# Parse::Netstat 0.150 (Debian libparse-netstat-perl 0.150-1): one port with a hyphen in its name is an error for all of netstat's output.
#
# Guess: netstat may be called without -n, as the manual says, so that names of services are read: netbios-ns, http-alt, iso-tsap (as ISUP and
#   H.248 gateways have) and a hundred others of /etc/services. A line of a kind that it does not know is passed over.
# Seen: a name of letters, digits and _ is read ("diameter"); a hyphen makes the whole result an error 400 without any connection, and it depends
#   on who talks to the host at the moment. So does one socket of UDP-Lite, whose line begins with "udp" as well. Lines of SCTP, which
#   netstat prints since 2.10, are left out without a word.
# Source: Parse/Netstat/linux.pm, parse_netstat: (?<local_port>\w+), /^udp/.
# Output seen: "diameter: 200, 2 connections", "http-alt: 400", "udplite: 400", "sctp: 200, 1 connections"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libparse-netstat-perl=0.150-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Parse::Netstat::linux;

my $first = "tcp        0      0 0.0.0.0:ssh             0.0.0.0:*               LISTEN\n";
for my $line (
    "tcp        0      0 0.0.0.0:diameter        0.0.0.0:*               LISTEN",
    "tcp        0      0 0.0.0.0:http-alt        0.0.0.0:*               LISTEN",
    "udplite    0      0 0.0.0.0:5000            0.0.0.0:*",
    "sctp                0.0.0.0:m3ua                                    LISTEN",
) {
    my ($status, undef, $found) = @{ Parse::Netstat::linux::parse_netstat(output => "$first$line\n") };
    my ($name) = $line =~ /^(udplite|sctp)/ ? $1 : $line =~ /:(\S+)/;
    print "$name: $status", $found ? ", " . @{ $found->{active_conns} } . " connections" : "", "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "diameter: 200, 2 connections
http-alt: 400
udplite: 400
sctp: 200, 1 connections" ] || { echo "changed" >&2; exit 1; }
