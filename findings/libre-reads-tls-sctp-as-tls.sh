#!/usr/bin/env bash
# libre 1.1.0 (Debian): a Via of TLS-SCTP is TLS, sent by "-SCTP".
#
# Guess: a Via with a transport that the library does not carry is decoded with tp -1 and its sent-by, as one with SCTP is
#   (RFC 3261 §20.42: any token may stand there; TLS-SCTP is RFC 4168's), and TLS-SCTP is not carried either.
# Seen: the transport is read up to the first character that is no letter, and the rest is the sender: TLS-SCTP is TLS, the
#   sent-by "-SCTP", the address empty and the port 0, without an error. A response that follows this Via goes by TLS
#   over TCP to no host, and a log names a hop that does not exist. Programs on libre: baresip, and servers behind a
#   proxy of an IMS core that speaks SCTP inside.
# Source: src/sip/via.c, sip_via_decode: the pattern "[A-Z]+" of the transport, then the sent-by with no blank demanded between.
# Output seen: "UDP: tp 0, sent by 192.0.2.1:5062, port 5062", "SCTP: tp -1, sent by 192.0.2.1:5062, port 5062",
#   "TLS-SCTP: tp 2, sent by -SCTP, port 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libre0,libre-dev}=1.1.0-1+b2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <re.h>

int main(void) {
    const char *names[] = {"UDP", "SCTP", "TLS-SCTP"};
    for (int place = 0; place < 3; place++) {
        char text[128];
        struct sip_via via;
        struct pl whole;
        re_snprintf(text, sizeof text, "SIP/2.0/%s 192.0.2.1:5062;branch=z9hG4bK1", names[place]);
        pl_set_str(&whole, text);
        if (sip_via_decode(&via, &whole)) return 2;
        re_printf("%s: tp %d, sent by %r, port %u\n", names[place], via.tp, &via.sentby, sa_port(&via.addr));
    }
    return 0;
}
C
libraries=$folder/root/usr/lib/x86_64-linux-gnu
gcc -w -DHAVE_INET6 -DHAVE_STDBOOL_H -I root/usr/include/re -o run run.c \
    "$libraries/libre.so.0" -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$libraries ./run)
echo "$seen"
[ "$seen" = "UDP: tp 0, sent by 192.0.2.1:5062, port 5062
SCTP: tp -1, sent by 192.0.2.1:5062, port 5062
TLS-SCTP: tp 2, sent by -SCTP, port 0" ] || { echo "changed" >&2; exit 1; }
