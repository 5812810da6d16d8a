#!/usr/bin/env bash
# Authen::Radius 0.32 (Debian libauthen-radius-perl): a short IPv6 prefix goes to the end of the address, one of 128 bits is none.
#
# Guess: in Framed-IPv6-Prefix and Delegated-IPv6-Prefix a length from 0 to 128 stands before up to sixteen octets of prefix; those
#   that are left out at the end count as zero (RFC 3162 §2.3, RFC 4818 §3). 00 40 20010db8 00010000 is 2001:db8:1::/64.
# Seen: what is left out is filled in at the front: ::2001:db8:1:0/64, a network of nobody, without an error. A prefix with all
#   sixteen octets is right, which is also the only form that the module itself writes. One of 128 bits, a single host, has no
#   value at all, though the module writes it.
# Who cares: access servers and servers of accounting; FreeRADIUS and most routers leave out the zeros.
# Source: Authen/Radius.pm, _decode_ipv6prefix: ip_bintoip pads on the left, and `$prefix_len < 128`.
# Output seen: "003020010db80001: ::2001:db8:1/48", "004020010db800010000: ::2001:db8:1:0/64", with all octets "2001:db8:1::/64",
#   "008020010db8000100000000000000000001: none"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq libauthen-radius-perl=0.32-1 libdata-hexdump-perl=0.04-2 libnet-ip-perl=1.26-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
printf 'ATTRIBUTE\tFramed-IPv6-Prefix\t97\tipv6prefix\n' >dictionary
cat >run.pl <<'PERL'
use strict;
use warnings;
use Authen::Radius;

Authen::Radius->load_dictionary("dictionary");
my $radius = Authen::Radius->new(Host => "127.0.0.1:1812", Secret => "secret");
for my $octets ("0030" . "20010db80001", "0040" . "20010db800010000", "0040" . "20010db8000100000000000000000000",
    "0080" . "20010db8000100000000000000000001") {
    my $value = pack "H*", $octets;
    $radius->{attributes} = pack "CCa*", 97, 2 + length $value, $value;
    my ($attribute) = $radius->get_attributes;
    print "$octets: ", $attribute->{Value} // "none", "\n";
}
$radius->clear_attributes;
$radius->add_attributes({ Name => "Framed-IPv6-Prefix", Value => "2001:db8:1::1/128" });
print "written: ", unpack("H*", $radius->{attributes}), "\n";
PERL
seen=$(PERL5LIB=$folder/root/usr/share/perl5 perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "003020010db80001: ::2001:db8:1/48
004020010db800010000: ::2001:db8:1:0/64
004020010db8000100000000000000000000: 2001:db8:1::/64
008020010db8000100000000000000000001: none
written: 6114008020010db8000100000000000000000001" ] || { echo "changed" >&2; exit 1; }
