#!/usr/bin/env bash
# libre 1.1.0 (Debian): the last letter of a candidate's longest foundation is lost, and other transports and types become "???".
#
# Guess: a foundation has 1 to 32 letters (RFC 8839 §5.1), and comes back as it was; two candidates with different foundations stay different.
#   A transport or type that the library does not know is an error, or comes back by its name, as the grammar allows both to be extended.
# Seen: of 32 letters 31 are kept, without an error: two that differ in the last letter are one foundation, whose pairs stay frozen until the
#   other's check ends (RFC 8445 §6.1.2.6). "sctp" and "ssltcp" are read with code 0, and written as "???", which no reader's grammar
#   takes, so that a server that hands candidates on makes the whole description unreadable. Host names are an error.
# Source: re_ice.h, struct ice_cand_attr (foundation[32], with its zero); src/ice, ice_cand_attr_encode.
# Output seen: "31: 31 letters", "32: 31 letters", "sctp: code 0, ???", "future: code 0, typ ???", "alpha.local: code 22"
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <re.h>

static void show(const char *name, const char *candidate) {
    struct ice_cand_attr read = {0};
    char written[200] = "";
    int code = ice_cand_attr_decode(&read, candidate);
    if (!code) re_snprintf(written, sizeof written, "%H", ice_cand_attr_encode, &read);
    if (!strncmp(candidate, "aaaa", 4))
        printf("%s: %zu letters\n", name, strcspn(written, " "));
    else
        printf("%s: code %d, %s\n", name, code, written);
}

int main(void) {
    show("31", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1 udp 1 192.0.2.1 5000 typ host");
    show("32", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab 1 udp 1 192.0.2.1 5000 typ host");
    show("sctp", "1 1 sctp 1 192.0.2.1 5000 typ host");
    show("future", "1 1 udp 1 192.0.2.1 5000 typ future");
    show("alpha.local", "1 1 udp 1 alpha.local 5000 typ host");
    return 0;
}
C
libraries=$folder/root/usr/lib/x86_64-linux-gnu
gcc -w -DHAVE_INET6 -DHAVE_STDBOOL_H -I root/usr/include/re -o run run.c \
    "$libraries/libre.so.0" -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$libraries ./run)
echo "$seen"
[ "$seen" = "31: 31 letters
32: 31 letters
sctp: code 0, 1 1 ??? 1 192.0.2.1 5000 typ host
future: code 0, 1 1 UDP 1 192.0.2.1 5000 typ ???
alpha.local: code 22, " ] || { echo "changed" >&2; exit 1; }
