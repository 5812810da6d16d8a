#!/usr/bin/env bash
# Net::Stomp 0.61 (Debian libnet-stomp-perl): a message whose text is "0" is sent without a body.
#
# Guess: a body is any sequence of octets (STOMP 1.0 to 1.2), "0" as well as "1".
# Seen: "0" is false in Perl, and an empty body is sent in its place: a counter, a switch or an offset of zero arrives as nothing. "00" and "1" are
#   sent as they are.
# Source: Net/Stomp/Frame.pm, as_string: $frame .= $body || ''.
# Output seen: "0: body ''", "1: body '1'", "00: body '00'"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-stomp-perl=0.61-2 libclass-accessor-perl=0.51-2 2>/dev/null || exit 2
for package in ./*.deb; do dpkg -x "$package" root; done
cat >run.pl <<'PERL'
use strict;
use warnings;
use Net::Stomp::Frame;
sub sent {
    my ($body) = @_;
    my $text = Net::Stomp::Frame->new({command => "SEND", headers => {destination => "/queue/a"}, body => $body})->as_string;
    my ($octets) = $text =~ /\n\n(.*)\0/s;
    return "body '$octets'";
}
print "$_: ", sent($_), "\n" for "0", "1", "00";
PERL
seen=$(perl -I root/usr/share/perl5 run.pl)
echo "$seen"
[ "$seen" = "0: body ''
1: body '1'
00: body '00'" ] || { echo "changed" >&2; exit 1; }
