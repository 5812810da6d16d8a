#!/usr/bin/env bash
# libnetfilter_conntrack 1.0.9 (Debian): in XML the states of SCTP have the names of TCP's.
#
# Guess: `conntrack -o xml` gives an entry the state that the plain output of the same entry has: ESTABLISHED, or
#   HEARTBEAT_SENT and HEARTBEAT_ACKED for the further paths of a multi-homed association.
# Seen: the number of the state is looked up in TCP's table, whatever the protocol. An established association is in
#   FIN_WAIT, one that waits for its cookie is ESTABLISHED, the state after SHUTDOWN-ACK is TIME_WAIT, a path that is only
#   probed by heartbeats is CLOSE. A collector that counts associations by <state> counts
#   handshakes instead. Verification tags are in neither output.
# Why it matters: XML is the output for programs; firewalls before SIGTRAN gateways and cores of mobile networks are watched so.
# Source: src/conntrack/snprintf_xml.c, where the element "state" is written from the table `states` by protoinfo.tcp.state (a
#   union with SCTP's); snprintf_default.c has a table for each protocol.
# Output seen: "1: CLOSED, in XML SYN_SENT", "3: COOKIE_ECHOED, in XML ESTABLISHED", "4: ESTABLISHED, in XML FIN_WAIT",
#   "8: HEARTBEAT_SENT, in XML CLOSE"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libnetfilter-conntrack3,libnetfilter-conntrack-dev}=1.0.9-3 {libnfnetlink0,libnfnetlink-dev}=1.0.2-2 \
    libmnl0=1.0.4-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <libnetfilter_conntrack/libnetfilter_conntrack.h>
#include <libnetfilter_conntrack/libnetfilter_conntrack_sctp.h>

int main(void) {
    for (int state = SCTP_CONNTRACK_CLOSED; state < SCTP_CONNTRACK_MAX; state++) {
        struct nf_conntrack *entry = nfct_new();
        nfct_set_attr_u8(entry, ATTR_L3PROTO, AF_INET);
        nfct_set_attr_u32(entry, ATTR_IPV4_SRC, inet_addr("192.0.2.1"));
        nfct_set_attr_u32(entry, ATTR_IPV4_DST, inet_addr("192.0.2.2"));
        nfct_set_attr_u8(entry, ATTR_L4PROTO, IPPROTO_SCTP);
        nfct_set_attr_u16(entry, ATTR_PORT_SRC, htons(5000));
        nfct_set_attr_u16(entry, ATTR_PORT_DST, htons(2905));
        nfct_set_attr_u8(entry, ATTR_SCTP_STATE, state);
        char plain[2048], xml[2048], name[64] = "none";
        nfct_snprintf(plain, sizeof plain, entry, NFCT_T_UNKNOWN, NFCT_O_DEFAULT, 0);
        sscanf(plain, "sctp 132 %63s", name);
        nfct_snprintf(xml, sizeof xml, entry, NFCT_T_UNKNOWN, NFCT_O_XML, 0);
        char *from = strstr(xml, "<state>");
        if (!from) return 2;
        printf("%d: %s, in XML %.*s\n", state, name, (int)strcspn(from + 7, "<"), from + 7);
        nfct_destroy(entry);
    }
}
C
libraries=$folder/root/usr/lib/x86_64-linux-gnu
gcc -I root/usr/include -o run run.c "$libraries/libnetfilter_conntrack.so.3" -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$libraries ./run)
echo "$seen"
[ "$seen" = "1: CLOSED, in XML SYN_SENT
2: COOKIE_WAIT, in XML SYN_RECV
3: COOKIE_ECHOED, in XML ESTABLISHED
4: ESTABLISHED, in XML FIN_WAIT
5: SHUTDOWN_SENT, in XML CLOSE_WAIT
6: SHUTDOWN_RECD, in XML LAST_ACK
7: SHUTDOWN_ACK_SENT, in XML TIME_WAIT
8: HEARTBEAT_SENT, in XML CLOSE
9: HEARTBEAT_ACKED, in XML SYN_SENT2" ] || { echo "changed" >&2; exit 1; }
