#!/usr/bin/env bash
# Net::XMPP 1.05 (Debian libnet-xmpp-perl), Net::XMPP::JID: the server of alice@bücher.example is "b", and "ücher.example" is its resource.
#
# Guess: a domain may be international, or an IPv6 address in brackets (RFC 7622, §3.2), and ends at the slash; what is no domain gives an empty or an
#   undefined server.
# Seen: a server is as many letters of ASCII, digits, dots and hyphens as there are; the slash behind it is optional, and the rest, whatever it is, is the
#   resource, with no error. With an IPv6 address the server is "alice", the user. The form of the domain in ASCII, xn--, is read right.
# Source: Net/XMPP/JID.pm, ParseJID (\@([A-Za-z0-9\.\-\_]+)\/?(.*?)$).
# Output seen: "example.com: server example.com, resource phone", "bücher.example: server b, resource ücher.example/phone", "[2001:db8::1]: server alice, resource @[2001:db8::1]/phone"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-xmpp-perl=1.05-2 2>/dev/null || exit 2
dpkg -x libnet-xmpp-perl_*.deb root
cat >run.pl <<'PL'
use strict;
use warnings;
use utf8;
use Net::XMPP::JID;

binmode STDOUT, ":encoding(UTF-8)";
for my $domain ("example.com", "bücher.example", "[2001:db8::1]") {
    my $jid = Net::XMPP::JID->new("alice\@$domain/phone");
    print "$domain: server ", $jid->GetServer, ", resource ", $jid->GetResource, ", base ", $jid->GetJID("base"), "\n";
}
PL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "example.com: server example.com, resource phone, base alice@example.com
bücher.example: server b, resource ücher.example/phone, base alice@b
[2001:db8::1]: server alice, resource @[2001:db8::1]/phone, base alice" ] || { echo "changed" >&2; exit 1; }
