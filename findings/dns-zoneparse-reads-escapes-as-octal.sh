#!/usr/bin/env bash
# DNS::ZoneParse 1.10 (Debian libdns-zoneparse-perl 1.10-1.1): \032 in a name is no blank, two strings of a TXT become one, $TTL is forgotten.
#
# Guess: a zone that is read and written again is the same zone. \DDD is decimal (RFC 1035 §5.1): "Core\032One" is the instance "Core One"
#   of a service (RFC 6763 §4.3). A record without a TTL has that of $TTL (RFC 2308 §4).
# Seen: the digits are read as octal, so that \032 is the control character 26, and \046, a dot within a label, is "&"; both are written
#   back unescaped, and the SRV records have other names. TXT "asp=1" "rc=7" comes out as the one string asp=1" "rc=7 with quotes in
#   it. Behind a record with a TTL of 300 all records have 300, though $TTL is 3600. No warning, as there is one for NAPTR, which is left out.
# Source: DNS/ZoneParse.pm, _massage (oct, last TTL), the pattern of TXT (a greedy .+), output.
# Output seen: "Core%1AOne._m3ua._sctp 3600 IN SRV ..", "Core&One._m3ua._sctp ..", TXT "asp=1\" \"rc=7", "stp 300 IN A 10.0.0.2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libdns-zoneparse-perl=1.10-1.1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >zone <<'ZONE'
$TTL 3600
example.com. IN SOA ns.example.com. root.example.com. ( 2026113001 7200 900 1209600 300 )
Core\032One._m3ua._sctp IN SRV 0 0 2905 stp.example.com.
Core\046One._m3ua._sctp IN SRV 0 0 2905 stp.example.com.
stp IN TXT "asp=1" "rc=7"
hss 300 IN A 10.0.0.1
stp IN A 10.0.0.2
ZONE
cat >run.pl <<'PERL'
use strict;
use warnings;
use DNS::ZoneParse;

my $output = DNS::ZoneParse->new("zone", "example.com.")->output;
for my $line (split /\n/, $output) {
    next unless $line =~ /IN\s+(?:SRV|TXT|A)\s/;
    $line =~ s/\t/ /g;
    $line =~ s/([^ -~])/sprintf "%%%02X", ord $1/ge;
    print "$line\n";
}
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = 'hss 300 IN A 10.0.0.1
stp 300 IN A 10.0.0.2
stp 3600 IN TXT "asp=1\" \"rc=7"
Core%1AOne._m3ua._sctp 3600 IN SRV 0 0 2905 stp.example.com.
Core&One._m3ua._sctp 3600 IN SRV 0 0 2905 stp.example.com.' ] || { echo "changed" >&2; exit 1; }
