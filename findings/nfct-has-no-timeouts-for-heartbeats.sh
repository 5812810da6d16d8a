#!/usr/bin/env bash
# nfct 1.4.7 with libnetfilter_cttimeout 1.0.1 (Debian): a timeout policy for SCTP cannot name HEARTBEAT_SENT.
#
# Guess: a policy may give each state a time that conntrack shows of an entry and that the kernel has a time for: those of
#   SCTP's association and those of its further paths, HEARTBEAT_SENT and HEARTBEAT_ACKED.
# Seen: "Wrong state name" for both; the library's table ends with SHUTDOWN_ACK_SENT. From C the number behind it can be set, with 0
#   as the answer, and is not in the policy afterwards. The paths for which a policy is wanted most keep the system's
#   time: a standby path is probed each 30 s and an RTO (RFC 9260 §8.3), and the kernel's own time for HEARTBEAT_SENT is 30 s,
#   so that the entry of a path whose answers pass elsewhere ends between two probes, or the sysctl is changed for all.
# Source: libnetfilter_cttimeout src/timeout.c, sctp_state_to_name, and include/libnetfilter_cttimeout/libnetfilter_cttimeout.h;
#   linux/netfilter/nfnetlink_cttimeout.h has CTA_TIMEOUT_SCTP_HEARTBEAT_SENT.
# Output seen: "established: known", "shutdown_ack_sent: known", "heartbeat_sent: wrong state name",
#   "7 by number: 0, not in the policy"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq nfct=1:1.4.7-1+b2 {libnetfilter-cttimeout1,libnetfilter-cttimeout-dev}=1.0.1-1 libnetfilter-cthelper0=1.0.1-1 \
    libnetfilter-conntrack3=1.0.9-3 libnfnetlink0=1.0.2-2 {libmnl0,libmnl-dev}=1.0.4-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries
for state in established shutdown_ack_sent heartbeat_sent heartbeat_acked; do
    said=$(unshare --net root/usr/sbin/nfct add timeout policy inet sctp "$state" 60 2>&1 || true)
    echo "$state: $(grep -oi 'wrong state name' <<<"$said" | tr W w || echo known)"
done >seen
cat >run.c <<'C'
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <libnetfilter_cttimeout/libnetfilter_cttimeout.h>

int main(void) {
    struct nfct_timeout *policy = nfct_timeout_alloc();
    uint16_t network = AF_INET;
    uint8_t transport = IPPROTO_SCTP;
    nfct_timeout_attr_set(policy, NFCT_TIMEOUT_ATTR_NAME, "policy");
    nfct_timeout_attr_set(policy, NFCT_TIMEOUT_ATTR_L3PROTO, &network);
    nfct_timeout_attr_set(policy, NFCT_TIMEOUT_ATTR_L4PROTO, &transport);
    int answer = nfct_timeout_policy_attr_set_u32(policy, NFCT_TIMEOUT_ATTR_SCTP_MAX, 7777);
    char text[2048];
    nfct_timeout_snprintf(text, sizeof text, policy, NFCT_TIMEOUT_O_DEFAULT, 0);
    printf("7 by number: %d, %s the policy\n", answer, strstr(text, "7777") ? "in" : "not in");
}
C
gcc -I root/usr/include -o run run.c "$libraries/libnetfilter_cttimeout.so.1" -Wl,--allow-shlib-undefined || exit 2
./run >>seen
cat seen
[ "$(cat seen)" = "established: known
shutdown_ack_sent: known
heartbeat_sent: wrong state name
heartbeat_acked: wrong state name
7 by number: 0, not in the policy" ] || { echo "changed" >&2; exit 1; }
