#!/usr/bin/env bash
# Net::SIP 0.835 (Debian libnet-sip-perl): a section of UDP/TLS/RTP/SAVPF has one port to relay, and a new c= line goes behind a=.
#
# Guess: its helper for NAT relays `range` ports from the one of the m= line: two for RTP with RTCP, also where the profile is one
#   over DTLS (RFC 5764 §8, RFC 8843 for browsers), unless the section has a=rtcp-mux; one for a data section. Addresses that are
#   replaced stay in the order of lines (RFC 8866 §5: m, i, c, b, k, a).
# Seen: only names that begin with "RTP/" count two ports, so that RTCP of UDP/TLS/RTP/SAVPF is not relayed, and reports of loss
#   are missing. Where two sections get two addresses, the c= line of the session goes, and new ones stand as the last line of each
#   section, behind its attributes: readers that hold to the grammar refuse that. A group address as RFC 8866 writes it,
#   224.2.1.1/127, is an error.
# Source: Net/SIP/SDP.pm, _split_m (`$proto =~m{^RTP/}`), replace_media_listen (`push @{ $m->{lines} },[ 'c', ...`), _split_c.
# Output seen: "audio RTP/AVP 2, video UDP/TLS/RTP/SAVPF 1", "m=audio a=sendrecv c=IN m=video a=rtpmap:96 c=IN", "group: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libnet-sip-perl=0.835-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
use Net::SIP::SDP;

my $head = "v=0\no=- 1 1 IN IP4 10.0.0.1\ns=-\nc=IN IP4 10.0.0.1\nt=0 0\n";
my $sections = "m=audio 4000 RTP/AVP 0\na=sendrecv\nm=video 5000 UDP/TLS/RTP/SAVPF 96\na=rtpmap:96 VP8/90000\n";
my $description = Net::SIP::SDP->new($head . $sections);
print join(", ", map { "$_->{media} $_->{proto} $_->{range}" } $description->get_media), "\n";
$description->replace_media_listen(["192.0.2.1", 6000], ["192.0.2.2", 7000]);
print join(" ", $description->as_string =~ /^([mac]=\S+)/mg), "\n";
my $group = $head =~ s{c=IN IP4 10.0.0.1}{c=IN IP4 224.2.1.1/127}r;
print "group: ", eval { Net::SIP::SDP->new($group . $sections) } ? "read" : "error", "\n";
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "audio RTP/AVP 2, video UDP/TLS/RTP/SAVPF 1
m=audio a=sendrecv c=IN m=video a=rtpmap:96 c=IN
group: error" ] || { echo "changed" >&2; exit 1; }
