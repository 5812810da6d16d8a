#!/usr/bin/env bash
# IO::Socket::INET 1.49 (perl-base 5.36.0, Debian): Proto => "sctp" opens a socket of no type.
#
# Guess: without Type a socket of SCTP is a stream, one-to-one, as one of TCP is (RFC 6458 §4.1.1); if the module did not know the
#   protocol it would say so, as it does for a name that the system has not ("Bad protocol").
# Seen: the type is looked up by the protocol's name in a table of tcp, udp and icmp; for sctp it is undefined and goes to socket(2)
#   as 0, for client and listener: an error on a machine where SCTP works as well. IO::Socket::IP, which is meant
#   as a replacement with the same arguments, asks getaddrinfo and has SOCK_STREAM. So the port of a script to IPv6
#   turns SCTP on; with Type => SOCK_STREAM both are alike.
# Source: IO/Socket/INET.pm, %socket_type and configure.
# Output seen: "INET tcp: type 1, protocol 6", "INET sctp: type undefined, protocol 132", "IP sctp: type 1, protocol 132"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq perl-base=5.36.0-7+deb12u4 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.pl <<'PERL'
use strict;
use warnings;
my $asked;

BEGIN {
    *CORE::GLOBAL::socket = sub (*$$$) {
        $asked = sprintf "type %s, protocol %s", $_[2] // "undefined", $_[3];
        return;
    };
}
use IO::Socket::INET;
use IO::Socket::IP;

for my $class ("INET", "IP") {
    for my $protocol ("tcp", "sctp") {
        "IO::Socket::$class"->new(Proto => $protocol, PeerAddr => "127.0.0.1", PeerPort => 2905);
        print "$class $protocol: $asked\n";
        "IO::Socket::$class"->new(Proto => $protocol, LocalAddr => "127.0.0.1", LocalPort => 2905, Listen => 1);
        print "$class $protocol, listening: $asked\n";
    }
}
PERL
seen=$(PERL5LIB=$folder/root/usr/lib/x86_64-linux-gnu/perl-base root/usr/bin/perl run.pl) || exit 2
echo "$seen"
[ "$seen" = "INET tcp: type 1, protocol 6
INET tcp, listening: type 1, protocol 6
INET sctp: type undefined, protocol 132
INET sctp, listening: type undefined, protocol 132
IP tcp: type 1, protocol 6
IP tcp, listening: type 1, protocol 6
IP sctp: type 1, protocol 132
IP sctp, listening: type 1, protocol 132" ] || { echo "changed" >&2; exit 1; }
