#!/usr/bin/env bash
# musl 1.2.3 (Debian): getaddrinfo for a socket of SCTP fails, or answers with TCP and UDP.
#
# Guess: with hints SOCK_STREAM or SOCK_SEQPACKET and IPPROTO_SCTP it gives the host's addresses for such a socket, as glibc
#   does: RFC 6458 §3.1.1 and §4.1.1 have both styles, and a number as the port needs no list of services.
# Seen: SOCK_STREAM with SCTP is EAI_SERVICE, even with no port at all; SOCK_SEQPACKET is, when a port is given; with the type
#   left open the protocol is not looked at and two addresses come, for TCP and for UDP. A program that is built on
#   Debian and again in a container of Alpine ends with "Unrecognized service" for "2905". The other way round, glibc takes
#   SOCK_SEQPACKET with no protocol for SCTP.
# Source: src/network/lookup_serv.c, __lookup_serv, which knows TCP for streams and UDP for datagrams.
# Output seen: "stream: EAI_SERVICE", "stream 2905: EAI_SERVICE", "seqpacket: 5/132", "seqpacket 2905: EAI_SERVICE",
#   "any 2905: 1/6 2/17", where glibc has 1/132 and 5/132
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq musl-dev=1.2.3-1 2>/dev/null || exit 2
dpkg -x ./*.deb root
cat >run.c <<'C'
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
    const struct { const char *name; int type; } asked[] = {{"stream", SOCK_STREAM}, {"seqpacket", SOCK_SEQPACKET}, {"any", 0}};
    for (int place = 0; place < 3; place++) {
        for (int port = 0; port < 2; port++) {
            struct addrinfo hints = {0}, *found = 0;
            hints.ai_socktype = asked[place].type;
            hints.ai_protocol = 132;
            int failed = getaddrinfo("192.0.2.1", port ? "2905" : 0, &hints, &found);
            printf("%s%s:", asked[place].name, port ? " 2905" : "");
            if (failed) printf(failed == EAI_SERVICE ? " EAI_SERVICE" : " another error");
            for (; !failed && found; found = found->ai_next) printf(" %d/%d", found->ai_socktype, found->ai_protocol);
            puts("");
        }
    }
}
C
library=root/usr/lib/x86_64-linux-musl
gcc -nostdinc -isystem root/usr/include/x86_64-linux-musl -static -nostdlib -o run \
    $library/crt1.o $library/crti.o run.c $library/libc.a "$(gcc -print-libgcc-file-name)" $library/crtn.o || exit 2
seen=$(./run)
echo "$seen"
[ "$seen" = "stream: EAI_SERVICE
stream 2905: EAI_SERVICE
seqpacket: 5/132
seqpacket 2905: EAI_SERVICE
any: 1/6 2/17
any 2905: 1/6 2/17" ] || { echo "changed" >&2; exit 1; }
