#!/usr/bin/env bash
# Net::Statsd 0.12 (Debian libnet-statsd-perl 0.12-3): a time of 0.8 ms is sent as 0, one of 1.999 ms as 1, while a gauge keeps fractions.
#
# Guess: timing("rtt", 0.8) sends "rtt:0.8|ms", as statsd and its descendants take fractions of a millisecond, or rounds it to 1. The synopsis
#   multiplies a float of Time::HiRes by 1000, and a comment in the code keeps gauges from being cut.
# Seen: the time goes through "%d", which cuts: round trips on a LAN or of SCTP's loopback are all 0, every percentile with them, and means of
#   longer ones are half a millisecond low. No warning, and the manual has milliseconds as the unit only. The same time sent as a
#   gauge or counted with update_stats has its fraction.
# Source: Net/Statsd.pm, timing: sprintf "%d|ms".
# Output seen: "timing 0.8: rtt:0|ms", "timing 1.999: rtt:1|ms", "gauge 0.8: rtt:0.8|g", "update_stats 0.8: rtt:0.8|c"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-statsd-perl=0.12-3 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use IO::Socket::INET;
use Net::Statsd;

my $server = IO::Socket::INET->new(Proto => "udp", LocalAddr => "127.0.0.1", Timeout => 5) or die "socket";
$Net::Statsd::HOST = "127.0.0.1";
$Net::Statsd::PORT = $server->sockport;
for (["timing", 0.8], ["timing", 1.999], ["gauge", 0.8], ["update_stats", 0.8]) {
    my ($name, $value) = @$_;
    Net::Statsd->can($name)->("rtt", $value);
    $server->recv(my $packet, 1500);
    print "$name $value: $packet\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 timeout 30 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "timing 0.8: rtt:0|ms
timing 1.999: rtt:1|ms
gauge 0.8: rtt:0.8|g
update_stats 0.8: rtt:0.8|c" ] || { echo "changed" >&2; exit 1; }
