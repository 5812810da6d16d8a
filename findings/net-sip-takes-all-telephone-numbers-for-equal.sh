#!/usr/bin/env bash
# Net::SIP 0.835 (Debian libnet-sip-perl): sip_uri_eq finds any two tel: URIs equal, and an escaped letter makes a user another one.
#
# Guess: sip_uri_eq compares as RFC 3261 §19.1.4 says, or as its manual has it: user, host, scheme and port. tel:+441 and tel:+442,
#   which are valid in From, To and Request-URI (§19.1.6), are different, %61lice is alice, and a parameter transport or user in
#   one of both makes them differ.
# Seen: a URI that is neither sip nor sips has no parts, and nothing is equal to nothing (with warnings of Perl alone): all numbers
#   are the same. sip:%61lice@... is another user than sip:alice@.... Parameters do not count at all, so that a proxy at
#   transport=tcp is itself at transport=udp.
# Who cares: the module asks this to strip Route and Record-Route that are its own, and callers who look for a known party.
# Source: Net/SIP/Util.pm, sip_uri_eq and sip_uri2parts; §19.1.4 has the pairs of the script as examples.
# Output seen: "tel:+441 tel:+442: equal", "sip:%61lice@a.com sip:alice@a.com: different", "sip:b@b.com sip:b@b.com;transport=tcp:
#   equal"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-sip-perl=0.835-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use Net::SIP::Util "sip_uri_eq";

for (["tel:+441", "tel:+442"], ["tel:+441", "urn:service:sos"], ['sip:%61lice@a.com', 'sip:alice@a.com'],
    ['sip:b@b.com', 'sip:b@b.com;transport=tcp'], ['sip:b@b.com', 'sip:b@b.com:5060'], ['sip:b@b.com', 'sip:c@b.com']) {
    print "@$_: ", sip_uri_eq(@$_) ? "equal" : "different", "\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "tel:+441 tel:+442: equal
tel:+441 urn:service:sos: equal
sip:%61lice@a.com sip:alice@a.com: different
sip:b@b.com sip:b@b.com;transport=tcp: equal
sip:b@b.com sip:b@b.com:5060: equal
sip:b@b.com sip:c@b.com: different" ] || { echo "changed" >&2; exit 1; }
