#!/usr/bin/env bash
# AnyEvent::XMPP 0.55 (Debian libanyevent-xmpp-perl): 12:00+02:00 is 14:00 UTC, and behind six digits of a second the zone is not read.
#
# Guess: xmpp_datetime_as_timestamp gives the time as time() does: 12:00 two hours east of Greenwich is 10:00 UTC (XEP-0082, §3.2); a fraction may have any
#   number of digits (there, §2.1).
# Seen: the offset is added, so that each zone is wrong by twice its distance, in the sense in which it counts. Only a fraction of just three digits is
#   known; with six, as many servers stamp messages, the zone behind it is not reached and the time is taken for UTC. Only "Z" is right, and what
#   the module writes itself.
# Source: AnyEvent/XMPP/Util.pm, from_xmpp_datetime ((\.\d{3})?), xmpp_datetime_as_timestamp ($ts += ...). XEP-0082.
# Output seen: "12:00:00Z: 12:00", "12:00:00+02:00: 14:00", "12:00:00-05:00: 07:00", "12:00:00.123+02:00: 14:00", "12:00:00.123456+02:00: 12:00"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libanyevent-xmpp-perl=0.55-6 libnet-libidn-perl libidn12 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$folder/root/usr/lib/x86_64-linux-gnu
cat >run.pl <<'PL'
use strict;
use AnyEvent::XMPP::Util qw/xmpp_datetime_as_timestamp/;

for my $time ("12:00:00Z", "12:00:00+02:00", "12:00:00-05:00", "12:00:00.123+02:00", "12:00:00.123456+02:00") {
    my (undef, $minutes, $hours) = gmtime xmpp_datetime_as_timestamp("2026-07-01T$time");
    printf "%s: %02d:%02d\n", $time, $hours, $minutes;
}
PL
seen=$(perl -I root/usr/share/perl5 -I "$(echo root/usr/lib/x86_64-linux-gnu/perl5/*)" run.pl)
echo "$seen"
[ "$seen" = "12:00:00Z: 12:00
12:00:00+02:00: 14:00
12:00:00-05:00: 07:00
12:00:00.123+02:00: 14:00
12:00:00.123456+02:00: 12:00" ] || { echo "changed" >&2; exit 1; }
